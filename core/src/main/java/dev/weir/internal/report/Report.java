package dev.weir.internal.report;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;

/** Tells the store what passed here since the last time. One for each counter, used again. */
final class Report extends Ask {
    private final ReportedCounter counter;
    private long askedMicros;

    Report(ReportedCounter counter, Check like, int place) {
        this.counter = counter;
        Check check = checks.add();
        check.set(like);
        check.store = place;
        check.countsDenied = false;
    }

    Check check() {
        return checks.get(0);
    }

    /** Hits that passed are taken as far as they fit, one by one; those that came back go back. */
    void ready(long hits, long nowMicros, long deadline) {
        Check check = checks.get(0);
        check.hits = Math.min(0, hits);
        check.ahead = Math.max(0, hits);
        check.granted = 0;
        check.role = hits < 0 ? Check.Role.SHADOW : Check.Role.ENFORCE;
        askedMicros = nowMicros;
        deadlineNanos = deadline;
    }

    @Override
    public void answered() {
        counter.answered(checks.get(0), askedMicros);
    }
}
