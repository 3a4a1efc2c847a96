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
 * A counter under one limit that this process decides alone and reports. The local store runs its meter; each answer of
 * the shared store corrects it:
 *
 * <pre>
 *   hits left here = hits left in the shared store - hits that passed here since the report, under any limit
 * </pre>
 *
 * <p>Hits that do not fit when they are reported are owed: the nodes together have admitted more than there was. They
 * are reported again with each report, as the counter recovers, and until they are paid nothing passes here. So the
 * excess over the limit is at most what passed in one interval. A fixed window forgets owed hits with its end, a
 * sliding one after its length.
 *
 * <p>Hits of a report without an answer are reported again, because it is unknown whether they were counted. They are
 * not owed, and no more of them are reported than are still used here. So a store that was slow for a while locks
 * nobody out when it is back.
 */
public final class ReportedCounter {
    private static final long IDLE_MICROS = 5_000_000;
    /** How late a report may be in addition to its interval: two ticks of the owner. */
    private static final long LATE_MICROS = 100_000;

    private final CounterKey key;
    private final Reports reports;
    private final Limit limit;
    private final boolean windowed;
    private final Report report;
    private final ReportBacklog backlog = new ReportBacklog();

    private volatile long interval;

    /**
     * Whether a request was denied here since the last report: others may have given hits back, or a new window may
     * have begun.
     */
    private boolean wanted;

    private boolean inFlight;
    /**
     * Whether no tick comes any more. Then a thread that adds hits, and the answer in flight, report the rest at once.
     */
    private boolean retired;

    private long sentMicros;
    private long usedMicros;
    private long answeredMicros;
    /** Whether the store has forgotten the counter, so that earlier reports and their answers mean nothing any more. */
    private boolean forgotten;

    /** Until when unreported hits may be charged; below, the same for hits in flight. */
    private long endsMicros;

    private long sentEndsMicros;
    /** Until when nothing passes if no answer comes. Read without a lock, as are the moments below. */
    private volatile long deniedUntilMicros;
    /** When owed hits should be paid: they have flowed in, and the report that finds them has been answered. */
    private volatile long paidMicros;

    private volatile long resetMicros;

    ReportedCounter(Reports reports, Check check, Rule rule, int storeIndex, long now) {
        this.key = new CounterKey().set(check.key0, check.key1);
        Meter meter = Objects.requireNonNull(check.meter, "meter");
        this.reports = reports;
        this.limit = meter.limit();
        this.windowed = limit.algorithm() == Algorithm.FIXED_WINDOW;
        this.report = new Report(this, check, storeIndex);
        this.interval = rule.reportIntervalMicros();
        this.sentMicros = now;
        this.usedMicros = now;
        this.answeredMicros = now;
    }

    /** Whether {@code check}, reported to the store at {@code storeIndex}, has the limit and store of this counter. */
    boolean isOf(Check check, int storeIndex) {
        Meter meter = check.meter;
        return meter != null && storeIndex() == storeIndex && meter.limit().equals(limit);
    }

    CounterKey key() {
        return key;
    }

    Check check() {
        return report.check();
    }

    int storeIndex() {
        return check().store;
    }

    /** Sets the report interval, microseconds; the rule may have changed it. */
    void setInterval(long micros) {
        if (interval != micros) {
            interval = micros;
        }
    }

    /** The hits that passed here and that the store may not know of yet. */
    synchronized long unreported() {
        return ReportBacklog.saturated(Math.max(0, backlog.fresh()), inFlight ? Math.max(0, backlog.sentFresh()) : 0);
    }

    /** Adds hits that passed at {@code now}, or came back; the counter is as good as new after {@code reset}. */
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

    /** Records a denial at {@code now}. */
    public synchronized void denied(long now) {
        beginInterval(now);
        wanted = true;
        usedMicros = now;
    }

    /** Starts the interval when there is first something to report. */
    private void beginInterval(long now) {
        boolean idle = !inFlight && !wanted && backlog.isEmpty();
        sentMicros = idle && now - sentMicros > interval ? now : sentMicros;
    }

    /**
     * Drops hits whose window has ended, so that the next window is not charged for them. A bucket keeps what it owes.
     */
    private void dropIfOver(long now) {
        if (now >= endsMicros && !backlog.isEmpty()) {
            drop(backlog.dropFresh() + backlog.dropUnconfirmed(0));
            drop(limit.algorithm().isBucket() ? 0 : backlog.dropOwed());
        }
    }

    private void drop(long hits) {
        reports.stats().dropped.add(hits);
    }

