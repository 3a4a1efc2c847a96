package dev.weir.internal.queue;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.WaitResult;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.keyby.CounterLabel;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.QueueBounds;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.TakenPermits;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.store.Idempotency;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides requests as the limiter does, and lets those wait whose rules say {@code over}.
 *
 * <h2>Queue</h2>
 *
 * A request that only rules with {@code over: queue} deny waits for its turn. While any request waits for a counter,
 * later ones of that counter join the queue and do not overtake it. When the counter has room again, the first takes its
 * hits from its store like any other request, so the limit holds over all nodes. It is fair between callers: see
 * {@link FairQueue}. A request that would wait for longer than {@code max_wait} is denied at once. If the queue is full,
 * the caller with the most requests in it gives up its last one to a caller with fewer.
 *
 * <h2>Bounds</h2>
 *
 * Each counter has {@code max_waiting} requests at most, and all together {@value #MOST_WAITING}. A request with more
 * than {@value WaitingText#MOST} characters does not wait, nor does one whose {@linkplain Waiter#mayWait waiter} refuses. A
 * wait ends after {@code max_wait}; then the request is denied, unless it is being decided at that moment: that takes the
 * deadline of its store at most.
 *
 * <h2>Concurrency</h2>
 *
 * One lock guards all queues. It is not held while a request is decided or answered. A rule set without {@code over}
 * takes none of this path.
 */
public final class RequestQueues implements AutoCloseable {
    /** The most requests that wait in this process. */
    public static final int MOST_WAITING = QueueBounds.MOST_WAITING;

    private enum Join {
        NONE_WAITS,
        JOINED,
        REFUSED
    }

    private final Limiter limiter;
    private final TimeSource time;
    private final LimiterObserver observer;
    private final DelayedTasks tasks;
    private final Tarpit tarpit;
    private final Shaper shaper;
    private final Object lock = new Object();
    private final Map<Long, CounterQueue> queues = new HashMap<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private boolean closed;

    /** Creates the queues of {@code limiter}; {@code observer} is the limiter's. */
    public RequestQueues(Limiter limiter, TimeSource time, LimiterObserver observer, DelayedTasks tasks) {
        this.limiter = limiter;
        this.time = time;
        this.observer = observer;
        this.tasks = tasks;
        this.tarpit = new Tarpit(tasks);
        this.shaper = new Shaper(tasks, this::releasePermits);
    }

    /** The number of requests that wait for their turn, or until a shaper lets them proceed. */
    public int waiting() {
        return waiting.get() + shaper.held();
    }

    /** The number of denials that {@code tarpit} delays. */
    public int tarpitted() {
        return tarpit.held();
    }

    /**
     * Decides {@code request} as {@link Limiter#decide(Request, long, MutableDecision, WaiterSupplier, Idempotency)}
     * does, except that the decision may take as long as the rules let it wait.
     */
    public boolean decide(
            Request request,
            long nowMicros,
            MutableDecision into,
            WaiterSupplier later,
            @Nullable Idempotency idempotency) {
        RuleIndex index = limiter.index();
        if (!index.mayWait()) {
            return limiter.decide(request, nowMicros, into, later, idempotency);
        }
        if (waiting.get() > 0) {
            switch (joinOthers(request, index, nowMicros, into, later, idempotency)) {
                case JOINED -> {
                    return false;
                }
                case REFUSED -> {
                    return true;
                }
                case NONE_WAITS -> {}
            }
        }
        boolean here = limiter.tryDecide(
                request, nowMicros, into, () -> new FirstTry(later.waiter(), idempotency), idempotency);
        return here && !answersLater(request, into, later::waiter, idempotency);
    }

    /** Joins the queue of a counter for which others wait. If that is refused, {@code into} is the denial. */
    private Join joinOthers(
            Request request,
            RuleIndex index,
            long nowMicros,
            MutableDecision into,
            WaiterSupplier later,
            @Nullable Idempotency idempotency) {
        Matches matches = new Matches();
        index.match(request, matches);
        Rule rule;
        synchronized (lock) {
            Match match = waitedFor(matches);
            if (match == null) {
                return Join.NONE_WAITS;
            }
            rule = Objects.requireNonNull(match.rule());
            long hits = rule.costOf(request.hitsOf(match.descriptor()));
            CounterQueue queue = Objects.requireNonNull(queues.get(match.key0()));
            queue.deny(hits, into, nowMicros, time.nanos());
            WaitingRequest next = new WaitingRequest(request, later.waiter(), idempotency);
            next.decision.set(into);
            if (join(queue, next, rule, hits)) {
                return Join.JOINED;
            }
        }
        nameCounter(request, into);
        observer.waited(rule, WaitResult.REFUSED, 0);
        observer.decided(request, into);
        return Join.REFUSED;
    }

    /** The first match for whose counter others wait; null if there is none. */
    private @Nullable Match waitedFor(Matches matches) {
        for (int i = 0; i < matches.size(); i++) {
            Match match = matches.get(i);
            Rule rule = match.rule();
            if (rule != null && rule.queue() != null && queues.containsKey(match.key0())) {
                return match;
            }
        }
        return null;
    }

    /** Names the counter of a denial that the limiter did not make, if the request asks for that. */
    private void nameCounter(Request request, MutableDecision denial) {
        MutableVerdict binding = denial.binding();
        CounterLabel label =
                request.namesCounter() && binding != null ? limiter.index().counter(request, binding) : null;
        if (label != null) {
            denial.nameCounter(label.text(), label.bucket());
        }
    }

    /** Whether the answer to a decided request comes later; {@code waiter} gets it then. */
    private boolean answersLater(
            Request request, MutableDecision decision, Supplier<Waiter> waiter, @Nullable Idempotency idempotency) {
        if (decision.allowed()) {
            MutableVerdict shaping = WaitingVerdicts.shaping(decision);
            return shaping != null && shape(request, decision, shaping, waiter, idempotency);
        }
        MutableVerdict verdict = WaitingVerdicts.queueing(decision);
        if (verdict != null && queue(new WaitingRequest(request, waiter.get(), idempotency), decision, verdict)) {
            return true;
        }
        observer.decided(request, decision);
        Rule tarpits = WaitingVerdicts.tarpitting(decision);
        if (tarpits != null && tarpit.hold(request, decision, waiter.get(), tarpits.tarpitMicros())) {
            observer.waited(tarpits, WaitResult.TARPITTED, 0);
            return true;
        }
        return false;
    }

    /** Queues a request that was denied by {@code verdict}; false if it may not wait. */
    private boolean queue(WaitingRequest next, MutableDecision decision, MutableVerdict verdict) {
        Rule rule = Objects.requireNonNull(verdict.rule());
        next.decision.set(decision);
        synchronized (lock) {
            CounterQueue queue = queues.get(verdict.counter());
            if (queue == null) {
                queue = new CounterQueue(verdict.counter());
            }
            if (queue.isIdle()) {
                queue.denied(verdict, time.nanos());
            }
            if (join(queue, next, rule, verdict.hits())) {
                return true;
            }
        }
        observer.waited(rule, WaitResult.REFUSED, 0);
        return false;
    }

    /** Adds {@code next} to {@code queue}, if it will have its turn in time. */
    private boolean join(CounterQueue queue, WaitingRequest next, Rule rule, long hits) {
        QueueBounds bounds = rule.queue();
        long nanos = time.nanos();
        if (bounds == null
                || closed
                || !WaitingText.fits(next.request)
                || !queue.isInTime(next, bounds, hits, nanos)
                || !next.waiter.mayWait()) {
            return false;
        }
        if (queue.line.size() >= bounds.maxWaiting() || waiting() >= MOST_WAITING) {
            WaitingRequest last = queue.line.makeRoomFor(next);
            if (last == null) {
                return false;
            }
            crowdedOut(queue, last);
        }
        long micros = next.maxWaitMicros(bounds) - queue.shapedMicros(hits);
        next.begin(
                hits,
                nanos,
                nanos + TimeUnit.MICROSECONDS.toNanos(micros),
                tasks.schedule(() -> expire(queue, next), micros));
        next.waiter.waits(() -> cancel(queue, next));
        boolean first = queue.isIdle();
        queue.line.add(next);
        queues.put(queue.counter, queue);
        waiting.incrementAndGet();
        if (first) {
            queue.schedule(tasks, () -> turn(queue), nanos);
        }
        return true;
    }

    /** Asks for the requests whose turn it is, one after the other, until one is denied again. */
    private void turn(CounterQueue queue) {
        WaitingRequest next = next(queue);
        while (next != null && ask(queue, next) && settled(queue, next)) {
            next = next(queue);
        }
    }

    private @Nullable WaitingRequest next(CounterQueue queue) {
        synchronized (lock) {
            return queue.next();
        }
    }

    /** Decides {@code next}; false if the decision comes later, and continues then. */
    private boolean ask(CounterQueue queue, WaitingRequest next) {
        return limiter.tryDecide(
                next.request,
                time.micros(),
                next.decision,
                () -> new Waiter() {
                    @Override
                    public Executor home() {
                        return task -> {
                            var unused = tasks.schedule(task, 0);
                        };
                    }

                    @Override
                    public void decided(Request ignored, MutableDecision buffer) {
                        next.decision.set(buffer);
                        if (settled(queue, next)) {
                            turn(queue);
                        }
                    }
                },
                next.idempotency);
    }

    /** Takes in the decision on {@code next}; false if it waits for another turn. */
    private boolean settled(CounterQueue queue, WaitingRequest next) {
        MutableVerdict verdict = next.decision.allowed() ? null : WaitingVerdicts.queueing(next.decision);
        boolean again = false;
        boolean elsewhere = false;
        boolean ended;
        synchronized (lock) {
            queue.answered();
            long nanos = time.nanos();
            ended = next.isEnded();
            if (verdict != null && !ended && !next.isExpired(nanos) && !closed) {
                again = verdict.counter() == queue.counter;
                elsewhere = !again;
            }
            if (verdict != null && verdict.counter() == queue.counter) {
                queue.denied(verdict, nanos);
            }
            if (again) {
                queue.line.putBack(next);
            } else {
                if (!ended) {
                    waiting.decrementAndGet();
                    next.end();
                }
            }
            if (again || (verdict != null && !queue.isIdle())) {
                queue.schedule(tasks, () -> turn(queue), nanos);
            }
            removeIfIdle(queue);
        }
        if (again) {
            return false;
        }
        if (ended && next.decision.allowed()) {
            if (next.idempotency == null) { // else a retry is told of this admission
                limiter.holds().abandon(next.request, next.decision);
            }
            deliver(next); // its caller has left, and releases the permits that it got
        } else if (!ended && !(elsewhere && moved(next, Objects.requireNonNull(verdict)))) {
            if (next.decision.allowed() && WaitingVerdicts.shaping(next.decision) != null) {
                ended(next, WaitResult.ADMITTED);
                shaper.holdOn(next.request, next.decision, next.waiter);
            } else {
                answer(next, next.decision.allowed() ? WaitResult.ADMITTED : WaitResult.EXPIRED);
            }
        }
        return verdict == null || verdict.counter() != queue.counter;
    }

    /** Moves a request that another counter denied into the queue of that counter. */
    private boolean moved(WaitingRequest request, MutableVerdict verdict) {
        return queue(
                new WaitingRequest(request.request, request.waiter, request.idempotency), request.decision, verdict);
    }

    private void expire(CounterQueue queue, WaitingRequest late) {
        boolean isDue;
        synchronized (lock) {
            isDue = queue.isDue(time.nanos());
        }
        if (isDue) {
            turn(queue); // a request whose turn is at the end of its wait is still asked for
        }
        synchronized (lock) {
            if (queue.isAsked(late) || !leave(queue, late)) {
                return; // it is answered by the decision under way, or was
            }
            queue.deny(late.hits(), late.decision, time.micros(), time.nanos());
        }
        nameCounter(late.request, late.decision);
        answer(late, WaitResult.EXPIRED);
    }

    /** Denies a request that has to make room for one of a caller with fewer. */
    private void crowdedOut(CounterQueue queue, WaitingRequest last) {
        last.end();
        waiting.decrementAndGet();
        queue.deny(last.hits(), last.decision, time.micros(), time.nanos());
        var unused = tasks.schedule(
                () -> {
                    nameCounter(last.request, last.decision);
                    answer(last, WaitResult.EXPIRED);
                },
                0); // not while the lock is held
    }

    private void cancel(CounterQueue queue, WaitingRequest gone) {
        boolean left;
        synchronized (lock) {
            left = leave(queue, gone);
        }
        if (left) {
            ended(gone, WaitResult.CANCELLED);
        }
    }

    private boolean leave(CounterQueue queue, WaitingRequest gone) {
        if (!gone.end()) {
            return false;
        }
        queue.line.remove(gone);
        waiting.decrementAndGet();
        removeIfIdle(queue);
        return true;
    }

    private void removeIfIdle(CounterQueue queue) {
        if (queue.isIdle()) {
            queue.cancelTurn();
            queues.remove(queue.counter, queue);
        }
    }

    private void answer(WaitingRequest request, WaitResult result) {
        ended(request, result);
        if (!request.decision.allowed()) {
            observer.decided(request.request, request.decision);
        }
        deliver(request);
    }

    private static void deliver(WaitingRequest request) {
        request.waiter.home().execute(() -> request.waiter.decided(request.request, request.decision));
    }

    private void ended(WaitingRequest request, WaitResult result) {
        MutableVerdict verdict = request.decision.binding();
        Rule rule = verdict == null ? null : verdict.rule();
        if (rule != null) {
            observer.waited(rule, result, request.waitedMicros(time.nanos()));
        }
    }

    /**
     * Answers a request that {@code shaping} admitted when its delay is over; false if {@code decision} is the answer now.
     * One that may not wait is denied and gives back what it took, so that nobody leaves ahead of time.
     */
    private boolean shape(
            Request request,
            MutableDecision decision,
            MutableVerdict shaping,
            Supplier<Waiter> waiter,
            @Nullable Idempotency idempotency) {
        if (waiting() < MOST_WAITING && shaper.hold(request, decision, waiter)) {
            return true;
        }
        if (idempotency == null) { // else a retry is told of this admission, and so is this request
            limiter.holds().abandon(request, decision);
            releasePermits(decision);
            Rule rule = Objects.requireNonNull(shaping.rule());
            WaitingVerdicts.deny(decision, shaping);
            nameCounter(request, decision);
            observer.waited(rule, WaitResult.REFUSED, 0);
            observer.decided(request, decision);
        }
        return false;
    }

    private void releasePermits(MutableDecision decision) {
        TakenPermits taken = decision.permits();
        if (taken != null) {
            var unused = limiter.permits().release(taken.held());
        }
    }

    /** Denies all requests that wait, answers those that were admitted, and lets none wait from now on. */
    @Override
    public void close() {
        List<WaitingRequest> all = new ArrayList<>();
        synchronized (lock) {
            closed = true;
            for (CounterQueue queue : List.copyOf(queues.values())) {
                List<WaitingRequest> inLine = new ArrayList<>();
                queue.line.drainTo(inLine);
                inLine.removeIf(each -> !each.end());
                waiting.addAndGet(-inLine.size());
                all.addAll(inLine);
                removeIfIdle(queue);
            }
        }
        all.forEach(each -> answer(each, WaitResult.EXPIRED));
        shaper.close();
    }

    /** Waits for the first decision on a request, which its store makes. */
    private final class FirstTry implements Waiter {
        private final Waiter waiter;
        private final @Nullable Idempotency idempotency;

        FirstTry(Waiter waiter, @Nullable Idempotency idempotency) {
            this.waiter = waiter;
            this.idempotency = idempotency;
        }

        @Override
        public Executor home() {
            return waiter.home();
        }

        @Override
        public long patienceMicros() {
            return waiter.patienceMicros();
        }

        @Override
        public boolean mayWait() {
            return waiter.mayWait();
        }

        @Override
        public void decided(Request request, MutableDecision decision) {
            if (!answersLater(request, decision, () -> waiter, idempotency)) {
                waiter.decided(request, decision);
            }
        }
    }
}
