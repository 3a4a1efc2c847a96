package dev.weir.redis;

import dev.weir.redis.script.Batch;
import dev.weir.redis.script.Reply;
import dev.weir.store.StoreFailure;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The way to Redis over one connection: while a round of calls is under way, what arrives waits for the next one.
 *
 * <h2>Concurrency</h2>
 *
 * Any thread {@linkplain #add adds}; all else happens in the event loop of the connection, so that nothing is locked. The loop is
 * woken for the first of a round only: {@code awake} says that it will look at the intake anyhow.
 *
 * <h2>Deadlines</h2>
 *
 * One timer, set to the earliest deadline. It fires in the loop that also reads replies. Where it fires late, it is we who were
 * paused, and the answers may be there already: they are read first. What has left a round never sees its reply: see
 * {@link Pending#leave}. A round that everybody left is abandoned, and the next one goes.
 */
final class Lane implements Line.User, Call.Sender {
    private static final int MAX_CALLS = 512;
    private static final int MAX_ABANDONED = 16;
    private static final int MAX_TRIES = 3;
    private static final int MAX_REDIRECTS = 5;
    private static final int KEPT_BATCHES = 64;

    private final Node node;
    private final Line line;
    private final EventLoop loop;
    private final ScriptCommands commands;
    private final RedisStats stats;
    private final Intake intake;
    private final AtomicBoolean awake = new AtomicBoolean();
    private final DeadlineTimer timer;
    private final WaitingLine waiting = new WaitingLine();
    private final Answers answers = new Answers();
    private final ArrayDeque<Batch> batches = new ArrayDeque<>();
    private @Nullable Round round;
    /** Rounds that everybody left, and of which calls are still out. */
    private int abandoned;

    private boolean delivering;

    Lane(Node node, Line.Factory lines, ScriptCommands commands, RedisStats stats, int maxWaiting) {
        this.node = node;
        this.line = lines.line(this);
        this.loop = line.loop();
        this.commands = commands;
        this.stats = stats;
        this.intake = new Intake(maxWaiting);
        this.timer = new DeadlineTimer(loop, this::sweep);
    }

    Line line() {
        return line;
    }

    /** Asks that wait, or are under way. */
    int waiting() {
        return intake.waiting();
    }

    /** Takes up {@code pending}, from any thread; who waits for it is told, also if that is at once. */
    void add(Pending pending) {
        StoreFailure down = line.down();
        if (down != null && !line.isNew()) {
            refuse(pending, down);
        } else if (!intake.add(pending)) {
            refuse(pending, StoreFailure.OVERLOADED);
        } else if (timer.isAfter(pending.deadlineNanos)) {
            wakeNow();
        } else if (!awake.get()) {
            // Whoever asks again and then blocks, which nobody should, waits no longer than until the timer: only if it
            // is
            // set.
            boolean held = timer.isBy(pending.deadlineNanos) && Cork.ofThread().holds(this);
            if (!held) {
                wakeUp();
            }
        }
    }

    /** Has the loop look at the intake, unless it will anyhow. */
    void wakeUp() {
        if (!awake.get() && awake.compareAndSet(false, true)) {
            wakeNow();
        }
    }

    private void wakeNow() {
        try {
            loop.execute(this::wake);
        } catch (RejectedExecutionException e) {
            wake(); // the event loops are gone, and with them everyone who might be there
        }
    }

    private void refuse(Pending pending, StoreFailure failure) {
        stats.failed(failure, 1);
        Delivery.fail(pending, failure);
    }

    private void wake() {
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
            if (!waiting.isEmpty() && line.isNew()) {
                break;
            } else if (!waiting.isEmpty() && line.down() != null) {
                failWaiting(line.down());
            } else if (!waiting.isEmpty() && node.isOpen()) {
                failWaiting(StoreFailure.OPEN);
            } else if (!waiting.isEmpty()) {
                if (abandoned >= MAX_ABANDONED) {
                    break;
                }
                send();
            } else {
                awake.set(false);
                if (intake.isEmpty() || !awake.compareAndSet(false, true)) {
                    break;
                }
                collect();
            }
        }
        deliver();
    }

    private void send() {
        Round next = new Round();
        round = next;
        Pending each;
        while ((each = waiting.peek()) != null && take(next, each)) {
            waiting.poll();
        }
        List<ScriptCall> out = new ArrayList<>(next.calls.size());
        for (Call call : next.calls) {
            Pending first = Round.owner(call.batch.group(0));
            call.write(Round.earliest(call, first.deadlineNanos), out);
        }
        next.outstanding = next.calls.size();
        line.send(out);
    }

    private boolean take(Round next, Pending pending) {
        Call call = next.callFor(pending.slot, pending.asking);
        if (call != null && !pending.alone && call.batch.add(pending.group)) {
            return true;
        }
        if (next.calls.size() == MAX_CALLS) {
            return false;
        }
        Batch batch = batches.isEmpty() ? new Batch() : batches.pop();
        batch.add(pending.group);
        next.calls.add(new Call(batch, pending.slot, pending.asking, commands, line, stats, next, this));
        return true;
    }

    @Override
    public void replied(Call call, List<Object> reply) {
        if (call.round.abandoned) {
            stats.late.increment();
            late(call);
            return;
        }
        long now = System.nanoTime();
        Reply read = read(call, reply);
        if (call.batch.timeMicros() > 0) {
            line.clock().sample(call.sentNanos, now, call.batch.timeMicros());
        }
        switch (read) {
            case DONE -> {
                line.served();
                stats.answered.add(call.batch.groups());
                settle(call, null);
            }
            case EXPIRED -> {
                stats.expired.increment();
                tryAgain(call, now);
            }
            case BROKEN -> {
                stats.mismatches.increment();
                node.mismatched(null);
                failed(call, StoreFailure.BROKEN);
            }
        }
        finished(call);
    }

    private Reply read(Call call, List<Object> reply) {
        try {
            return call.batch.read(reply);
        } catch (RuntimeException e) {
            node.mismatched(e);
            return Reply.BROKEN;
        }
    }

    @Override
    public void failed(Call call, StoreFailure failure, @Nullable String error) {
        if (call.round.abandoned) {
            late(call);
        } else if (error != null && redirected(call, error)) {
            stats.redirects.increment();
            finished(call);
        } else if (error != null && Failures.code(error).equals("TRYAGAIN")) {
            tryAlone(call);
            finished(call);
        } else {
            failed(call, failure);
            if (error == null) {
                line.renew(line.generation(), failure, "the connection was lost");
            } else {
                node.complained(line, error);
            }
            finished(call);
        }
    }

    private void failed(Call call, StoreFailure failure) {
        call.round.failed++;
        settle(call, failure);
    }

    /** Sends those who wait on to where Redis says they should have gone; nothing was charged here. */
    private boolean redirected(Call call, String error) {
        Redirect redirect = Redirect.of(error);
        Node target = redirect == null ? null : node.redirected(redirect);
        if (redirect == null || target == null) {
            return false;
        }
        int moved = 0;
        for (int i = 0; i < call.batch.groups(); i++) {
            Pending each = Round.owner(call.batch.group(i));
            if (each.isWaited() && ++each.tries <= MAX_REDIRECTS) {
                moved++;
                each.asking = redirect.ask();
                target.lane(each.subject()).add(each);
            } else {
                settle(each, StoreFailure.UNAVAILABLE);
            }
        }
        intake.done(moved);
        return true;
    }

    /** Half of the keys have moved to another node: each goes alone, for it is either here or there. */
    private void tryAlone(Call call) {
        for (int i = call.batch.groups() - 1; i >= 0; i--) {
            Pending each = Round.owner(call.batch.group(i));
            if (each.isWaited() && ++each.tries <= MAX_REDIRECTS) {
                each.alone = true;
                waiting.putBack(each);
            } else {
                settle(each, StoreFailure.UNAVAILABLE);
            }
        }
    }

    /** Nothing was charged: those who still have time go first in the next round. */
    private void tryAgain(Call call, long now) {
        for (int i = call.batch.groups() - 1; i >= 0; i--) {
            Pending each = Round.owner(call.batch.group(i));
            if (each.isWaited() && ++each.tries < MAX_TRIES && each.deadlineNanos - now > 0) {
                waiting.putBack(each);
            } else {
                settle(each, StoreFailure.TIMEOUT);
            }
        }
    }

    private void settle(Call call, @Nullable StoreFailure failure) {
        for (int i = 0; i < call.batch.groups(); i++) {
            settle(Round.owner(call.batch.group(i)), failure);
        }
    }

    private void settle(Pending each, @Nullable StoreFailure failure) {
        if (each.isWaited()) {
            if (failure != null) {
                stats.failed(failure, 1);
                each.fail(failure);
            }
            answers.add(each);
        }
    }

    /** The call needs its batch no more; the last of a round ends it. */
    private void finished(Call call) {
        recycle(call);
        Round ended = call.round;
        if (--ended.outstanding > 0) {
            deliverSoon();
            return;
        }
        round = null;
        long took = System.nanoTime() - ended.sentNanos;
        if (2 * ended.failed >= ended.calls.size()) {
            node.failed(took);
        } else {
            node.succeeded(took);
        }
        collect();
        pump();
    }

    private void recycle(Call call) {
        call.batch.clear();
        if (batches.size() < KEPT_BATCHES) {
            batches.push(call.batch);
        }
    }

    private void late(Call call) {
        recycle(call);
        if (--call.round.outstanding == 0) {
            abandoned--;
            pump();
        }
    }

    private void sweep(long now) {
        collect();
        waiting.expire(now, each -> settle(each, StoreFailure.TIMEOUT));
        Round current = round;
        if (current != null && !current.expire(now, each -> settle(each, StoreFailure.TIMEOUT))) {
            current.abandoned = true;
            abandoned++;
            round = null;
            node.failed(now - current.sentNanos);
        } else if (current == null && !answers.isEmpty()) {
            node.failed(0); // so many rounds are out that none went for those who waited
        }
        pump();
        long never = now + Long.MAX_VALUE / 4;
        long earliest = waiting.earliest(round == null ? never : round.earliest(never));
        if (earliest != never) {
            timer.atLatest(earliest);
            collect();
        }
    }

    @Override
    public void up() {
        stats.connects.increment();
        node.up();
        pump();
    }

    @Override
    public void down(StoreFailure failure, String reason) {
        node.down(failure, reason);
        collect();
        pump();
    }

    /** What waits will not be sent for now. */
    private void failWaiting(@Nullable StoreFailure failure) {
        Pending each;
        while ((each = waiting.poll()) != null) {
            settle(each, failure);
        }
    }

    private void deliverSoon() {
        if (!delivering) {
            delivering = true;
            loop.execute(this::deliver);
        }
    }

    private void deliver() {
        delivering = false;
        if (!answers.isEmpty()) {
            intake.done(answers.size());
            answers.deliver();
        }
    }
}
