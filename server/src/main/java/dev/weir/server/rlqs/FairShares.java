package dev.weir.server.rlqs;

import java.util.Arrays;

/** Divides what is left of a limit by demand: max-min fairness, in whole hits. */
final class FairShares {
    private FairShares() {}

    /**
     * Gives each at most what it wants. Whoever wants less than an equal share gets all of it, and the others divide the
     * rest equally. The sum is at most {@code available}.
     */
    static long[] of(long[] wants, long available) {
        Integer[] order = new Integer[wants.length];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, (a, b) -> Long.compare(wants[a], wants[b]));
        long[] shares = new long[wants.length];
        long rest = Math.max(0, available);
        for (int i = 0; i < order.length; i++) {
            int left = order.length - i;
            // The last ones, which want the most, get the hits that do not divide.
            long share = Math.min(wants[order[i]], rest / left);
            shares[order[i]] = share;
            rest -= share;
        }
        return shares;
    }
}
