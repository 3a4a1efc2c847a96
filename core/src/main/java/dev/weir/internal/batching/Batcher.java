package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import dev.weir.internal.store.DeadlineExtension;
import dev.weir.internal.store.RequestCost;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Batches the asks that go to a store over one connection. Asks that arrive while a batch is in flight wait for the
 * next one. A slow batch is overtaken: see {@link InFlightBatches}.
 *
 * <h2>Concurrency</h2>
 *
 * <p>Any thread may {@linkplain #add add}. Everything else happens in the event loop of the connection, so nothing is
 * locked. Only the first ask of a batch wakes the loop: see {@link LoopWakeup}.
 *
 * <h2>Deadlines</h2>
 *
 * <p>One timer is set to the earliest deadline. It fires in the loop that also reads replies. An ask that has left a
 * batch never sees its reply: see {@link QueuedAsk#leave}. A batch that every ask has left is abandoned, and the next
 * one is sent.
 *
 * <p>If this loop runs late, this process was stalled, and the deadlines are extended: see {@link DeadlineExtension}.
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

    /** Creates a batcher in {@code loop} that holds at most {@code maxWaiting} asks at a time, as far as memory allows. */
    public Batcher(BatchingLoop loop, BatchTransport carrier, int maxWaiting, AskMemory memory) {
        this.loop = loop;
        this.carrier = carrier;
        this.intake = new SubmissionQueue(maxWaiting, memory);
        this.wakeup = new LoopWakeup(loop, this::look);
        this.answers = new CompletionQueue(loop, intake, carrier);
        this.uncharged = new RetryPolicy(intake, waiting, answers);
        this.timer = new DeadlineTimer(loop, this::sweep, this::paused);
        this.rounds = new InFlightBatches(carrier, loop.nanos());
    }

    /** The number of asks that wait or are in flight. */
    public int waiting() {
        return intake.waiting();
    }

    /** Accepts {@code pending} from any thread. It is answered in any case, possibly at once. */
    public void add(QueuedAsk pending) {
        StoreFailure down = carrier.down();
        if (down != null && !carrier.isNew()) {
            refuse(pending, down);
        } else if (pending.group.cost() > RequestCost.MAX_STEP) {
            refuse(pending, StoreFailure.OVERLOADED); // the limiter refuses such requests before
        } else if (!intake.add(pending)) {
            refuse(pending, StoreFailure.OVERLOADED);
        } else if (timer.isAfter(pending.deadlineNanos)) {
            wakeup.ringAnyhow();
        } else if (!wakeup.isAwake()) {
            // A caller that asks again and then blocks (none should) waits until the timer at most. So the wakeup is
            // deferred only if the timer is set.
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

    /** Makes up for a pause, if there was one, and collects new asks. */
    private void resume() {
        timer.look();
        collect();
    }

    private void paused(long nanos) {
        long owed = DeadlineExtension.afterStall(nanos, carrier.patienceNanos());
        waiting.forEach(each -> each.extend(owed));
        rounds.forEach(each -> each.extend(owed));
        rounds.paused(owed);
        wakeup.ringAnyhow(); // a batch may be overtaken by now
    }

    private void collect() {
        do {
            QueuedAsk first = intake.takeAll();
            long now = first == null ? 0 : loop.nanos();
            for (QueuedAsk each = first; each != null; each = each.next) {
                if (wasStalled(each, now)) {
                    each.extend(now - each.arrivedNanos);
                }
                timer.atLatest(each.deadlineNanos);
            }
            waiting.add(first);
            // The timer is set before this reads the intake, and a thread that adds reads the timer after adding. So
            // one of the two sees the other.
        } while (!intake.isEmpty());
    }

    /** Whether an ask waited because this loop was stalled. */
    private boolean wasStalled(QueuedAsk waits, long now) {
        return DeadlineExtension.isStall(now - waits.arrivedNanos, rounds.longestNanos());
    }

    /** Sends the next batch if none is in flight, or if the last one is overdue. */
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

    /** Whether asks must wait though no batch holds them up. */
    private boolean isHeld() {
        return carrier.isNew() || (rounds.isFull() && carrier.down() == null && !carrier.isOpen());
    }

    private void send() {
        long now = loop.nanos();
        CallBatch next = new CallBatch(now);
        QueuedAsk each;
        while ((each = waiting.peek()) != null) {
            if (wasStalled(each, now) && now - each.deadlineNanos >= DeadlineTimer.GRAIN_NANOS) {
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

    /** Fails all waiting asks; they are not sent for now. */
    private void failWaiting(@Nullable StoreFailure failure) {
        QueuedAsk each;
        while ((each = waiting.poll()) != null) {
            answers.settle(each, failure);
        }
    }

    /** Reports that every check of {@code call} has its outcome. */
    public void decided(BatchedCall call) {
        resume();
        answers.settle(call, null);
        finished(call);
    }

    /** Reports that {@code call} was refused, or that it is unknown whether it charged anything. */
    public void failed(BatchedCall call, StoreFailure failure) {
        failed(call, failure, () -> {});
    }

    /** The same; {@code then} runs before the next batch is sent. */
    public void failed(BatchedCall call, StoreFailure failure, Runnable then) {
        call.round().failed++;
        unserved(call, failure, then);
    }

    /** The same, for a failure that does not speak against the store's health: it serves others. */
    public void unserved(BatchedCall call, StoreFailure failure, Runnable then) {
        resume();
        answers.settle(call, failure);
        call.end();
        then.run();
        ended(call.round());
    }

    /** Reports that {@code call} reached the store after its deadline and charged nothing. */
    public void expired(BatchedCall call) {
        resume();
        uncharged.goAgain(call, loop.nanos(), carrier.patienceNanos() / 2);
        finished(call);
    }

    /**
     * Reports that {@code call} charged nothing because its counters are on two servers at the moment. Each counter
     * alone is on one of them.
     */
    public void divided(BatchedCall call) {
        resume();
        uncharged.goAlone(call);
        finished(call);
    }

    /**
     * Reports that {@code call} charged nothing and belongs to another server: {@code onward} gives the batcher for
     * each ask.
     */
    public void redirected(BatchedCall call, boolean asking, Function<QueuedAsk, Batcher> onward) {
        resume();
        uncharged.goOn(call, asking, loop.nanos(), onward);
        finished(call);
    }

    /** Reports the reply of an {@linkplain BatchedCall#isAbandoned abandoned} call. */
    public void late(BatchedCall call) {
        resume();
        call.end();
        if (rounds.heard(call.round(), loop.nanos())) {
            pump();
        }
    }

    /** Reports that an {@linkplain BatchedCall#isAbandoned abandoned} call will have no reply. */
    public void lost(BatchedCall call) {
        call.round().failed++;
        late(call);
    }

    private void finished(BatchedCall call) {
        call.end();
        ended(call.round());
    }

    /** Counts a call of a batch as ended; the last one ends the batch. */
    private void ended(CallBatch round) {
        if (!rounds.heard(round, loop.nanos())) {
            answers.deliverSoon();
            if (!waiting.isEmpty() && rounds.isNextFree(loop)) {
                wakeup.ringAnyhow(); // some asks were put back
            }
            return;
        }
        // Deliver before the next batch is sent: callers in this very loop ask again at once, and join it.
        answers.deliver();
        resume();
        pump();
    }

    private void sweep() {
        try {
            collect();
            expire(loop.nanos());
            pump();
        } finally {
            // Also after an error: nothing else sets the timer for asks that were collected before.
            rearm();
        }
    }

    private void rearm() {
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

    /** Reports that the transport is connected. */
    public void up() {
        pump();
    }

    /** Reports that the transport is disconnected. */
    public void down() {
        collect();
        pump();
    }
}
