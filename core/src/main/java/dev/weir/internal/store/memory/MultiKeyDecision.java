package dev.weir.internal.store.memory;

import dev.weir.internal.algorithm.BlockMeter;
import dev.weir.internal.algorithm.SlotMeter;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;

/**
 * Decides a request with several checks atomically: all hits are taken or none, and no other request sees a partial
 * state. It locks the stripes that it needs in ascending order, each once, before it reads any, so that requests cannot
 * deadlock.
 *
 * <p>Checks on one counter count in their order, each as if those before it had been taken. So the checks are sorted by
 * stripe, counter and place in the request, and each needs to look only at the one before it: the work is linear in the
 * number of checks, apart from the sort.
 */
final class MultiKeyDecision {
    private static final int FEW = 16;
    private static final int NONE = -1;

    private final Stripe[] stripes;
    private final int mask;

    /** The number of stripes is a power of two; the lowest bits of a counter's key select its stripe. */
    MultiKeyDecision(Stripe[] stripes) {
        this.stripes = stripes;
        this.mask = stripes.length - 1;
    }

    boolean decide(Checks checks, long now) {
        int size = checks.size();
        long[] order = checks.scratch(2 * size);
        for (int i = 0; i < size; i++) {
            order[i] = (long) ((int) checks.get(i).key1 & mask) << 32 | i;
        }
        sort(checks, order, size);
        lock(order, size);
        try {
            askAll(checks, order, size, now);
            boolean allowed = checks.allowed();
            for (int i = 0; i < size; i++) {
                settle(stripes[stripeOf(order[i])], checks.get(checkOf(order[i])), allowed, now);
            }
            return allowed;
        } finally {
            unlock(order, size);
        }
    }

    private void askAll(Checks checks, long[] order, int size, long now) {
        int from = 0;
        while (from < size) {
            Check first = checks.get(checkOf(order[from]));
            int to = from + 1;
            while (to < size && isOnOneCounter(first, checks.get(checkOf(order[to])))) {
                to++;
            }
            askCounter(checks, order, from, to, now);
            from = to;
        }
    }

    /**
     * Asks the checks of one counter, which are those at {@code from} to before {@code to}. Once one of them gives hits
     * back, those after it are asked of a copy of the block in which the ones before are taken.
     */
    private void askCounter(Checks checks, long[] order, int from, int to, long now) {
        Stripe stripe = stripes[stripeOf(order[from])];
        Check earlier = null;
        long pending = 0;
        long[] rehearsed = null;
        int rehearsedTo = from;
        boolean givesBack = false;
        for (int i = from; i < to; i++) {
            Check check = checks.get(checkOf(order[i]));
            if (givesBack && check.meter instanceof BlockMeter) {
                rehearsed = stripe.rehearsal(check, rehearsed);
                for (; rehearsedTo < i; rehearsedTo++) {
                    rehearse(checks.get(checkOf(order[rehearsedTo])), rehearsed, now);
                }
                stripe.ask(check, rehearsed, now);
            } else {
                stripe.ask(check, earlier, pending, now);
            }
            if (takenIfAllowed(check)) {
                earlier = check;
                pending = Math.max(pending, pending + Math.max(0, check.hits));
                givesBack |= check.hits < 0;
            }
        }
    }

    /** Takes the hits of a check in a copy of its block. */
    private static void rehearse(Check check, long[] block, long now) {
        if (takenIfAllowed(check) && check.meter instanceof BlockMeter meter) {
            meter.take(block, 0, block.length, now, check.hits);
        }
    }

    private static boolean isOnOneCounter(Check check, Check other) {
        return check.key0 == other.key0 && check.key1 == other.key1;
    }

    private static void settle(Stripe stripe, Check check, boolean allowed, long now) {
        if (!allowed) {
            stripe.denied(check, check.countsDenied && takenIfAllowed(check), now);
        } else if (takenIfAllowed(check)) {
            stripe.take(check, now);
        }
    }

    /** Whether the check is taken if the request is allowed. Blocks cannot count hits that do not fit. */
    private static boolean takenIfAllowed(Check check) {
        return check.outcome.allowed || (check.countsDenied && check.meter instanceof SlotMeter);
    }

    private void lock(long[] order, int size) {
        int last = NONE;
        for (int i = 0; i < size; i++) {
            int stripe = stripeOf(order[i]);
            if (stripe != last) {
                stripes[stripe].lock();
                last = stripe;
            }
        }
    }

    private void unlock(long[] order, int size) {
        int last = NONE;
        for (int i = 0; i < size; i++) {
            int stripe = stripeOf(order[i]);
            if (stripe != last) {
                stripes[stripe].unlock();
                last = stripe;
            }
        }
    }

    /** Sorts by stripe, counter and place in the request. The second half of {@code order} is used for merging. */
    private static void sort(Checks checks, long[] order, int size) {
        if (size <= FEW) {
            insert(checks, order, 0, size);
            return;
        }
        for (int from = 0; from < size; from += FEW) {
            insert(checks, order, from, Math.min(size, from + FEW));
        }
        for (int run = FEW; run < size; run *= 2) {
            for (int from = 0; from + run < size; from += 2 * run) {
                merge(checks, order, from, from + run, Math.min(size, from + 2 * run), size);
            }
        }
    }

    private static void insert(Checks checks, long[] order, int from, int to) {
        for (int i = from + 1; i < to; i++) {
            long moved = order[i];
            int at = i;
            for (; at > from && isBefore(checks, moved, order[at - 1]); at--) {
                order[at] = order[at - 1];
            }
            order[at] = moved;
        }
    }

    /** Merges two sorted runs; the words from {@code spare} on are free. */
    private static void merge(Checks checks, long[] order, int from, int middle, int to, int spare) {
        int length = middle - from;
        System.arraycopy(order, from, order, spare, length);
        int left = spare;
        int right = middle;
        int at = from;
        while (left < spare + length) {
            if (right < to && isBefore(checks, order[right], order[left])) {
                order[at++] = order[right++];
            } else {
                order[at++] = order[left++];
            }
        }
    }

    private static boolean isBefore(Checks checks, long one, long other) {
        if (stripeOf(one) != stripeOf(other)) {
            return one < other;
        }
        Check first = checks.get(checkOf(one));
        Check second = checks.get(checkOf(other));
        if (first.key1 != second.key1) {
            return first.key1 < second.key1;
        }
        return first.key0 == second.key0 ? one < other : first.key0 < second.key0;
    }

    private static int stripeOf(long ordered) {
        return (int) (ordered >>> 32);
    }

    private static int checkOf(long ordered) {
        return (int) ordered;
    }
}
