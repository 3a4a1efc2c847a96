package dev.weir.internal.store;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The checks of one request on their way to a shared store and back. It is a buffer that one request uses, from the
 * call of {@link SharedStore#decide} until {@link #answered}.
 */
public abstract class Ask {
    public final Checks checks = new Checks();
    /** When an answer becomes useless, as {@link dev.weir.TimeSource#nanos} tells it. */
    public long deadlineNanos;
    /** The time between asking and the deadline; 0 if unknown. */
    public long patienceNanos;
    /**
     * The allowance for extensions of the deadline: see {@link DeadlineExtension}. 0 if an answer after the deadline
     * would be wrong or useless.
     */
    public long graceNanos;
    /** The executor that runs {@link #answered}; asks with the same executor may be answered together. */
    public Executor home = Runnable::run;
    /** State that the last store keeps here, so that the next ask allocates nothing. */
    public @Nullable Object notes;

    /**
     * Whether the request is denied already, because checks elsewhere denied it. The store answers the checks as
     * always, but only those that count denied hits take anything.
     */
    public boolean denied;

    /**
     * If set, the request is charged once, however often it is sent; the store keeps its key if these checks admit it.
     * If a request asks several stores, only the last one gets this, unless it {@link #settles}.
     */
    public @Nullable Idempotency idempotency;
    /**
     * Whether it settles a hold. Its checks deny nothing, so each place settles its own, once, and keeps the key for
     * itself.
     */
    public boolean settles;
    /**
     * Whether the store only looks up the key and does not keep it, because a store did not decide all checks
     * elsewhere.
     */
    public boolean lookOnly;
    /** Answer: the key was admitted before. Nothing is charged now; the outcomes are those of then, where known. */
    public boolean repeated;
    /** Answer: the key was admitted for a different request. Nothing is charged, and the outcomes mean nothing. */
    public boolean conflict;
    /** Answer: when the store decided, by its own clock in microseconds; 0 if that is not known. */
    public long storeMicros;
    /** Answer: there was none. Whether the key is known is then unknown, even if the ask has no checks. */
    public boolean unanswered;
    /** Whether it gives back hits of a request that was denied elsewhere; no caller waits for it. */
    public boolean givesBack;

    /**
     * Called once, in {@link #home}, when every check is decided or has {@linkplain Check#failure failed}. The hits are
     * taken as {@link LocalStore#decide} says. A failed check denies nothing, and it is unknown whether its hits were
     * taken.
     */
    public abstract void answered();
}
