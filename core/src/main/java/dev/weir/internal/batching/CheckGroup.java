package dev.weir.internal.batching;

import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.Idempotency;
import dev.weir.internal.store.RequestCost;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The checks of one request that share a call. All of them take their hits or none, except those that count denied
 * hits.
 */
public final class CheckGroup {
    private Check[] checks = new Check[4];
    private int size;
    private long cost;

    /** Whether a quota has passed elsewhere, so that the quotas of this group cannot deny. */
    public boolean quotaPassed;
    /** Whether nothing is taken, as if the request had been denied elsewhere. */
    public boolean askOnly;
    /**
     * If set, the group is charged once, however often it is sent; the key is kept beside the counter of its last
     * check.
     */
    public @Nullable Idempotency idempotency;
    /** The subject whose hash slot has the idempotency key, for a group without checks, which only looks up the key. */
    public long about;
    /** Whether the idempotency key is only looked up, and not kept even if the group passes. */
    public boolean lookOnly;
    /** Answer: the key was admitted before. Nothing was charged now, and the outcomes are those of then. */
    public boolean repeated;
    /** Answer: the key was admitted for a different request. Nothing was charged, and there are no outcomes. */
    public boolean conflict;
    /** Answer: when the store decided, by its own clock in microseconds; 0 if that is not known. */
    public long storeMicros;
    /** Whether the call failed. */
    boolean unanswered;
    /** The ask that the group belongs to; null for a group that is sent outside a batcher. */
    @Nullable
    QueuedAsk owner;

    /** Whether these checks let the request pass; {@code false} if nothing was to be taken. */
    public boolean allowed;

    public void clear() {
        size = 0;
        cost = 0;
        quotaPassed = false;
        askOnly = false;
        idempotency = null;
        lookOnly = false;
        repeated = false;
        conflict = false;
        storeMicros = 0;
        unanswered = false;
        allowed = false;
    }

    /**
     * Adds a check with its meter and name. The caller keeps owning it; its outcome is written when the reply is read.
     */
    public CheckGroup add(Check check) {
        if (size == checks.length) {
            checks = Arrays.copyOf(checks, size * 2);
        }
        // An ask sends the same buffers again and again, and a reference stored into old memory is dear with G1.
        if (checks[size] != check) {
            checks[size] = check;
        }
        size++;
        cost += RequestCost.of(check) + RequestCost.ofLease(check);
        return this;
    }

    public int size() {
        return size;
    }

    /** The most that the group costs the store, in units of {@link RequestCost}. */
    public long cost() {
        return idempotency == null ? cost : cost + RequestCost.OF_IDEMPOTENCY_KEY;
    }

    /** The largest number of store keys that the group touches. */
    int keys() {
        int keys = size + (idempotency == null ? 0 : 1);
        for (int i = 0; i < size; i++) {
            keys += leases(i) && checks[i].lessee != 0 ? 1 : 0;
        }
        return keys;
    }

    public Check get(int index) {
        return checks[index];
    }

    /** Whether the check at {@code index} asks for a lease; a group that may have been charged before does not. */
    public boolean leases(int index) {
        return checks[index].ahead > 0 && !askOnly && idempotency == null;
    }

    /** The subject whose hash slot has the idempotency key. */
    public long keptUnder() {
        return size == 0 ? about : checks[size - 1].name.subject();
    }

    /** Replaces the check at {@code index} by {@code copy}, which asks the same, and returns the check to its owner. */
    public void set(int index, Check copy) {
        checks[index] = copy;
    }

    /** As {@link Checks#allowed}. */
    public boolean passes() {
        return Checks.allow(checks, size, quotaPassed);
    }
}