    /** Sends a report if one is due at {@code now}; returns whether the counter is idle and may be forgotten. */
    boolean tick(long now, boolean atOnce) {
        synchronized (this) {
            dropIfOver(now);
            boolean nothing = backlog.isEmpty() && (atOnce || !wanted);
            // A clock that was set back makes it due too.
            boolean due = atOnce || now - sentMicros >= interval || now < sentMicros;
            // A report that would arrive after its window is not sent.
            boolean late = windowed && !backlog.isEmpty() && endsMicros - now <= reports.travelMicros();
            if (inFlight || nothing || !due || late) {
                return !inFlight && nothing && now - usedMicros > IDLE_MICROS;
            }
            if (backlog.unconfirmed() > 0) {
                long left = reports.hitsLeft(check(), now);
                drop(backlog.dropUnconfirmed(Math.max(0, limit.capacity() - left)));
            }
            inFlight = true;
            wanted = false;
            sentMicros = now;
            sentEndsMicros = endsMicros;
            report.ready(backlog.send(), now, reports.deadline());
        }
        reports.send(report, storeIndex());
        return false;
    }

    /** Ends the counter: it reports the rest, but no longer corrects the local counter, which has another owner. */
    void retire(long now) {
        synchronized (this) {
            retired = true;
        }
        tick(now, true);
    }

    /** Records that the store has forgotten the counter: the rest is not reported. */
    synchronized void forget() {
        drop(backlog.dropFresh() + backlog.dropUnconfirmed(0) + backlog.dropOwed());
        forgotten = true;
    }

    private synchronized boolean isForgotten() {
        return forgotten;
    }

    /** Records the store's answer or failure. */
    void answered(Check check, long asked) {
        long now = reports.now();
        boolean failed = check.failure != null;
        if (isForgotten()) {
            drop(check.ahead);
        } else if (failed) {
            unanswered(now);
        } else {
            applyAnswer(check, reports.unreportedUnderOtherLimits(this), asked, now);
        }
        if (isLastToReport(!failed)) {
            tick(now, true);
        }
        reports.answered();
    }

    /** Whether hits passed while a report was in flight, and no tick will come to report them. */
    private synchronized boolean isLastToReport(boolean answered) {
        return backlog.fresh() != 0 && (retired || (answered && reports.isFlushing()));
    }

    private synchronized void unanswered(long now) {
        inFlight = false;
        backlog.unanswered();
        if (windowed && (now >= sentEndsMicros || endsMicros != sentEndsMicros)) {
            drop(backlog.dropUnconfirmed(0)); // its window is over, though another has begun here
        }
        if (now - answeredMicros > limit.windowMicros()) {
            drop(backlog.dropOwed()); // hits this old would be charged to later callers
        }
    }

    /** Applies the store's answer. Afterwards nothing is in flight, and a tick may send {@code check} again. */
    private synchronized void applyAnswer(Check check, long otherUnreported, long asked, long now) {
        long owed = correct(check, otherUnreported, asked, now);
        reports.stats().hits.add(check.granted);
        deny(check.outcome, owed, asked);
        inFlight = false;
    }

    /** Corrects the local counter; returns the hits that are owed. */
    private long correct(Check check, long otherUnreported, long asked, long now) {
        answeredMicros = now;
        reports.stats().over.add(backlog.refused(check.ahead - check.granted));
        if (windowed) {
            backlog.dropOwed(); // they end with the window, and until then there is no room anyway
        }
        if (!retired && isOfThisWindow(asked + check.outcome.reset, now)) {
            long since = ReportBacklog.saturated(Math.max(0, backlog.fresh()), otherUnreported);
            reports.correct(check, Math.max(0, check.outcome.remaining - since));
        }
        return backlog.owed();
    }

    /** Whether the window that ends about {@code end}, by the store's clock, is the one counted here at {@code now}. */
    private boolean isOfThisWindow(long end, long now) {
        return !windowed || Math.abs(end - limit.windowEnd(now)) < limit.windowMicros() / 2;
    }

    /** Denies until the owed hits are paid, or the used-up window has ended; the next answers tell when that is. */
    private void deny(Outcome answer, long owed, long asked) {
        boolean over = windowed ? answer.remaining <= 0 : owed > 0;
        long nextAnswer = asked + interval + LATE_MICROS + reports.travelMicros();
        resetMicros = asked + answer.reset;
        paidMicros = windowed ? resetMicros : nextAnswer + limit.inflowMicros(owed);
        deniedUntilMicros = !over ? 0 : windowed ? resetMicros : nextAnswer + interval; // that answer may be lost
    }

    /**
     * Whether the nodes together have admitted so much that nothing passes at {@code now}; then writes the outcome of
     * {@code check}.
     */
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
