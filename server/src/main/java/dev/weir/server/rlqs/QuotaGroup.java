package dev.weir.server.rlqs;

import dev.weir.OnFail;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The buckets of one name on all streams of this server: they spend from the same counters. */
final class QuotaGroup {
    /** The time that a grant is to last, if the limit is nearly used up: its rest comes back late or never. */
    private static final long SHORT_MICROS = 1_000_000;

    /** The same where the limit has much left: a little more than the five seconds between two reports. */
    static final long LONG_MICROS = 6_000_000;

    /** Of a limit whose demand is not known yet, the part that the first grants of all Envoys may take. */
    private static final int FIRST_PART = 16;

    /** The hits of a first grant that even a small limit gives, if it has them. */
    private static final long FIRST_LEAST = 10;

    /** The most members: as many Envoys as may have connections. */
    static final int MOST_MEMBERS = 10_000;

    /** The members above which a report does not divide a limit anew at once: each division looks at all of them. */
    private static final int MANY_MEMBERS = 100;

    /**
     * The terms on which the rules let a bucket spend.
     *
     * @param assignment how it is assigned
     * @param left the hits that are left of the tightest limit, or of its local share while its store does not answer;
     *     {@code Long.MAX_VALUE} if its failure policy allows all
     * @param perSecond the hits that the tightest limit refills in a second, rounded up
     * @param capacity the hits that the tightest limit can hold
     * @param retryMicros when more may be left
     */
    record Terms(QuotaBucket.Assignment assignment, long left, long perSecond, long capacity, long retryMicros) {

        /** The time in which the limit refills {@code hits}, in microseconds. */
        long refillMicros(long hits) {
            return perSecond == 0 ? Long.MAX_VALUE / 4 : (long) (hits * 1e6 / perSecond);
        }
    }

    private final QuotaBucketId id;
    private final List<QuotaBucket> members = new ArrayList<>();
    private boolean asking;
    private boolean askAgain;
    private boolean awaitsTick;

    QuotaGroup(QuotaBucketId id) {
        this.id = id;
    }

    QuotaBucketId id() {
        return id;
    }

    /** The members, which only {@link #add} and {@link #remove} change. */
    List<QuotaBucket> members() {
        return members;
    }

    void add(QuotaBucket bucket) {
        bucket.place = members.size();
        members.add(bucket);
    }

    /** Removes a member; the last one takes its place, because thousands may leave at once. */
    void remove(QuotaBucket bucket) {
        QuotaBucket last = members.remove(members.size() - 1);
        if (last != bucket) {
            members.set(bucket.place, last);
            last.place = bucket.place;
        }
    }

    /** Whether to divide the limit at the next tick, and not at once, because there are many members; notes that. */
    boolean waitsForTick() {
        awaitsTick = members.size() > MANY_MEMBERS;
        return awaitsTick;
    }

    /** Returns whether the group waited for this tick, and forgets it. */
    boolean tick() {
        boolean waited = awaitsTick;
        awaitsTick = false;
        return waited;
    }

    /** Begins to ask the limiter; returns false if the group asks already, and will ask again after that. */
    boolean begin() {
        askAgain = asking;
        boolean begun = !asking;
        asking = true;
        return begun;
    }

    /** Ends asking; returns whether to ask again. */
    boolean end() {
        asking = false;
        return askAgain;
    }

    /** Reads the terms from a decision on one hit that took nothing, and the ban that holds, if any. */
    static Terms terms(MutableDecision probed, @Nullable BanKind ban, long nowMicros) {
        if (ban != null) {
            // A shadow ban lets all pass, and charges nothing.
            return blanket(ban == BanKind.BAN ? QuotaBucket.Assignment.DENY_ALL : QuotaBucket.Assignment.ALLOW_ALL);
        }
        MutableVerdict tightest = null;
        long least = Long.MAX_VALUE;
        boolean enforced = false;
        for (int i = 0; i < probed.size(); i++) {
            MutableVerdict verdict = probed.verdict(i);
            if (verdict.shadow()) {
                continue; // it counts what passes, and limits nothing
            }
            if (verdict.limit() == null || (verdict.degraded() && !isLocal(verdict))) {
                if (!verdict.allowed()) {
                    return blanket(QuotaBucket.Assignment.DENY_ALL);
                }
                enforced |= verdict.degraded();
            } else {
                enforced = true;
                long left = Math.max(0, verdict.remaining()) / Math.max(1, verdict.hits());
                if (tightest == null || left < least) {
                    tightest = verdict;
                    least = left;
                }
            }
        }
        return enforced ? grant(tightest, least, nowMicros) : blanket(QuotaBucket.Assignment.ALLOW_ALL);
    }

