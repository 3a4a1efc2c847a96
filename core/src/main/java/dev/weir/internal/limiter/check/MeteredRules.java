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
import dev.weir.internal.region.RegionStores;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.store.Check;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
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
    /** Where each rule that regions share counts; null for any other. */
    private final @Nullable RegionStores[] regions;

    private boolean anyRegional;
    private boolean anyPermits;
    private final boolean[] leasedPermits;
    private boolean anyLeasedPermits;
    /** The costs of each rule that has them; empty if no rule has costs, or counts another unit than requests. */
    private final @Nullable EndpointCostTable[] costs;

    /** The capacity of each rule that is one; empty if no rule is. */
    private final @Nullable ServiceCapacity[] capacities;

    private MeteredRules(RuleIndex index, SharedStores stores, LimiterSettings settings, CapacityGates gates) {
        int count = index.rules().size();
        this.index = index;
        this.meters = new Meter[count];
        this.shares = new Meter[count];
        this.storeIndexes = new int[count];
        this.leased = new boolean[count];
        this.leasedPermits = new boolean[count];
        this.reportStores = new int[count];
        this.regions = new RegionStores[count];
        Arrays.fill(reportStores, Check.LOCAL);
        Arrays.fill(storeIndexes, Check.LOCAL);
        this.costs = costs(index);
        this.capacities = gates.capacities(index.rules());
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
     * Prepares the rules of {@code index} for counting; those of services keep their gates in {@code gates}.
     *
     * @throws IllegalArgumentException if a limit cannot be counted, or a rule's store does not exist
     */
    public static MeteredRules of(RuleIndex index, SharedStores stores, LimiterSettings settings, CapacityGates gates) {
        return new MeteredRules(index, stores, settings, gates);
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
        shareWithRegions(rule, storeIndex, stores);
        if (rule.consistency() == Consistency.REPORTED && canBeAhead(rule, limit, settings)) {
            reportStores[rule.ordinal()] = storeIndex;
            anyReported |= storeIndex != Check.LOCAL;
        } else if (rule.consistency() != Consistency.LOCAL) {
            storeIndexes[rule.ordinal()] = storeIndex;
            leased[rule.ordinal()] = storeIndex != Check.LOCAL
                    && rule.consistency() == Consistency.LEASED
                    && canBeAhead(rule, limit, settings);
            boolean levels = storeIndex != Check.LOCAL
                    && rule.consistency() == Consistency.LEASED
                    && limit.algorithm() == Algorithm.CONCURRENCY
                    && !settings.quota();
            leasedPermits[rule.ordinal()] = levels;
            anyLeasedPermits |= levels;
            if (leased[rule.ordinal()]) {
                byId.put(rule.domain() + "\n" + rule.id(), rule);
                anyLeased = true;
            }
        }
        // Reported rules need it too: a counter without room in the tier is asked exactly, and may get no
        // answer.
        if (rule.onFail() == OnFail.LOCAL && rule.consistency() != Consistency.LOCAL) {
            Limit shared = rule.isCapacity() ? ServiceCapacity.forOthers(rule, limit, rule.reserve()) : limit;
            shares[rule.ordinal()] = Meters.of(LocalShare.of(shared, settings.shareOf(rule)));
        }
    }

    private void shareWithRegions(Rule rule, int storeIndex, SharedStores stores) {
        Map<String, String> others = rule.scope().others();
        if (!others.isEmpty() && storeIndex != Check.LOCAL) {
            List<Integer> indexes = others.values().stream().map(stores::place).toList();
            regions[rule.ordinal()] = new RegionStores(storeIndex, List.copyOf(others.keySet()), indexes);
            anyRegional = true;
        }
    }

    /**
     * Whether hits of the rule can be taken ahead of the decision. A shaper's delay needs the shared queue, and quotas
     * deny only together; these are asked exactly. Permits are {@linkplain #leasesPermits leased} in another way.
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

    /** Whether this process counts the permits of {@code rule} by itself, up to a level that the store grants. */
    public boolean leasesPermits(@Nullable Rule rule) {
        return rule != null && leasedPermits[rule.ordinal()];
    }

    /** Whether there is any such rule. */
    public boolean anyLeasedPermits() {
        return anyLeasedPermits;
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

    /** Whether regions share the counters of some rule. */
    public boolean anyRegional() {
        return anyRegional;
    }

    /** Where the regions that share the counters of {@code rule} count; null if none do. */
    @Nullable
    public RegionStores regions(Rule rule) {
        return regions[rule.ordinal()];
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

    /** Whether some rule is the capacity of a service. */
    public boolean anyCapacity() {
        return capacities.length > 0;
    }

    /** The capacity that {@code rule} is; null if it is none. Only if {@link #anyCapacity}. */
    @Nullable
    ServiceCapacity capacity(Rule rule) {
        return capacities[rule.ordinal()];
    }

    /** The meter of {@code rule}, or null if it is unlimited. */
    @Nullable
    Meter meter(Rule rule) {
        ServiceCapacity capacity = anyCapacity() ? capacities[rule.ordinal()] : null;
        return capacity == null ? meters[rule.ordinal()] : capacity.meter();
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
