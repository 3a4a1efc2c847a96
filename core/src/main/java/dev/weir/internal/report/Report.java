package dev.weir.internal.report;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;

/** Reports the hits that passed here since the last report. Each counter reuses one. */
final class Report extends Ask {
    private final ReportedCounter counter;
    private long askedMicros;

    Report(ReportedCounter counter, Check like, int storeIndex) {
        this.counter = counter;
        Check check = checks.add();
        check.set(like);
        check.store = storeIndex;
        check.countsDenied = false;
    }

    Check check() {
        return checks.get(0);
    }

    /** Prepares a report: hits that passed are taken as far as they fit, one by one; negative hits are given back. */
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
