package dev.weir.server.rlqs;

import dev.weir.internal.model.BanKind;
import dev.weir.internal.ruleset.RuleIndex;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** One bucket as one Envoy has it: its demand, its assignment, and its grants whose spending is not known yet. */
final class QuotaBucket {
    /** The kinds of assignments. */
    enum Assignment {
        NONE,
        /** No rule limits the bucket. */
        ALLOW_ALL,
        /** A ban or a failure policy denies the bucket. */
        DENY_ALL,
        /** Hits that were paid for. */
        GRANT,
        /** Nothing was left to grant. */
        EXHAUSTED
    }

    /** The least time between two grants, so that a bucket of one second is never full in between. */
    static final long PERIOD_MICROS = 500_000;

    /** An assignment is renewed after this time, well before Envoy would let it expire. */
    static final long RENEW_MICROS = 10_000_000;

    /** An assignment younger than this is not compared with the rules at a report. */
    private static final long CHECKED_MICROS = 1_000_000;

    /** The time after which an Envoy that does not report is taken for gone: three reports. */
    private static final long SILENT_MICROS = 15_000_000;

    /** The most requests without a grant that a bucket is charged for. */
    private static final long MOST_UNPAID = 1_000;

    /** The most requests that are counted at once for what passed unlimited; an Envoy may lie about them. */
    private static final long MOST_COUNTED = AssignmentWriter.MOST_HITS;

    /**
     * The rules and the ban by which a bucket was assigned.
     *
     * @param rules the rule index, compared by identity: a reload, a switch or an override makes another one
     */
    record InForce(RuleIndex rules, @Nullable BanKind ban) {}

    private final QuotaStream stream;
    private final QuotaGroup group;
    private final DemandEstimate demand;
    private final GrantLedger ledger;
    /** Its place among the members of its group, which the group sets. */
    int place;

    private Assignment assignment = Assignment.NONE;
    private long assignedMicros;
    private long granted;
    private long retryMicros;
    private long unpaid;
    private int idleReports;
    private long reportedMicros;
    private boolean gone;
    private @Nullable InForce known;
    private boolean outdated;
    private long passed;

    /** Creates a bucket of which {@code unpaid} requests passed before anybody knew of it; an Envoy may lie about it. */
    QuotaBucket(QuotaStream stream, QuotaGroup group, GrantLedger ledger, long unpaid, long nowMicros) {
        this.stream = stream;
        this.group = group;
        this.ledger = ledger;
        this.unpaid = Math.min(unpaid, MOST_UNPAID);
        this.demand = new DemandEstimate(nowMicros);
        this.reportedMicros = nowMicros;
    }

    QuotaStream stream() {
        return stream;
    }

    QuotaGroup group() {
        return group;
    }

    DemandEstimate demand() {
        return demand;
    }

    GrantLedger ledger() {
        return ledger;
    }

    Assignment assignment() {
        return assignment;
    }

    /** Whether the stream ended or the bucket was abandoned. */
    boolean isGone() {
        return gone;
    }

    void gone() {
        gone = true;
    }

    /** Counts reports in a row without a request; returns their number. */
    int reported(boolean idle, long nowMicros) {
        reportedMicros = nowMicros;
        idleReports = idle ? idleReports + 1 : 0;
        return idleReports;
    }

    /** Compares {@code now} with what was in force when it was assigned: a difference asks for another assignment. */
    void compare(InForce now) {
        InForce before = known;
        outdated |= before != null && (before.rules() != now.rules() || before.ban() != now.ban());
    }

    /** Notes by which rules and ban it is being assigned. */
    void knows(InForce now) {
        known = now;
        outdated = false;
    }

    /** Notes {@code more} requests that passed unlimited and are to be counted; returns whether they are the first. */
    boolean passed(long more) {
        boolean first = passed == 0;
        passed = Math.min(MOST_COUNTED, passed + Math.min(more, MOST_COUNTED));
        return first;
    }

    /** Takes the requests that are to be counted. */
    long takePassed() {
        long taken = passed;
        passed = 0;
        return taken;
    }

    /** Notes a new assignment of {@code hits}, 0 unless it is a grant, that is to last until {@code retryMicros}. */
    void assigned(Assignment next, long hits, long nowMicros, long retryMicros) {
        assignment = next;
        granted = hits;
        assignedMicros = nowMicros;
        this.retryMicros = retryMicros;
    }

    /** The requests that passed without a grant, and are not paid for yet. */
    long unpaid() {
        return unpaid;
    }

    /** Pays for such requests with a part of {@code hits}; returns that part. */
    long pay(long hits) {
        long part = Math.min(unpaid, hits);
        unpaid -= part;
        return part;
    }

    /** Notes that nothing was left to grant, and when there may be something again. */
    void exhausted(long retryMicros) {
        this.retryMicros = retryMicros;
    }

    /** The hits of its newest grant, if that is younger than {@code sinceMicros}; else 0. */
    long grantedSince(long sinceMicros) {
        return assignment == Assignment.GRANT && assignedMicros > sinceMicros ? granted : 0;
    }

    /** This bucket as operators see it. */
    QuotaHolding holding() {
        return new QuotaHolding(
                stream.peer(),
                group.id().attributes(),
                assignment.name().toLowerCase(Locale.ROOT),
                ledger.open(),
                demand.isKnown() ? demand.hitsIn(1_000_000) : 0);
    }

    /** Whether Envoy would soon let the assignment expire. */
    boolean isOld(long nowMicros) {
        return nowMicros - assignedMicros >= RENEW_MICROS;
    }

    /**
     * Whether it needs another assignment between two reports. An Envoy that stopped to report gets none, and one that
     * does not read its assignments gets no more of them.
     */
    boolean needs(long nowMicros) {
        if (nowMicros - reportedMicros > SILENT_MICROS || stream.isBehind()) {
            return false;
        }
        if (assignment == Assignment.NONE || outdated || isOld(nowMicros)) {
            return true;
        }
        if (assignment == Assignment.ALLOW_ALL || assignment == Assignment.DENY_ALL || nowMicros < retryMicros) {
            return false;
        }
        return !demand.isKnown() || wantsMore(nowMicros);
    }

    private boolean wantsMore(long nowMicros) {
        long elapsed = nowMicros - assignedMicros;
        long likelySpent = demand.hitsIn(elapsed);
        return likelySpent > 0 && (likelySpent >= granted || elapsed >= group.lasts(granted, demand));
    }

    /** Whether a report asks for another assignment: overrides may have changed, or the grant is far too large. */
    boolean needsAfterReport(long nowMicros) {
        return needs(nowMicros)
                || (!stream.isBehind()
                        && (nowMicros - assignedMicros >= CHECKED_MICROS
                                || assignment == Assignment.ALLOW_ALL
                                || assignment == Assignment.DENY_ALL
                                || (demand.isKnown() && granted > 8 + 4 * demand.hitsIn(QuotaGroup.LONG_MICROS))));
    }
}
