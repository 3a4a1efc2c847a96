package dev.weir.internal.batching;

import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.Idempotency;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The checks of one request that share a call of the store: taken from all, or from none but those that count when denied. */
public final class CheckGroup {
    private Check[] checks = new Check[4];
    private int size;

    /** A quota has passed elsewhere, so those of this group cannot deny. */
    public boolean quotaPassed;
    /** Nothing is taken, as if the request had been denied elsewhere. */
    public boolean askOnly;
    /** If set, the group is charged once, however often it is sent; the key is kept beside the counter of its last check. */
    public @Nullable Idempotency idempotency;
    /** The subject whose slot has the idempotency key of a group without checks, which is about nothing but the key. */
    public long about;
    /** The idempotency key is looked up, and not kept even if the group passes. */
    public boolean lookOnly;
    /** It was admitted before: nothing was charged now, and the outcomes are those of then. */
    public boolean repeated;
    /** Its idempotency key was admitted for something else: nothing was charged, and there are no outcomes. */
    public boolean conflict;
    /** It failed. */
    boolean unanswered;
    /** What it belongs to; null for what goes outside of a lane. */
    @Nullable
    QueuedAsk owner;

    /** Whether these checks let the request pass; {@code false} for what was only asked. */
    public boolean allowed;

    public void clear() {
        Arrays.fill(checks, 0, size, null);
        size = 0;
        quotaPassed = false;
        askOnly = false;
        owner = null;
        idempotency = null;
        lookOnly = false;
        repeated = false;
        conflict = false;
        unanswered = false;
        allowed = false;
    }

    /** Adds a check, with its meter and its name; it is the caller's, and its outcome is written when the reply is read. */
    public CheckGroup add(Check check) {
        if (size == checks.length) {
            checks = Arrays.copyOf(checks, size * 2);
        }
        checks[size++] = check;
        return this;
    }

    public int size() {
        return size;
    }

    /** How many keys of the store it asks, at most. */
    int keys() {
        return size + (idempotency == null ? 0 : 1);
    }

    public Check get(int index) {
        return checks[index];
    }

    /** Whether the check at {@code index} asks for hits ahead; what may have been charged before does not. */
    public boolean leases(int index) {
        return checks[index].ahead > 0 && !askOnly && idempotency == null;
    }

    /** The subject whose slot has the idempotency key. */
    public long keptUnder() {
        return size == 0 ? about : checks[size - 1].name.subject();
    }

    /** Goes on with {@code copy}, which asks the same, and leaves the check that was there to its owner. */
    public void set(int index, Check copy) {
        checks[index] = copy;
    }

    /** As {@link Checks#allowed}. */
    public boolean passes() {
        return Checks.allow(checks, size, quotaPassed);
    }
}
