package dev.weir.internal.store.memory;

import dev.weir.internal.algorithm.BlockMeter;
import dev.weir.internal.algorithm.SlotMeter;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import java.util.Arrays;

/**
 * Decides a request with several checks atomically: all hits are taken or none, and no other request sees a partial
 * state. It locks the stripes that it needs in ascending order, each once, before it reads any, so that requests cannot
 * deadlock.
 *
 * <p>Checks on one counter count in their order, each as if those before it had been taken.
 */
final class MultiKeyDecision {
    private final Stripe[] stripes;
    private final int mask;

    /** The number of stripes is a power of two; the lowest bits of a counter's key select its stripe. */
    MultiKeyDecision(Stripe[] stripes) {
        this.stripes = stripes;
        this.mask = stripes.length - 1;
    }

    boolean decide(Checks checks, long now) {
        int size = checks.size();
        long[] order = checks.scratch(size);
        for (int i = 0; i < size; i++) {
            order[i] = (long) ((int) checks.get(i).key1 & mask) << 32 | i;
        }
        sort(order, size);
        lock(order, size);
        try {
            for (int i = 0; i < size; i++) {
                ask(checks, order, i, now);
            }
            boolean allowed = checks.allowed();
            for (int i = 0; i < size; i++) {
                settle(stripes[stripeOf(order[i])], checks.get(checkOf(order[i])), allowed, now);
            }
            return allowed;
        } finally {
            unlock(order, size);
        }
    }

    private void ask(Checks checks, long[] order, int index, long now) {
        int stripe = stripeOf(order[index]);
        Check check = checks.get(checkOf(order[index]));
        Check earlier = null;
        long pending = 0;
        boolean givesBack = false;
        int first = index;
        for (int i = index - 1; i >= 0 && stripeOf(order[i]) == stripe; i--) {
            Check other = checks.get(checkOf(order[i]));
            if (counted(other, check)) {
                earlier = earlier == null ? other : earlier;
                pending = Math.max(pending, pending + Math.max(0, other.hits));
                givesBack |= other.hits < 0;
                first = i;
            }
        }
        if (givesBack && check.meter instanceof BlockMeter) {
            stripes[stripe].ask(check, rehearse(checks, order, first, index, now), now);
        } else {
            stripes[stripe].ask(check, earlier, pending, now);
        }
    }

    /** The block of a counter as the checks on it from {@code first} to before {@code index} will leave it. */
    private long[] rehearse(Checks checks, long[] order, int first, int index, long now) {
        Check check = checks.get(checkOf(order[index]));
        long[] block = stripes[stripeOf(order[index])].copyOfBlock(check);
        for (int i = first; i < index; i++) {
            Check other = checks.get(checkOf(order[i]));
            if (counted(other, check) && other.meter instanceof BlockMeter meter) {
                meter.take(block, 0, block.length, now, other.hits);
            }
        }
        return block;
    }

    /** Whether {@code earlier} is on the counter of {@code check}, and is taken if the request is allowed. */
    private static boolean counted(Check earlier, Check check) {
        return earlier.key0 == check.key0 && earlier.key1 == check.key1 && takenIfAllowed(earlier);
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
        int last = -1;
        for (int i = 0; i < size; i++) {
            int stripe = stripeOf(order[i]);
            if (stripe != last) {
                stripes[stripe].lock();
                last = stripe;
            }
        }
    }

    private void unlock(long[] order, int size) {
        int last = -1;
        for (int i = 0; i < size; i++) {
            int stripe = stripeOf(order[i]);
            if (stripe != last) {
                stripes[stripe].unlock();
                last = stripe;
            }
        }
    }

    private static void sort(long[] order, int size) {
        if (size > 16) {
            Arrays.sort(order, 0, size);
            return;
        }
        for (int i = 1; i < size; i++) {
            long moved = order[i];
            int at = i;
            for (; at > 0 && order[at - 1] > moved; at--) {
                order[at] = order[at - 1];
            }
            order[at] = moved;
        }
    }

    private static int stripeOf(long ordered) {
        return (int) (ordered >>> 32);
    }

    private static int checkOf(long ordered) {
        return (int) ordered;
    }
}
