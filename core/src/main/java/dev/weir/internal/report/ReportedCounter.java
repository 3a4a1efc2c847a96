package dev.weir.internal.report;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.counter.CounterKey;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Check;
import java.util.Objects;

/**
 * A counter under one limit that this process decides by itself and reports. The local store runs its meter; each answer of the shared one sets it
 * right:
 *
 * <pre>
 *   room here = room in the shared store - what passed here, under whatever limit, since it was told
 * </pre>
 *
 * <p>What did not fit when it was reported is owed: the nodes together have let more pass than there was. It is told again with each
 * report, as the counter recovers, and until it is paid nothing passes here. So what is let pass beyond the limit is never more than
 * what passed in one interval. A fixed window forgets what is owed with its end, one that slides after its length.
 *
 * <p>What a report carried that had no answer is told once more, for nobody knows whether it was counted; but it is not owed, and no
 * more of it is told than is still used here. So a store that was slow for a while locks nobody out when it is back.
 */
public final class ReportedCounter {
    private static final long IDLE_MICROS = 5_000_000;
    /** How late a report may be beside its interval: two ticks of whoever owns this. */
    private static final long LATE_MICROS = 100_000;

    private final CounterKey key;
    private final Reports reports;
    private final Limit limit;
    private final boolean windowed;
    private final Report report;
    private final ReportBacklog backlog = new ReportBacklog();

    private volatile long interval;

    /** Somebody was denied here since the store was last asked: others may have given back, or its window may have begun. */
    private boolean wanted;

    private boolean underWay;
    /** Whether no tick comes any more: whoever still adds to it, and the answer that is under way, have the rest told at once. */
    private boolean retired;

    private long sentMicros;
    private long usedMicros;
    private long answeredMicros;
    /** Whether the store has forgotten it: what it was told before, and answers to that, mean nothing any more. */
    private boolean forgotten;

    /** Until when what is unreported may be charged, and that of what is under way. */
    private long endsMicros;

    private long sentEndsMicros;
    /** Until when nothing passes if no answer comes. Read without a lock, as are the moments below. */
    private volatile long deniedUntilMicros;
    /** When what is owed should be paid: it has flowed in, and the report that finds it has been answered. */
    private volatile long paidMicros;

    private volatile long resetMicros;

    ReportedCounter(Reports reports, Check check, Rule rule, int place, long now) {
        this.key = new CounterKey().set(check.key0, check.key1);
        Meter meter = Objects.requireNonNull(check.meter, "meter");
        this.reports = reports;
        this.limit = meter.limit();
        this.windowed = limit.algorithm() == Algorithm.FIXED_WINDOW;
        this.report = new Report(this, check, place);
        this.interval = rule.reportIntervalMicros();
        this.sentMicros = now;
        this.usedMicros = now;
        this.answeredMicros = now;
    }

    /** Whether {@code check}, of which the store at {@code place} is told, is about what this reports. */
    boolean isOf(Check check, int place) {
        Meter meter = check.meter;
        return meter != null && place() == place && meter.limit().equals(limit);
    }

    CounterKey key() {
        return key;
    }

    Check check() {
        return report.check();
    }

    int place() {
        return check().store;
    }

    /** How often the store is told, microseconds: the rule may have changed that. */
    void tellEvery(long micros) {
        if (interval != micros) {
            interval = micros;
        }
    }

    /** What passed here and the store may not know of yet. */
    synchronized long untold() {
        return ReportBacklog.saturated(Math.max(0, backlog.fresh()), underWay ? Math.max(0, backlog.sentFresh()) : 0);
    }

    /** Notes that {@code hits} passed at {@code now}, or came back; the counter is as good as new after {@code reset}. */
    public void add(long hits, long reset, long now) {
        boolean atOnce;
        synchronized (this) {
            dropIfOver(now);
            beginInterval(now);
            endsMicros = Math.max(endsMicros, now + (windowed ? reset : limit.windowMicros()));
            backlog.add(hits);
            usedMicros = now;
            atOnce = retired;
        }
        if (atOnce) {
            tick(now, true);
        }
    }

    /** Notes that somebody was denied at {@code now}. */
    public synchronized void denied(long now) {
        beginInterval(now);
        wanted = true;
        usedMicros = now;
    }

    /** An interval begins with the first that there is to say. */
    private void beginInterval(long now) {
        boolean idle = !underWay && !wanted && backlog.isEmpty();
        sentMicros = idle && now - sentMicros > interval ? now : sentMicros;
    }

    /** What a window left over is not charged to the next one. What a bucket owes, it owes. */
    private void dropIfOver(long now) {
        if (now >= endsMicros && !backlog.isEmpty()) {
            drop(backlog.dropFresh() + backlog.dropAgain(0));
            drop(limit.algorithm().isBucket() ? 0 : backlog.dropOwed());
        }
    }

    private void drop(long hits) {
        reports.stats().dropped.add(hits);
    }

