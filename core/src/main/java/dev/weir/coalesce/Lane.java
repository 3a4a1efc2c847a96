package dev.weir.coalesce;

import dev.weir.store.StoreFailure;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The way to a store over one connection: while a round of calls is under way, what arrives waits for the next one.
 *
 * <h2>Concurrency</h2>
 *
 * Any thread {@linkplain #add adds}; all else happens in the loop of the connection, so that nothing is locked. The loop is woken for
 * the first of a round only: see {@link Wakeup}.
 *
 * <h2>Deadlines</h2>
 *
 * One timer, set to the earliest deadline. It fires in the loop that also reads replies. Where it fires late, it is we who were
 * paused, and the answers may be there already: they are read first. What has left a round never sees its reply: see
 * {@link Pending#leave}. A round that everybody left is abandoned, and the next one goes.
 */
public final class Lane {
    private static final int MAX_ABANDONED = 16;

    private final Loop loop;
    private final Carrier carrier;
    private final Intake intake;
    private final Wakeup wakeup;
    private final DeadlineTimer timer;
    private final WaitingLine waiting = new WaitingLine();
    private final Answers answers;
    private final Uncharged uncharged;
    private @Nullable Round round;
    /** Rounds that everybody left, and of which calls are still out. */
    private int abandoned;
    /** When it last came back with something, or something was sent while nothing was out. */
    private long silentSince;

    /** A lane in {@code loop}, with no more than so many asks in it at a time. */
    public Lane(Loop loop, Carrier carrier, int maxWaiting) {
        this.loop = loop;
        this.carrier = carrier;
        this.intake = new Intake(maxWaiting);
        this.wakeup = new Wakeup(loop, this::look);
        this.answers = new Answers(loop, intake, carrier);
        this.uncharged = new Uncharged(intake, waiting, answers);
        this.timer = new DeadlineTimer(loop, this::sweep);
    }

    /** Asks that wait, or are under way. */
    public int waiting() {
        return intake.waiting();
    }

    /** Takes up {@code pending}, from any thread; who waits for it is told, also if that is at once. */
    public void add(Pending pending) {
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
            boolean held = timer.isBy(pending.deadlineNanos) && Cork.ofThread().holds(wakeup);
            if (!held) {
                wakeup.ring();
            }
        }
    }

    private void refuse(Pending pending, StoreFailure failure) {
        carrier.unanswered(failure);
        pending.refuse(failure);
    }

    private void look() {
        collect();
        pump();
    }

    private void collect() {
        do {
            Pending first = intake.takeAll();
            for (Pending each = first; each != null; each = each.next) {
                timer.atLatest(each.deadlineNanos);
            }
            waiting.add(first);
            // The timer was set before this looks; who adds looks at the timer afterwards. One of the two sees the
            // other.
        } while (!intake.isEmpty());
    }

    /** Sends the next round if none is under way. */
    private void pump() {
        while (round == null) {
            if (!waiting.isEmpty() && carrier.isNew()) {
                break;
            } else if (!waiting.isEmpty() && carrier.down() != null) {
                failWaiting(carrier.down());
            } else if (!waiting.isEmpty() && carrier.isOpen()) {
                failWaiting(StoreFailure.OPEN);
            } else if (!waiting.isEmpty()) {
                if (abandoned >= MAX_ABANDONED) {
                    break;
                }
                send();
            } else if (wakeup.rests(intake)) {
                break;
            } else {
                collect();
            }
        }
        answers.deliver();
    }

    private void send() {
        long now = loop.nanos();
        Round next = new Round(now);
        Pending each;
        while ((each = waiting.peek()) != null) {
            if (each.deadlineNanos - now <= 0) {
                answers.settle(each, StoreFailure.TIMEOUT);
            } else if (!next.take(each, carrier)) {
                break;
            }
            waiting.poll();
        }
        if (!next.calls.isEmpty()) {
            round = next;
            silentSince = abandoned == 0 ? now : silentSince;
            next.outstanding = next.calls.size();
            carrier.send(next.calls);
        }
    }

    /** What waits will not be sent for now. */
    private void failWaiting(@Nullable StoreFailure failure) {
        Pending each;
        while ((each = waiting.poll()) != null) {
            answers.settle(each, failure);
        }
    }

    /** Every check that {@code call} carries has its outcome. */
    public void decided(Call call) {
        answers.settle(call, null);
        finished(call);
    }

    /** Whether {@code call} charged anything is not known, or it was refused. */
    public void failed(Call call, StoreFailure failure) {
        failed(call, failure, () -> {});
    }

    /** The same, where {@code then} is what follows from it: it is done before the next round goes. */
    public void failed(Call call, StoreFailure failure, Runnable then) {
        call.round().failed++;
        unserved(call, failure, then);
    }

    /** The same, where it says nothing of how the store is: it serves others. */
    public void unserved(Call call, StoreFailure failure, Runnable then) {
        answers.settle(call, failure);
        then.run();
        finished(call);
    }

    /** It came too late and charged nothing. */
    public void expired(Call call) {
        uncharged.goAgain(call, loop.nanos());
        finished(call);
    }

    /** It charged nothing, for its counters live in two places at the moment. Each by itself is either here or there. */
    public void divided(Call call) {
        uncharged.goAlone(call);
        finished(call);
    }

    /** It charged nothing and should have gone elsewhere: {@code onward} says for each by which lane. */
    public void redirected(Call call, boolean asking, Function<Pending, Lane> onward) {
        uncharged.goOn(call, asking, onward);
        finished(call);
    }

    /** A call that is {@linkplain Call#isAbandoned abandoned} was answered. */
    public void late(Call call) {
        call.done();
        Round ended = call.round();
        silentSince = loop.nanos();
        if (--ended.outstanding == 0) {
            abandoned--;
            if (!ended.blamed) {
                judge(ended);
            }
            pump();
        }
    }

    /** A call that is {@linkplain Call#isAbandoned abandoned} will not be answered. */
    public void lost(Call call) {
        call.round().failed++;
        late(call);
    }

    /** Says how it went; something came of the last of its calls just now. */
    private void judge(Round ended) {
        long took = silentSince - ended.sentNanos;
        if (ended.hasFailed()) {
            carrier.failed(took);
        } else {
            carrier.succeeded(took);
        }
    }

    /** The call is needed no more; the last of a round ends it. */
    private void finished(Call call) {
        call.done();
        Round ended = call.round();
        silentSince = loop.nanos();
        if (--ended.outstanding > 0) {
            answers.deliverSoon();
            return;
        }
        round = null;
        judge(ended);
        // Before the next round goes: who is told in this very loop asks again at once, and goes with it.
        answers.deliver();
        collect();
        pump();
    }

    private void sweep(long now) {
        collect();
        waiting.expire(now, each -> answers.settle(each, StoreFailure.TIMEOUT));
        Round current = round;
        if (current != null && !current.expire(now, each -> answers.settle(each, StoreFailure.TIMEOUT))) {
            current.abandoned = true;
            current.blamed = isSilent(now);
            abandoned++;
            round = null;
            if (current.blamed) {
                carrier.failed(now - current.sentNanos);
            }
        } else if (current == null && !answers.isEmpty() && isStuck(now)) {
            carrier.failed(0);
        }
        pump();
        long never = now + Long.MAX_VALUE / 4;
        long earliest = waiting.earliest(round == null ? never : round.earliest(never));
        if (earliest != never) {
            timer.atLatest(earliest);
            collect();
        }
    }

    /** Whether it is the store that takes too long. A caller who has less time than a store needs says nothing of it. */
    private boolean isSilent(long now) {
        return 2 * (now - silentSince) >= carrier.patienceNanos();
    }

    /** Whether nothing goes for those who wait: it is not connected yet, or so many rounds are out. */
    private boolean isStuck(long now) {
        return carrier.isNew() || (abandoned >= MAX_ABANDONED && isSilent(now));
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
