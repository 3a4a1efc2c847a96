package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * An ask, or the part of one that shares a call, in a batcher. It belongs to one batcher at a time, and there to its
 * event loop.
 *
 * <h2>Ownership of the checks</h2>
 *
 * <p>An ask that is answered belongs to its owner again, who may fill it for another request at once. The call that
 * carried it may still be in flight, and be read later for others in it. So an ask that leaves a call early leaves
 * copies of its checks there: see {@link #leave}.
 */
public final class QueuedAsk {
    /** The executor of parts of an ask: the loop that decided them, at once. */
    private static final Executor HERE = Runnable::run;

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

    @Nullable
    QueuedAsk next;

    private AskRouter way;
    private @Nullable Ask ask;
    private @Nullable AskPartListener parts;

    private QueuedAsk(AskRouter way) {
        this.way = way;
    }

    /** The queued ask that {@code ask} used before, if there is one, so that asking again allocates nothing. */
    static QueuedAsk of(Ask ask, AskRouter way) {
        QueuedAsk pending = ask.notes instanceof QueuedAsk known ? known : new QueuedAsk(way);
        pending.way = way;
        ask.notes = pending;
        pending.begin(ask.deadlineNanos);
        pending.graceNanos = ask.graceNanos;
        pending.arrivedNanos = ask.deadlineNanos - ask.patienceNanos;
        pending.ask = ask;
        return pending;
    }

    /** A part of a larger ask. */
    static QueuedAsk of(AskPartListener parts, long deadlineNanos, AskRouter way) {
        QueuedAsk pending = new QueuedAsk(way);
        pending.begin(deadlineNanos);
        pending.parts = parts;
        return pending;
    }

    private void begin(long deadline) {
        group.clear();
        group.owner = this;
        deadlineNanos = deadline;
        arrivedNanos = deadline;
        graceNanos = 0;
        slot = 0;
        asking = false;
        alone = false;
        tries = 0;
        next = null;
    }

    /** Extends the deadline by {@code nanos}, as far as the grace allows. */
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
            extend(now - deadlineNanos + nanos);
        }
    }

    /** Starts to wait for {@code whole}, of which it is a part. */
    void goesFor(QueuedAsk whole, long now) {
        arrivedNanos = now;
        deadlineNanos = whole.deadlineNanos;
        graceNanos = whole.graceNanos;
    }

    /** Extends this ask's deadline to that of {@code part}, if that was extended. */
    void goesOnAfter(QueuedAsk part) {
        if (part.deadlineNanos - deadlineNanos > 0) {
            deadlineNanos = part.deadlineNanos;
            graceNanos = part.graceNanos;
        }
    }

    /** The subject of its first check. */
    public long subject() {
        return group.size() == 0 ? group.keptUnder() : group.get(0).name.subject();
    }

    /** Leaves its batcher, to be decided one key at a time. */
    void goApart() {
        PartitionedAsk.byKey(this, way);
    }

    /** Whether a caller still waits for it. */
    boolean isWaited() {
        return ask != null || parts != null;
    }

    Executor home() {
        return ask == null ? HERE : ask.home;
    }

    void fail(StoreFailure failure) {
        for (int i = 0; i < group.size(); i++) {
            group.get(i).failure = failure;
        }
        group.repeated = false;
        group.conflict = false;
    }

    /**
     * Leaves its call, which goes on with copies of its checks. Returns the ask that is to be answered in place of this
     * one.
     */
    QueuedAsk leave() {
        QueuedAsk heir = new QueuedAsk(way);
        heir.begin(deadlineNanos);
        heir.ask = ask;
        heir.parts = parts;
        if (ask != null) {
            ask.notes = heir;
        }
        ask = null;
        parts = null;
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
        AskPartListener owner = parts;
        ask = null;
        parts = null;
        if (whole != null) {
            whole.repeated = group.repeated;
            whole.conflict = group.conflict;
            whole.answered();
        } else if (owner != null) {
            owner.decided(this);
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