    /** Reports what is due at {@code now}; whether there has been nothing to report for so long that the counter may go. */
    boolean tick(long now, boolean atOnce) {
        synchronized (this) {
            dropIfOver(now);
            boolean nothing = backlog.isEmpty() && (atOnce || !wanted);
            // A clock that was set back makes it due too.
            boolean due = atOnce || now - sentMicros >= interval || now < sentMicros;
            // What would arrive after its window is not sent.
            boolean late = windowed && !backlog.isEmpty() && endsMicros - now <= reports.travelMicros();
            if (underWay || nothing || !due || late) {
                return !underWay && nothing && now - usedMicros > IDLE_MICROS;
            }
            if (backlog.again() > 0) {
                long room = reports.room(check(), now);
                drop(backlog.dropAgain(Math.max(0, limit.capacity() - room)));
            }
            underWay = true;
            wanted = false;
            sentMicros = now;
            sentEndsMicros = endsMicros;
            report.ready(backlog.send(), now, reports.deadline());
        }
        reports.send(report, place());
        return false;
    }

    /** Ends it: what there is left to say is said, but the copy of the counter is another's to set right. */
    void retire(long now) {
        synchronized (this) {
            retired = true;
        }
        tick(now, true);
    }

    /** The store has forgotten it: what there is left to say is not said. */
    synchronized void forget() {
        drop(backlog.dropFresh() + backlog.dropAgain(0) + backlog.dropOwed());
        forgotten = true;
    }

    private synchronized boolean isForgotten() {
        return forgotten;
    }

    /** The store has answered or failed. */
    void answered(Check check, long asked) {
        long now = reports.now();
        boolean failed = check.failure != null;
        if (isForgotten()) {
            drop(check.ahead);
        } else if (failed) {
            unanswered(now);
        } else {
            takeIn(check, reports.untoldBeside(this), asked, now);
        }
        if (isLastToTell(!failed)) {
            tick(now, true);
        }
        reports.answered();
    }

    /** Whether something passed while a report was under way, and no tick will come to tell it. */
    private synchronized boolean isLastToTell(boolean answered) {
        return backlog.fresh() != 0 && (retired || (answered && reports.isFlushing()));
    }

    private synchronized void unanswered(long now) {
        underWay = false;
        backlog.unanswered();
        if (windowed && (now >= sentEndsMicros || endsMicros != sentEndsMicros)) {
            drop(backlog.dropAgain(0)); // its window is over, though another has begun here
        }
        if (now - answeredMicros > limit.windowMicros()) {
            drop(backlog.dropOwed()); // as old as that, it would be charged to those who come later
        }
    }

    /** Takes in what the store said; once nothing is under way, a tick may send {@code check} anew. */
    private synchronized void takeIn(Check check, long beside, long asked, long now) {
        long owed = setRight(check, beside, asked, now);
        reports.stats().hits.add(check.granted);
        deny(check.outcome, owed, asked);
        underWay = false;
    }

    /** Sets the local view right; returns what is owed. */
    private long setRight(Check check, long beside, long asked, long now) {
        answeredMicros = now;
        reports.stats().over.add(backlog.refused(check.ahead - check.granted));
        if (windowed) {
            backlog.dropOwed(); // with its window, and until that ends there is no room anyway
        }
        if (!retired && isOfThisWindow(asked + check.outcome.reset, now)) {
            long since = ReportBacklog.saturated(Math.max(0, backlog.fresh()), beside);
            reports.setRight(check, Math.max(0, check.outcome.remaining - since));
        }
        return backlog.owed();
    }

    /** Whether the window that ends about {@code end}, by the store's clock, is the one that is counted here at {@code now}. */
    private boolean isOfThisWindow(long end, long now) {
        long window = limit.windowMicros();
        long endHere = now - Math.floorMod(now, window) + window;
        return !windowed || Math.abs(end - endHere) < window / 2;
    }

    /** Nothing passes until what is owed is paid, or the window that is used up has ended; when that is, the next answers say. */
    private void deny(Outcome told, long owed, long asked) {
        boolean over = windowed ? told.remaining <= 0 : owed > 0;
        long nextAnswer = asked + interval + LATE_MICROS + reports.travelMicros();
        resetMicros = asked + told.reset;
        paidMicros = windowed ? resetMicros : nextAnswer + limit.inflowMicros(owed);
        deniedUntilMicros = !over ? 0 : windowed ? resetMicros : nextAnswer + interval; // that one may be lost
    }

    /** Whether the nodes together have let so much pass that nothing does at {@code now}; the outcome of {@code check} says so then. */
    public boolean denies(Check check, long now) {
        long left = deniedUntilMicros - now;
        if (left <= 0) {
            return false;
        }
        denied(now);
        Outcome out = check.outcome;
        out.allowed = false;
        out.remaining = 0;
        out.reset = Math.max(0, resetMicros - now);
        long wait = paidMicros + limit.inflowMicros(check.hits) - now;
        out.retryAfter = check.hits > limit.capacity() ? Outcome.NEVER : wait > 0 ? wait : left;
        out.delay = 0;
        reports.stats().denied.increment();
        return true;
    }
}
