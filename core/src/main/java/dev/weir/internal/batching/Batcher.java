package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The way to a store over one connection: while a round of calls is under way, what arrives waits for the next one. A round that takes
 * long is overtaken: see {@link InFlightBatches}.
 *
 * <h2>Concurrency</h2>
 *
 * Any thread {@linkplain #add adds}; all else happens in the loop of the connection, so that nothing is locked. The loop is woken for
 * the first of a round only: see {@link LoopWakeup}.
 *
 * <h2>Deadlines</h2>
 *
 * One timer, set to the earliest deadline. It fires in the loop that also reads replies. What has left a round never sees its reply:
 * see {@link QueuedAsk#leave}. A round that everybody left is abandoned, and the next one goes.
 *
 * <h2>Pauses</h2>
 *
 * Where this loop is late it is this process that was kept from running, by a machine that is busy or by itself, and the store may have
 * answered long ago. That is no time that a decision was waiting for the store, and it does not count: else a busy machine would
 * be a store that fails, and let pass what it should not. As long again does not count either, up to a deadline: who kept this process
 * from running kept a store on the same machine, too. It counts again from a tenth of a second on.
 */
public final class Batcher {
    private final BatchingLoop loop;
    private final BatchTransport carrier;
    private final SubmissionQueue intake;
    private final LoopWakeup wakeup;
    private final DeadlineTimer timer;
    private final AskQueue waiting = new AskQueue();
    private final CompletionQueue answers;
    private final RetryPolicy uncharged;
    private final InFlightBatches rounds;

    /** A lane in {@code loop}, with no more than so many asks in it at a time. */
    public Batcher(BatchingLoop loop, BatchTransport carrier, int maxWaiting) {
        this.loop = loop;
        this.carrier = carrier;
        this.intake = new SubmissionQueue(maxWaiting);
        this.wakeup = new LoopWakeup(loop, this::look);
        this.answers = new CompletionQueue(loop, intake, carrier);
        this.uncharged = new RetryPolicy(intake, waiting, answers);
        this.timer = new DeadlineTimer(loop, this::sweep, this::paused);
        this.rounds = new InFlightBatches(carrier, loop.nanos());
    }

    /** Asks that wait, or are under way. */
    public int waiting() {
        return intake.waiting();
    }

    /** Takes up {@code pending}, from any thread; who waits for it is told, also if that is at once. */
    public void add(QueuedAsk pending) {
        StoreFailure down = carrier.down();
        if (down != null && !carrier.isNew()) {
            refuse(pending, down);
        } else if (!intake.add(pending)) {
            refuse(pending, StoreFailure.OVERLOADED);
        } else if (timer.isAfter(pending.deadlineNanos)) {
            wakeup.ringAnyhow();
        } else if (!wakeup.isAwake()) {
            // Whoever asks again and then blocks, which nobody should, waits no longer than until the timer: only if
            // it is set.
            boolean held = timer.isBy(pending.deadlineNanos)
                    && DeferredWakeups.ofThread().holds(wakeup);
            if (!held) {
                wakeup.ring();
            }
        }
    }

    private void refuse(QueuedAsk pending, StoreFailure failure) {
        carrier.unanswered(failure);
        pending.refuse(failure);
    }

    private void look() {
        resume();
        pump();
    }

    /** Makes up for a pause, if there was one, and takes up who has come. */
    private void resume() {
        timer.look();
        collect();
    }

    private void paused(long nanos) {
        long owed = nanos + Math.min(nanos, carrier.patienceNanos());
        waiting.forEach(each -> each.extend(owed));
        rounds.forEach(each -> each.extend(owed));
        rounds.paused(owed);
        wakeup.ringAnyhow(); // a round may be overtaken by now
    }

    private void collect() {
        do {
            QueuedAsk first = intake.takeAll();
            long now = first == null ? 0 : loop.nanos();
            for (QueuedAsk each = first; each != null; each = each.next) {
                if (isOurs(each, now)) {
                    each.extend(now - each.arrivedNanos);
                }
                timer.atLatest(each.deadlineNanos);
            }
            waiting.add(first);
            // The timer was set before this looks; who adds looks at the timer afterwards. One of the two sees the
            // other.
        } while (!intake.isEmpty());
    }

    /** Whether it waits because of us: nobody waits to be sent for longer than a round keeps the next, if this loop runs. */
    private boolean isOurs(QueuedAsk waits, long now) {
        return now - waits.arrivedNanos >= rounds.longestNanos() + DeadlineTimer.LATE_NANOS;
    }

    /** Sends the next round if none is under way, or the last one has been for long. */
    private void pump() {
        while (rounds.isNextFree(loop)) {
            if (waiting.isEmpty() || isHeld()) {
                if (wakeup.rests(intake)) {
                    break;
                }
                collect();
            } else if (carrier.down() != null) {
                failWaiting(carrier.down());
            } else if (carrier.isOpen()) {
                failWaiting(StoreFailure.OPEN);
            } else {
                send();
            }
        }
        answers.deliver();
        if (!rounds.isEmpty() && wakeup.isAwake()) {
            timer.atLatest(rounds.overtakenNanos());
        }
    }

    /** Whether those who wait have to, though no round keeps them. */
    private boolean isHeld() {
        return carrier.isNew() || (rounds.isFull() && carrier.down() == null && !carrier.isOpen());
    }

    private void send() {
        long now = loop.nanos();
        CallBatch next = new CallBatch(now);
        QueuedAsk each;
        while ((each = waiting.peek()) != null) {
            if (isOurs(each, now) && now - each.deadlineNanos >= DeadlineTimer.GRAIN_NANOS) {
                each.revive(now, rounds.longestNanos());
            }
            if (each.deadlineNanos - now <= 0) {
                answers.settle(each, StoreFailure.TIMEOUT);
            } else if (!next.take(each, carrier)) {
                break;
            }
            waiting.poll();
        }
        if (!next.calls.isEmpty()) {
            rounds.begin(next);
            carrier.send(next.calls);
        }
    }

    /** What waits will not be sent for now. */
    private void failWaiting(@Nullable StoreFailure failure) {
        QueuedAsk each;
        while ((each = waiting.poll()) != null) {
            answers.settle(each, failure);
        }
    }

    /** Every check that {@code call} carries has its outcome. */
    public void decided(BatchedCall call) {
        resume();
        answers.settle(call, null);
        finished(call);
    }

    /** Whether {@code call} charged anything is not known, or it was refused. */
    public void failed(BatchedCall call, StoreFailure failure) {
        failed(call, failure, () -> {});
    }

    /** The same, where {@code then} is what follows from it: it is done before the next round goes. */
    public void failed(BatchedCall call, StoreFailure failure, Runnable then) {
        call.round().failed++;
        unserved(call, failure, then);
    }

    /** The same, where it says nothing of how the store is: it serves others. */
    public void unserved(BatchedCall call, StoreFailure failure, Runnable then) {
        resume();
        answers.settle(call, failure);
        call.end();
        then.run();
        ended(call.round());
    }

    /** It came too late and charged nothing. */
    public void expired(BatchedCall call) {
        resume();
        uncharged.goAgain(call, loop.nanos(), carrier.patienceNanos() / 2);
        finished(call);
    }

    /** It charged nothing, for its counters live in two places at the moment. Each by itself is either here or there. */
    public void divided(BatchedCall call) {
        resume();
        uncharged.goAlone(call);
        finished(call);
    }

    /** It charged nothing and should have gone elsewhere: {@code onward} says for each by which lane. */
    public void redirected(BatchedCall call, boolean asking, Function<QueuedAsk, Batcher> onward) {
        resume();
        uncharged.goOn(call, asking, loop.nanos(), onward);
        finished(call);
    }

    /** A call that is {@linkplain BatchedCall#isAbandoned abandoned} was answered. */
    public void late(BatchedCall call) {
        resume();
        call.end();
        if (rounds.heard(call.round(), loop.nanos())) {
            pump();
        }
    }

    /** A call that is {@linkplain BatchedCall#isAbandoned abandoned} will not be answered. */
    public void lost(BatchedCall call) {
        call.round().failed++;
        late(call);
    }

    private void finished(BatchedCall call) {
        call.end();
        ended(call.round());
    }

    /** A call is needed no more; the last of a round ends it. */
    private void ended(CallBatch round) {
        if (!rounds.heard(round, loop.nanos())) {
            answers.deliverSoon();
            if (!waiting.isEmpty() && rounds.isNextFree(loop)) {
                wakeup.ringAnyhow(); // some of it were put back
            }
            return;
        }
        // Before the next round goes: who is told in this very loop asks again at once, and goes with it.
        answers.deliver();
        resume();
        pump();
    }

    private void sweep() {
        collect();
        expire(loop.nanos());
        pump();
        long never = loop.nanos() + Long.MAX_VALUE / 4;
        long earliest = waiting.earliest(rounds.earliest(never));
        if (earliest != never) {
            timer.atLatest(earliest);
            collect();
        }
    }

    private void expire(long now) {
        waiting.expire(now, each -> answers.settle(each, StoreFailure.TIMEOUT));
        boolean waitedInVain = !answers.isEmpty();
        rounds.expire(now, each -> answers.settle(each, StoreFailure.TIMEOUT));
        if (waitedInVain) {
            rounds.stuck(now);
        }
    }

    /** The carrier is connected. */
    public void up() {
        pump();
    }

    /** The carrier is not connected any more. */
    public void down() {
        collect();
        pump();
    }
}
