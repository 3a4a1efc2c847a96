package dev.weir.report;

import dev.weir.algorithm.Meter;
import dev.weir.model.Algorithm;
import dev.weir.model.Limit;
import dev.weir.model.Rule;
import dev.weir.store.Check;
import dev.weir.store.CounterKey;
import java.util.Objects;

/**
 * A counter that this process decides by itself and reports. The local store runs its meter; each answer of the shared one sets it
 * right:
 *
 * <pre>
 *   room here = room in the shared store - what passed here since it was told
 * </pre>
 *
 * What did not fit when it was reported is a debt: the nodes together have let more pass than there was. It is told again with the
 * next report, as the counter recovers, and until it is paid nothing passes here. So what is let pass beyond the limit is never more
 * than what passed in one interval. A fixed window forgets its debt with its end.
 */
public final class ReportedCounter extends CounterKey {
    private static final long IDLE_MICROS = 5_000_000;

    private final Reports reports;
    private final Limit limit;
    private final Report report;
    private final long interval;

    /** What passed here and was not reported, but for {@link #underWay}. */
    private long unreported;

    private long underWay;
    private long sentMicros;
    private long usedMicros;
    /** Whether the store has forgotten it: what it was told before, and answers to that, mean nothing any more. */
    private boolean dropped;

    /** Until when what is unreported may be charged. */
    private long endsMicros;

    ReportedCounter(Reports reports, Check check, Rule rule, int place, long now) {
        set(check.key0, check.key1);
        Meter meter = Objects.requireNonNull(check.meter, "meter");
        this.reports = reports;
        this.limit = meter.limit();
        this.report = new Report(this, check, place);
        this.interval = rule.reportIntervalMicros();
        this.sentMicros = now;
        this.usedMicros = now;
    }

    boolean isOf(Check check) {
        Meter meter = check.meter;
        return meter != null && meter.limit().equals(limit);
    }

    /** Notes that {@code hits} passed at {@code now}, or came back; the counter is as good as new after {@code reset}. */
    public synchronized void add(long hits, long reset, long now) {
        dropIfOver(now);
        if (unreported == 0) {
            sentMicros = underWay == 0 && now - sentMicros > interval ? now : sentMicros;
        }
        boolean windowed = limit.algorithm() == Algorithm.FIXED_WINDOW;
        endsMicros = Math.max(endsMicros, now + (windowed ? reset : limit.windowMicros()));
        unreported = saturated(unreported, hits);
        usedMicros = now;
    }

    private static long saturated(long sum, long more) {
        long after = sum + more;
        boolean wrapped = ((sum ^ after) & (more ^ after)) < 0;
        return wrapped ? (more < 0 ? -Long.MAX_VALUE : Long.MAX_VALUE) : after;
    }

    /** What a window left over is not charged to the next one. */
    private void dropIfOver(long now) {
        if (unreported != 0 && now >= endsMicros) {
            reports.stats().dropped.add(Math.max(0, unreported));
            unreported = 0;
        }
    }

    /** Reports what is due at {@code now}; whether there has been nothing to report for so long that the counter may go. */
    boolean tick(long now, boolean atOnce) {
        synchronized (this) {
            dropIfOver(now);
            boolean due = atOnce || now - sentMicros >= interval;
            // What would arrive after its window is not sent.
            boolean inTime = limit.algorithm() != Algorithm.FIXED_WINDOW || endsMicros - now > reports.travelMicros();
            if (underWay != 0 || unreported == 0 || !due || !inTime) {
                return underWay == 0 && unreported == 0 && now - usedMicros > IDLE_MICROS;
            }
            underWay = unreported;
            unreported = 0;
            sentMicros = now;
            report.ready(underWay, now, reports.deadline());
        }
        reports.send(report, report.check().store);
        return false;
    }

    synchronized void drop() {
        reports.stats().dropped.add(Math.max(0, unreported));
        unreported = 0;
        dropped = true;
    }

    /** The store has answered: the local view is set right, and what did not fit is owed. */
    void answered(Check check, long asked) {
        long debt = check.ahead - check.granted;
        boolean counts;
        synchronized (this) {
            long sent = underWay;
            underWay = 0;
            counts = check.failure == null && !dropped;
            if (dropped) {
                reports.stats().dropped.add(Math.max(0, sent));
            } else if (check.failure != null) {
                // Whether it was counted is unknown: rather twice than never.
                unreported = saturated(unreported, sent);
            } else {
                long since = Math.max(0, unreported);
                reports.setRight(check, Math.max(0, check.outcome.remaining - since));
                boolean windowed = limit.algorithm() == Algorithm.FIXED_WINDOW;
                unreported = windowed ? unreported : saturated(unreported, debt);
            }
        }
        if (counts) {
            reports.stats().hits.add(check.granted);
            reports.stats().over.add(debt);
            deny(check, debt, asked);
        }
        reports.answered();
    }

    /** Nothing passes until the debt is paid; when that is, the next reports say. */
    private void deny(Check check, long debt, long asked) {
        Check told = new Check();
        told.set(check);
        told.hits = 1;
        told.outcome.set(check.outcome);
        told.outcome.allowed = debt == 0;
        if (debt > 0) {
            boolean windowed = limit.algorithm() == Algorithm.FIXED_WINDOW;
            told.outcome.retryAfter = windowed ? check.outcome.reset : 2 * interval;
            told.outcome.remaining = 0;
        }
        reports.tell(told, asked);
    }
}
