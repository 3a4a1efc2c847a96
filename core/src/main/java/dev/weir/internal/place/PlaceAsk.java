package dev.weir.internal.place;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import java.util.concurrent.Executor;

/**
 * The checks of one request that share a call: they live in one place, and the same becomes of them when the request is denied. A buffer
 * of its {@link MultiPlaceDecision}, filled again for the next request.
 */
public final class PlaceAsk extends Ask {
    private static final Executor AT_ONCE = Runnable::run;

    private final MultiPlaceDecision decision;
    private final Runnable answer = this::answered;
    private int[] indices = new int[4];
    long place;
    /** Its hits count although the request is denied. */
    private boolean counts;
    /** It gives hits back, and so denies nothing. */
    boolean refunds;
    /** It was sent, and maybe answered. */
    boolean sent;
    /** It was sent, and what was answered is not taken in yet. */
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

    void add(int index, Check check) {
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

    boolean holds(long itsPlace, boolean itCounts, boolean itRefunds) {
        return place == itsPlace && counts == itCounts && refunds == itRefunds;
    }

    /** Which checks of the request its own are, in ascending order; as many as it has, and maybe more room. */
    public int[] indices() {
        return indices;
    }

    /** Whether its hits count although the request is denied. */
    public boolean counts() {
        return counts;
    }

    /** The request may have been charged before: now nothing counts if it is denied. */
    void countNothing() {
        counts = false;
    }

    /** Has it answered, for whoever answers it in place of a store. */
    public Runnable answer() {
        return answer;
    }

    /** When it was sent. */
    public long sentNanos() {
        return sentNanos;
    }

    /** How many hits the tightest of its limits holds that may deny. */
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

    /** Lets go of what others own. */
    void end() {
        idempotency = null;
        home = AT_ONCE;
    }

    @Override
    public void answered() {
        decision.answered();
    }
}
