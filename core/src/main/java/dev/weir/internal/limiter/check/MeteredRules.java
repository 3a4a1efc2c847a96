package dev.weir.internal.limiter.check;

import dev.weir.Algorithm;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.store.Check;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A rule index with what each rule needs to be counted, found by the rule's ordinal: its meter, and where it counts. */
public final class MeteredRules {
    /** Lets nothing pass: how a rule denies what lacks its key, in one decision with everything else. */
    public static final Meter DENY = Meters.of(Limit.fixedWindow(0, Duration.ofSeconds(1)));

    private final RuleIndex index;
    private final @Nullable Meter[] meters;
    /** What a rule with {@code on_fail: local} enforces in this process. */
    private final @Nullable Meter[] shares;

    private final int[] places;
    private final boolean[] leased;
    private final Map<String, Rule> byId = new HashMap<>();
    private boolean anyLeased;
    /** Where a rule that is decided here reports to, or {@link Check#LOCAL}. */
    private final int[] reportPlaces;

    private boolean anyReported;

    private MeteredRules(RuleIndex index, SharedStores stores, LimiterSettings settings) {
        int count = index.rules().size();
        this.index = index;
        this.meters = new Meter[count];
        this.shares = new Meter[count];
        this.places = new int[count];
        this.leased = new boolean[count];
        this.reportPlaces = new int[count];
        Arrays.fill(reportPlaces, Check.LOCAL);
        Arrays.fill(places, Check.LOCAL);
        for (Rule rule : index.rules()) {
            Limit limit = rule.limit();
            if (limit != null) {
                meters[rule.ordinal()] = meter(rule, limit);
                share(rule, limit, stores, settings);
            }
        }
    }

    /**
     * Prepares the rules of {@code index} for counting.
     *
     * @throws IllegalArgumentException if a limit cannot be counted, or a rule's store does not exist
     */
    public static MeteredRules of(RuleIndex index, SharedStores stores, LimiterSettings settings) {
        return new MeteredRules(index, stores, settings);
    }

    private static Meter meter(Rule rule, Limit limit) {
        String refusal = Meters.refusal(limit);
        if (refusal != null) {
            throw new IllegalArgumentException(rule + ": " + refusal);
        }
        return Meters.of(limit);
    }

    private void share(Rule rule, Limit limit, SharedStores stores, LimiterSettings settings) {
        int place;
        try {
            place = stores.place(rule.store());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(rule + ": " + e.getMessage(), e);
        }
        if (rule.consistency() == Consistency.REPORTED && canBeAhead(rule, limit, settings)) {
            reportPlaces[rule.ordinal()] = place;
            anyReported |= place != Check.LOCAL;
        } else if (rule.consistency() != Consistency.LOCAL) {
            places[rule.ordinal()] = place;
            leased[rule.ordinal()] = place != Check.LOCAL
                    && rule.consistency() == Consistency.LEASED
                    && canBeAhead(rule, limit, settings);
            if (leased[rule.ordinal()]) {
                byId.put(rule.domain() + "\n" + rule.id(), rule);
                anyLeased = true;
            }
        }
        // Also for what is reported: a counter that finds no room in the tier is asked exactly, and may have no answer.
        if (rule.onFail() == OnFail.LOCAL && rule.consistency() != Consistency.LOCAL) {
            shares[rule.ordinal()] = Meters.of(LocalShare.of(limit, settings.shareOf(rule)));
        }
    }

    /** A shaper's delay needs the queue that all share, and quotas deny only together: these are asked exactly. */
    private static boolean canBeAhead(Rule rule, Limit limit, LimiterSettings settings) {
        return limit.algorithm() != Algorithm.LEAKY_BUCKET && !rule.quota() && !settings.quota();
    }

    /** Whether hits of one of the rules are taken ahead of time. */
    public boolean isLeased(Rule rule) {
        return leased[rule.ordinal()];
    }

    /** Whether hits that were leased under {@code before}, a rule of another index, may be spent under this one. */
    public boolean leasesAlike(Rule before) {
        Rule now = byId.get(before.domain() + "\n" + before.id());
        return now != null
                && Objects.equals(now.limit(), before.limit())
                && now.store().equals(before.store())
                && now.leaseIntervalMicros() == before.leaseIntervalMicros();
    }

    /** The place of the store that one of the rules, which is decided here, reports to; {@link Check#LOCAL} if it does not. */
    public int reportPlace(Rule rule) {
        return reportPlaces[rule.ordinal()];
    }

    public boolean anyReported() {
        return anyReported;
    }

    public boolean anyLeased() {
        return anyLeased;
    }

    public RuleIndex index() {
        return index;
    }

    /** The meter of one of the rules, or null where it says {@code unlimited}. */
    @Nullable
    Meter meter(Rule rule) {
        return meters[rule.ordinal()];
    }

    /** What this process enforces of one of the rules while its store does not answer; null if it does not say {@code local}. */
    @Nullable
    public Meter share(Rule rule) {
        return shares[rule.ordinal()];
    }

    /** Which of the shared stores counts for one of the rules, or {@link Check#LOCAL}. */
    int place(Rule rule) {
        return places[rule.ordinal()];
    }
}
