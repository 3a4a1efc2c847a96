package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.DeadlineExtension;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * An ask in flight whose checks share a call. It belongs to one batcher at a time, and there to the batcher's loop.
 *
 * <h2>Ownership of the checks</h2>
 *
 * <p>An ask that is answered belongs to its owner again, who may fill it for another request at once. The call that
 * carried it may still be in flight, and be read later for others in it. So an ask that leaves a call early leaves
 * copies of its checks there: see {@link #leave}.
 */
public final class QueuedAsk {
    public final CheckGroup group = new CheckGroup();
    long deadlineNanos;
    /** When it arrived. */
    long arrivedNanos;
    /** By how much its deadline may still be extended: see {@link Ask#graceNanos}. */
    private long graceNanos;
    /** The hash slot. Asks of different hash slots share no call. */
    public int slot;
    /** Whether the store redirected it with ASK, to a server that does not own the hash slot yet. */
    boolean asking;
    /** Whether it must not share its call. */
    boolean alone;
    /** How often it was sent without charging anything. */
    int tries;
    /** The charge since it was {@linkplain SubmissionQueue#add added}. */
    long charge;

    @Nullable
    QueuedAsk next;

    private AskRouter way;
    private final Ask ask;
    /** Whether a caller waits for the ask. */
    private boolean waited;

    private QueuedAsk(Ask ask, AskRouter way) {
        this.ask = ask;
        this.way = way;
        group.owner = this;
    }

    /** The queued ask that {@code ask} used before, if there is one, so that asking again allocates nothing. */
    static QueuedAsk of(Ask ask, AskRouter way) {
        QueuedAsk pending;
        if (ask.notes instanceof QueuedAsk known) {
            pending = known;
        } else {
            pending = new QueuedAsk(ask, way);
            ask.notes = pending;
        }
        if (pending.way != way) {
            pending.way = way;
        }
        pending.begin(ask.deadlineNanos);
        pending.graceNanos = ask.graceNanos;
        pending.arrivedNanos = ask.deadlineNanos - ask.patienceNanos;
        pending.waited = true;
        return pending;
    }

    /** Takes up {@code checks}, which stay their owner's. */
    void fill(Checks checks) {
        for (int i = 0; i < checks.size(); i++) {
            group.add(checks.get(i));
        }
        group.quotaPassed = checks.quotaPassed;
    }

    long graceNanos() {
        return graceNanos;
    }

    private void begin(long deadline) {
        group.clear();
        deadlineNanos = deadline;
        arrivedNanos = deadline;
        graceNanos = 0;
        slot = 0;
        asking = false;
        alone = false;
        tries = 0;
        charge = 0;
        next = null;
    }

    /** Extends the deadline by {@code nanos}, as far as the allowance goes: see {@link DeadlineExtension}. */
    void extend(long nanos) {
        long longer = Math.min(nanos, graceNanos);
        graceNanos -= longer;
        deadlineNanos += longer;
    }

    /**
     * If its deadline passed before the loop looked, extends it to {@code nanos} after {@code now}, as far as the grace
     * allows.
     */
    void revive(long now, long nanos) {
        if (deadlineNanos - now <= 0) {
            extend(DeadlineExtension.toAskOnceMore(now, deadlineNanos, nanos));
        }
    }

    /** It waits until {@code deadline} by now, with so much grace left. */
    void extendTo(long deadline, long grace) {
        deadlineNanos = deadline;
        graceNanos = grace;
    }

    /** The subject of its first check. */
    public long subject() {
        return group.size() == 0 ? group.keptUnder() : group.get(0).name.subject();
    }

    /** Leaves its batcher, to be decided one key at a time. */
    void goApart() {
        HashSlotPlaces.decideByKey(this, way);
    }

    /** Whether a caller still waits for it. */
    boolean isWaited() {
        return waited;
    }

    Executor home() {
        return waited ? ask.home : Runnable::run;
    }

    void fail(StoreFailure failure) {
        for (int i = 0; i < group.size(); i++) {
            group.get(i).failure = failure;
        }
        group.repeated = false;
        group.storeMicros = 0;
        group.conflict = false;
        group.unanswered = true;
    }

    /**
     * Leaves its call, which goes on with copies of its checks. Returns the ask that is to be answered in place of this
     * one.
     */
    QueuedAsk leave() {
        QueuedAsk heir = new QueuedAsk(ask, way);
        heir.begin(deadlineNanos);
        heir.waited = waited;
        heir.charge = charge;
        if (waited) {
            ask.notes = heir;
        }
        waited = false;
        for (int i = 0; i < group.size(); i++) {
            Check theirs = group.get(i);
            heir.group.add(theirs);
            group.set(i, copy(theirs));
        }
        return heir;
    }

    /** Runs the callback. Afterwards this object may be in use for another ask. */
    void answer() {
        Ask whole = ask;
        if (waited) {
            waited = false;
            whole.repeated = group.repeated;
            whole.storeMicros = group.storeMicros;
            whole.conflict = group.conflict;
            whole.unanswered = group.unanswered;
            if (deadlineNanos - whole.deadlineNanos > 0) {
                whole.deadlineNanos = deadlineNanos;
                whole.graceNanos = graceNanos;
            }
            whole.answered();
        }
    }

    /** Answers it as failed, before it was sent. */
    public void refuse(StoreFailure failure) {
        fail(failure);
        CompletionTask.now(this);
    }

    static Check copy(Check check) {
        Check copy = new Check();
        copy.set(check);
        return copy;
    }
}
