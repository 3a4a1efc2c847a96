package dev.weir.internal.place;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.RequestCost;
import java.util.concurrent.Executor;

/**
 * The checks of one request that share a call: they live in one place, and a denial treats them alike. A buffer of its
 * {@link MultiPlaceDecision}, reused for the next request.
 */
public final class PlaceAsk extends Ask {
    private static final Executor AT_ONCE = Runnable::run;

    private final MultiPlaceDecision decision;
    private final Runnable answer = this::answered;
    private int[] indices = new int[4];
    long place;
    /** Whether its hits count even if the request is denied. */
    private boolean counts;
    /** Whether it gives hits back, and so cannot deny. */
    boolean refunds;
    /** Whether it was sent; it may have been answered since. */
    boolean sent;
    /** Whether it was sent, and its answer is not settled yet. */
    boolean underWay;

    long sentNanos;
    private long capacity;

    PlaceAsk(MultiPlaceDecision decision) {
        this.decision = decision;
    }

    void begin(long itsPlace, boolean itCounts, boolean itRefunds) {
        checks.clear();
        place = itsPlace;
        counts = itCounts;
        refunds = itRefunds;
        sent = false;
        underWay = false;
        capacity = Long.MAX_VALUE;
        denied = false;
        idempotency = null;
        lookOnly = false;
        repeated = false;
        conflict = false;
        unanswered = false;
    }

    void add(int index, Check check, long cost) {
        checks.cost += cost;
        int at = checks.size();
        if (at == indices.length) {
            int[] longer = new int[2 * at];
            System.arraycopy(indices, 0, longer, 0, at);
            indices = longer;
        }
        indices[at] = index;
        checks.add().set(check);
        if (check.role != Check.Role.SHADOW && check.meter != null) {
            capacity = Math.min(capacity, check.meter.limit().capacity());
        }
    }

    /** Whether a check of this kind, and of {@code cost} if it may go elsewhere, goes with this ask. */
    boolean accepts(long itsPlace, boolean itCounts, boolean itRefunds, long cost) {
        return place == itsPlace
                && counts == itCounts
                && refunds == itRefunds
                && checks.cost + cost <= RequestCost.MAX_PART;
    }

    /** The indices of its checks within the request, in ascending order; the array may be longer than needed. */
    public int[] indices() {
        return indices;
    }

    /** Whether its hits count even if the request is denied. */
    public boolean counts() {
        return counts;
    }

    /** Stops counting denied hits, because the request may have been charged before. */
    void countNothing() {
        counts = false;
    }

    /** The callback that marks it as answered, for a caller that answers in place of a store. */
    public Runnable answer() {
        return answer;
    }

    /** When it was sent. */
    public long sentNanos() {
        return sentNanos;
    }

    /** The capacity of its tightest limit, among those that can deny. */
    long capacity() {
        return capacity;
    }

    boolean hasFailed() {
        boolean failed = unanswered;
        for (int i = 0; i < checks.size(); i++) {
            failed |= checks.get(i).failure != null;
        }
        return failed;
    }

    /** Releases references to objects of others. */
    void end() {
        idempotency = null;
        home = AT_ONCE;
    }

    @Override
    public void answered() {
        decision.answered();
    }
}
