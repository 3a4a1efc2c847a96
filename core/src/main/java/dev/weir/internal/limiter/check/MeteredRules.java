package dev.weir.internal.limiter.check;

import dev.weir.Algorithm;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.match.pattern.EndpointCostTable;
import dev.weir.internal.model.EndpointCosts;
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
    /**
     * A meter that denies everything. A rule denies with it, in one decision with the other checks, a request that
     * lacks its key.
     */
    public static final Meter DENY = Meters.of(Limit.fixedWindow(0, Duration.ofSeconds(1)));

    private final RuleIndex index;
    private final @Nullable Meter[] meters;
    /** The meters that rules with {@code on_fail: local} enforce in this process. */
    private final @Nullable Meter[] shares;

    private final int[] storeIndexes;
    private final boolean[] leased;
    private final Map<String, Rule> byId = new HashMap<>();
    private boolean anyLeased;
    /** The index of the store that a rule decided here reports to, or {@link Check#LOCAL}. */
    private final int[] reportStores;

    private boolean anyReported;
    private boolean anyPermits;
    /** The costs of each rule that has them; empty if no rule has costs, or counts another unit than requests. */
    private final @Nullable EndpointCostTable[] costs;

    private MeteredRules(RuleIndex index, SharedStores stores, LimiterSettings settings) {
        int count = index.rules().size();
        this.index = index;
        this.meters = new Meter[count];
        this.shares = new Meter[count];
        this.storeIndexes = new int[count];
        this.leased = new boolean[count];
        this.reportStores = new int[count];
        Arrays.fill(reportStores, Check.LOCAL);
        Arrays.fill(storeIndexes, Check.LOCAL);
        this.costs = costs(index);
        for (Rule rule : index.rules()) {
            Limit limit = rule.limit();
            if (limit != null) {
                meters[rule.ordinal()] = meter(rule, limit);
                anyPermits |= limit.algorithm() == Algorithm.CONCURRENCY;
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

    private static @Nullable EndpointCostTable[] costs(RuleIndex index) {
        boolean any = index.rules().stream()
                .anyMatch(each -> each.costs() != null || !each.unit().equals(Rule.REQUESTS));
        @Nullable
        EndpointCostTable[] costs = new EndpointCostTable[any ? index.rules().size() : 0];
        Map<EndpointCosts, EndpointCostTable> compiled = new HashMap<>();
        for (Rule rule : index.rules()) {
            EndpointCosts written = rule.costs();
            if (written != null) {
                costs[rule.ordinal()] =
                        compiled.computeIfAbsent(written, each -> new EndpointCostTable(each, index.endpointForm()));
            }
        }
        return costs;
    }

    private static Meter meter(Rule rule, Limit limit) {
        String refusal = Meters.refusal(limit);
        if (refusal != null) {
            throw new IllegalArgumentException(rule + ": " + refusal);
        }
        return Meters.of(limit);
    }

    private void share(Rule rule, Limit limit, SharedStores stores, LimiterSettings settings) {
        int storeIndex;
        try {
            storeIndex = stores.place(rule.store());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(rule + ": " + e.getMessage(), e);
        }
        if (rule.consistency() == Consistency.REPORTED && canBeAhead(rule, limit, settings)) {
            reportStores[rule.ordinal()] = storeIndex;
            anyReported |= storeIndex != Check.LOCAL;
        } else if (rule.consistency() != Consistency.LOCAL) {
            storeIndexes[rule.ordinal()] = storeIndex;
            leased[rule.ordinal()] = storeIndex != Check.LOCAL
                    && rule.consistency() == Consistency.LEASED
                    && canBeAhead(rule, limit, settings);
            if (leased[rule.ordinal()]) {
                byId.put(rule.domain() + "\n" + rule.id(), rule);
                anyLeased = true;
            }
        }
        // Reported rules need it too: a counter without room in the tier is asked exactly, and may get no
        // answer.
        if (rule.onFail() == OnFail.LOCAL && rule.consistency() != Consistency.LOCAL) {
            shares[rule.ordinal()] = Meters.of(LocalShare.of(limit, settings.shareOf(rule)));
        }
    }

    /**
     * Whether the rule can be decided ahead of the store. A shaper's delay needs the shared queue, permits are counted
     * where any process can release them, and quotas deny only together; these are asked exactly.
     */
    private static boolean canBeAhead(Rule rule, Limit limit, LimiterSettings settings) {
        return limit.algorithm() != Algorithm.LEAKY_BUCKET
                && limit.algorithm() != Algorithm.CONCURRENCY
                && !rule.quota()
                && !settings.quota();
    }

    /** Whether hits of {@code rule} are leased. */
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

    /**
     * The index of the store that {@code rule}, which is decided here, reports to; {@link Check#LOCAL} if it does not.
     */
    public int reportPlace(Rule rule) {
        return reportStores[rule.ordinal()];
    }

    public boolean anyReported() {
        return anyReported;
    }

    /** Whether some rule has {@code costs}, or counts another unit than requests. */
    boolean anyPriced() {
        return costs.length > 0;
    }

    /** The costs of {@code rule}; null if it has none. Only if {@link #anyPriced}. */
    @Nullable
    EndpointCostTable costs(Rule rule) {
        return costs[rule.ordinal()];
    }

    public boolean anyLeased() {
        return anyLeased;
    }

    /** Whether any rule limits concurrency. */
    public boolean anyPermits() {
        return anyPermits;
    }

    public RuleIndex index() {
        return index;
    }

    /** The meter of {@code rule}, or null if it is unlimited. */
    @Nullable
    Meter meter(Rule rule) {
        return meters[rule.ordinal()];
    }

    /**
     * The meter of the share that this process enforces while the rule's store does not answer; null without {@code
     * local}.
     */
    @Nullable
    public Meter share(Rule rule) {
        return shares[rule.ordinal()];
    }

    /** The index of the shared store that counts for {@code rule}, or {@link Check#LOCAL}. */
    int storeIndex(Rule rule) {
        return storeIndexes[rule.ordinal()];
    }
}
