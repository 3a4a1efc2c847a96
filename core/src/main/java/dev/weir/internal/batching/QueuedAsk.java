package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * An ask whose checks share a call, on its way. It belongs to one lane at a time, and there to its loop.
 *
 * <h2>Whose the checks are</h2>
 *
 * An ask that is answered is its owner's again, to be filled for another request at once, while the call that carried it may
 * still be under way and be read later, for others in it. So whoever leaves a call early leaves copies behind: see {@link #leave}.
 */
public final class QueuedAsk {
    public final CheckGroup group = new CheckGroup();
    long deadlineNanos;
    /** When it came. */
    long arrivedNanos;
    /** By how much its deadline may still be moved: see {@link Ask#graceNanos}. */
    private long graceNanos;
    /** What is in another one may not share its call. */
    public int slot;
    /** The store sent us to a server that does not own the slot yet. */
    boolean asking;
    /** It is to share its call with nobody. */
    boolean alone;
    /** How often it was sent and charged nothing. */
    int tries;

    @Nullable
    QueuedAsk next;

    private AskRouter way;
    private @Nullable Ask ask;

    private QueuedAsk(AskRouter way) {
        this.way = way;
    }

    /** The one that {@code ask} was asked with before, if it is free: asking again allocates nothing. */
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

    /** It may wait for so much longer, as far as it has grace. */
    void extend(long nanos) {
        long longer = Math.min(nanos, graceNanos);
        graceNanos -= longer;
        deadlineNanos += longer;
    }

    /** Its time was over before anybody looked: it has {@code nanos} from {@code now} on, as far as it has grace. */
    void revive(long now, long nanos) {
        if (deadlineNanos - now <= 0) {
            extend(now - deadlineNanos + nanos);
        }
    }

    /** It waits until {@code deadline} by now, with so much grace left. */
    void extendTo(long deadline, long grace) {
        deadlineNanos = deadline;
        graceNanos = grace;
    }

    /** Whom it is about: the first of its checks says so. */
    public long subject() {
        return group.size() == 0 ? group.keptUnder() : group.get(0).name.subject();
    }

    /** It leaves its lane, to be decided one key at a time. */
    void goApart() {
        HashSlotPlaces.decideByKey(this, way);
    }

    /** Whether somebody still waits for it. */
    boolean isWaited() {
        return ask != null;
    }

    Executor home() {
        return ask == null ? Runnable::run : ask.home;
    }

    void fail(StoreFailure failure) {
        for (int i = 0; i < group.size(); i++) {
            group.get(i).failure = failure;
        }
        group.repeated = false;
        group.conflict = false;
        group.unanswered = true;
    }

    /**
     * Leaves the call it is in, which goes on with copies of its checks. Returns who is to be answered; this one never will be.
     */
    QueuedAsk leave() {
        QueuedAsk heir = new QueuedAsk(way);
        heir.begin(deadlineNanos);
        heir.ask = ask;
        if (ask != null) {
            ask.notes = heir;
        }
        ask = null;
        for (int i = 0; i < group.size(); i++) {
            Check theirs = group.get(i);
            heir.group.add(theirs);
            group.set(i, copy(theirs));
        }
        return heir;
    }

    /** Tells who waits. From then on it may be on its way with another ask. */
    void answer() {
        Ask whole = ask;
        ask = null;
        if (whole != null) {
            whole.repeated = group.repeated;
            whole.conflict = group.conflict;
            whole.unanswered = group.unanswered;
            if (deadlineNanos - whole.deadlineNanos > 0) {
                whole.deadlineNanos = deadlineNanos;
                whole.graceNanos = graceNanos;
            }
            whole.answered();
        }
    }

    /** Tells who waits that it failed, before it went anywhere. */
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
