package dev.weir.internal.store;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The checks of one request on their way to a shared store and back. A buffer of one request at a time, from the moment it is
 * handed to {@link SharedStore#decide} until {@link #answered}.
 */
public abstract class Ask {
    /** The most that {@link #graceNanos} is: work without end does not switch deadlines off. */
    public static final long MOST_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    public final Checks checks = new Checks();
    /** When an answer is of no use any more, as {@link dev.weir.TimeSource#nanos} tells it. */
    public long deadlineNanos;
    /** How long before that it was asked; 0 if that is not known. */
    public long patienceNanos;
    /**
     * By how much the deadline may be moved for time in which this process was kept from running. 0 if an answer after the deadline would
     * be wrong, or of no use.
     */
    public long graceNanos;
    /** Where {@link #answered} is to run; asks with the same home may be answered together. */
    public Executor home = Runnable::run;
    /** What the store that was asked last keeps here, so that the next ask allocates nothing. */
    public @Nullable Object notes;

    /**
     * The request is denied whatever comes of this, for checks elsewhere said so: the checks are answered as always, but only
     * those that count when denied take anything.
     */
    public boolean denied;

    /**
     * If set, the request is charged once, however often it is sent; the store keeps its key if these checks admit it. So of a
     * request that asks several stores, the last one gets this, and it alone.
     */
    public @Nullable Idempotency idempotency;
    /** The key is looked up, and not kept whatever comes of it: the checks elsewhere were not all decided by their stores. */
    public boolean lookOnly;
    /** The answer: it was admitted before. Nothing is charged now, and the outcomes are those of then where they are known. */
    public boolean repeated;
    /** The answer: its key was admitted for something else. Nothing is charged, and the outcomes mean nothing. */
    public boolean conflict;
    /** The answer: there was none. Whether its key is known is unknown, also if it has no checks that could say so. */
    public boolean unanswered;
    /** It gives back what a request took that was denied elsewhere; nobody waits for it. */
    public boolean givesBack;

    /**
     * Every check of it has been decided or has {@linkplain Check#failure failed}; called once, in {@link #home}. What was taken
     * follows {@link LocalStore#decide}; a check that failed stops nobody, and whether its own hits were taken is unknown.
     */
    public abstract void answered();
}
