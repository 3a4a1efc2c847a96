package dev.weir.internal.limiter.check;

import dev.weir.OnFail;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.RequestCost;
import dev.weir.internal.tier.LocalTier;
import java.util.function.Consumer;

/**
 * The settings for every rule that does not override them. The first three are switches of the reference service.
 *
 * @param shadow whether every request passes ({@code SHADOW_MODE}); verdicts still tell the truth
 * @param quota whether every rule is in quota mode ({@code QUOTA_MODE})
 * @param chargeDenied if false, a denied request charges none of its descriptors ({@code
 *     STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT})
 * @param deadlineMicros how long a decision may wait for a shared store
 * @param localShare millionths of the limit that this process enforces alone under {@link OnFail#LOCAL}
 * @param onFail the failure policy of limits that requests bring
 * @param tierCounters how many shared counters this process holds data of: the bound of its {@link LocalTier}
 * @param keptKeys how many idempotency keys, over all callers, this process has shared stores keep at a time
 * @param endpointForm the form in which rules in Weir's format compare endpoints
 * @param maxRequestCost the most that a request may cost, in units of {@link RequestCost}
 * @param cacheDenials if false, shared stores are asked about every request, and count every denied one
 */
public record LimiterSettings(
        boolean shadow,
        boolean quota,
        boolean chargeDenied,
        long deadlineMicros,
        int localShare,
        OnFail onFail,
        int tierCounters,
        int keptKeys,
        EndpointForm endpointForm,
        int maxRequestCost,
        boolean cacheDenials) {
    /** Half of Envoy's default timeout. */
    public static final long DEFAULT_DEADLINE_MICROS = 10_000;

    /** Takes 5 MiB from the start; 96 MiB if every counter is leased and has the longest name. */
    public static final int DEFAULT_TIER_COUNTERS = 1 << 16;

    /** Takes about 120 MB of Redis if each key has a different caller and matches two rules. */
    public static final int DEFAULT_KEPT_KEYS = 1 << 18;

    /** All of a limit, in millionths. */
    public static final int WHOLE = 1_000_000;

    public LimiterSettings {
        if (deadlineMicros < 1) {
            throw new IllegalArgumentException("deadline: " + deadlineMicros + " (expected: > 0 microseconds)");
        }
        if (localShare < 1 || localShare > WHOLE) {
            throw new IllegalArgumentException("local_share: " + localShare + " (expected: 1 to 1000000 millionths)");
        }
        if (tierCounters < 1) {
            throw new IllegalArgumentException("tier_counters: " + tierCounters + " (expected: >= 1)");
        }
        if (keptKeys < 1) {
            throw new IllegalArgumentException("kept_keys: " + keptKeys + " (expected: >= 1)");
        }
        if (maxRequestCost < RequestCost.LEAST_MAX) {
            throw new IllegalArgumentException(
                    "max_request_cost: " + maxRequestCost + " (expected: >= " + RequestCost.LEAST_MAX + ")");
        }
    }

    /** Sets the switches, with defaults for shared stores. */
    public LimiterSettings(boolean shadow, boolean quota, boolean chargeDenied) {
        this(
                shadow,
                quota,
                chargeDenied,
                DEFAULT_DEADLINE_MICROS,
                WHOLE,
                OnFail.ALLOW,
                DEFAULT_TIER_COUNTERS,
                DEFAULT_KEPT_KEYS,
                EndpointForm.NORMAL,
                RequestCost.DEFAULT_MAX,
                true);
    }

    public static LimiterSettings defaults() {
        return new LimiterSettings(false, false, true);
    }

    /** Millionths of the limit that this process enforces alone for {@code rule}. */
    public int shareOf(Rule rule) {
        return rule.localShare() == 0 ? localShare : rule.localShare();
    }

    /** These settings with another deadline. */
    public LimiterSettings withDeadlineMicros(long micros) {
        return with(fields -> fields.deadlineMicros = micros);
    }

    /** These settings with another local share. */
    public LimiterSettings withLocalShare(int millionths) {
        return with(fields -> fields.localShare = millionths);
    }

    /** These settings with another failure policy for limits that requests bring. */
    public LimiterSettings withOnFail(OnFail policy) {
        return with(fields -> fields.onFail = policy);
    }

    /** These settings with another bound for the local tier. */
    public LimiterSettings withTierCounters(int counters) {
        return with(fields -> fields.tierCounters = counters);
    }

    /** These settings with another bound for idempotency keys. */
    public LimiterSettings withKeptKeys(int keys) {
        return with(fields -> fields.keptKeys = keys);
    }

    /** These settings with another form of endpoints. */
    public LimiterSettings withEndpointForm(EndpointForm form) {
        return with(fields -> fields.endpointForm = form);
    }

    /** These settings with another bound for the cost of a request. */
    public LimiterSettings withMaxRequestCost(int units) {
        return with(fields -> fields.maxRequestCost = units);
    }

    /** These settings with or without repeating denials of shared stores. */
    public LimiterSettings withCacheDenials(boolean cached) {
        return with(fields -> fields.cacheDenials = cached);
    }

    private LimiterSettings with(Consumer<Fields> change) {
        Fields fields = new Fields(this);
        change.accept(fields);
        return fields.settings();
    }

    /** A copy of settings while one of its fields is changed. */
    private static final class Fields {
        private final LimiterSettings from;
        private long deadlineMicros;
        private int localShare;
        private OnFail onFail;
        private int tierCounters;
        private int keptKeys;
        private EndpointForm endpointForm;
        private int maxRequestCost;
        private boolean cacheDenials;

        Fields(LimiterSettings from) {
            this.from = from;
            deadlineMicros = from.deadlineMicros;
            localShare = from.localShare;
            onFail = from.onFail;
            tierCounters = from.tierCounters;
            keptKeys = from.keptKeys;
            endpointForm = from.endpointForm;
            maxRequestCost = from.maxRequestCost;
            cacheDenials = from.cacheDenials;
        }

        LimiterSettings settings() {
            return new LimiterSettings(
                    from.shadow,
                    from.quota,
                    from.chargeDenied,
                    deadlineMicros,
                    localShare,
                    onFail,
                    tierCounters,
                    keptKeys,
                    endpointForm,
                    maxRequestCost,
                    cacheDenials);
        }
    }
}