    /** Whether this process counts while the store does not answer, so that its remaining hits are true. */
    private static boolean isLocal(MutableVerdict verdict) {
        Rule rule = verdict.rule();
        return rule != null && rule.onFail() == OnFail.LOCAL;
    }

    /**
     * The requests that may be left for a grant of {@code hits} that {@code denied} denies: less than {@code hits}. The
     * terms may be too large: a region has less left than its store says, and others take hits meanwhile.
     */
    static long leftOf(MutableDecision denied, long hits) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < denied.size(); i++) {
            MutableVerdict verdict = denied.verdict(i);
            if (!verdict.shadow() && verdict.limit() != null && !verdict.allowed()) {
                double part = Math.max(0, verdict.remaining()) / (double) Math.max(1, verdict.hits());
                least = Math.min(least, (long) (part * hits));
            }
        }
        return least == Long.MAX_VALUE ? 0 : Math.min(least, hits - 1); // a ban denies without a limit
    }

    private static Terms blanket(QuotaBucket.Assignment assignment) {
        return new Terms(assignment, 0, 0, 0, 0);
    }

    private static Terms grant(@Nullable MutableVerdict tightest, long left, long nowMicros) {
        var limit = tightest == null ? null : tightest.limit();
        if (tightest == null || limit == null) {
            return new Terms(QuotaBucket.Assignment.GRANT, left, Long.MAX_VALUE, Long.MAX_VALUE, nowMicros);
        }
        long cost = Math.max(1, tightest.hits());
        long windowMicros = Math.max(1, limit.windowMicros());
        long perSecond = (long) Math.ceil(limit.requests() * 1e6 / windowMicros / cost);
        long capacity = limit.capacity() / cost;
        return new Terms(
                QuotaBucket.Assignment.GRANT,
                Math.min(left, capacity),
                perSecond,
                capacity,
                nowMicros + Math.max(0, tightest.retryAfterMicros()));
    }

    /** The time after which a grant of {@code hits} is followed by another: half of the time that a long one lasts. */
    long lasts(long hits, DemandEstimate demand) {
        return hits >= demand.hitsIn(LONG_MICROS) ? LONG_MICROS / 2 : SHORT_MICROS;
    }

    /**
     * Divides what is left by demand, and returns the shares of those members that are {@code needing}. What the others
     * were granted a moment ago is part of what is divided, so that nobody gets more for asking first.
     */
    long[] shares(boolean[] needing, Terms terms, long nowMicros) {
        long[] wants = new long[members.size()];
        long pool = terms.left();
        for (int i = 0; i < wants.length; i++) {
            QuotaBucket bucket = members.get(i);
            wants[i] = wants(bucket, terms);
            if (!needing[i]) {
                long granted = bucket.grantedSince(nowMicros - SHORT_MICROS);
                wants[i] = granted == 0 ? 0 : wants[i];
                pool = Math.max(pool, pool + granted); // saturates
            }
        }
        long[] shares = FairShares.of(wants, pool);
        long left = terms.left();
        for (int i = 0; i < shares.length; i++) {
            shares[i] = needing[i] ? Math.min(shares[i], left) : 0;
            left -= shares[i];
        }
        return shares;
    }

    private long wants(QuotaBucket bucket, Terms terms) {
        long most = AssignmentWriter.MOST_HITS;
        // The demand may be all that a long can hold, if a store does not answer and its failure policy allows.
        return Math.min(most, Math.min(most, wants(bucket.demand(), terms)) + bucket.unpaid());
    }

    private long wants(DemandEstimate demand, Terms terms) {
        if (!demand.isKnown()) {
            long first = Math.max(FIRST_LEAST, terms.capacity() / FIRST_PART / members.size());
            return Math.min(terms.capacity(), Math.max(terms.perSecond(), first));
        }
        long forLong = demand.hitsIn(LONG_MICROS);
        boolean muchLeft = forLong <= terms.left() / (2L * members.size());
        long forShort = demand.hitsIn(SHORT_MICROS);
        // Requests come at random: in a time in which n are expected, √n more are common.
        return Math.max(1, muchLeft ? forLong : forShort + (long) Math.sqrt((double) forShort));
    }
}
