package dev.weir.internal.limiter.check;

import dev.weir.OnFail;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.RequestCost;
import dev.weir.internal.tier.LocalTier;

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
        int maxRequestCost) {
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
                RequestCost.DEFAULT_MAX);
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
        return new LimiterSettings(
                shadow,
                quota,
                chargeDenied,
                micros,
                localShare,
                onFail,
                tierCounters,
                keptKeys,
                endpointForm,
                maxRequestCost);
    }

    /** These settings with another local share. */
    public LimiterSettings withLocalShare(int millionths) {
        return new LimiterSettings(
                shadow,
                quota,
                chargeDenied,
                deadlineMicros,
                millionths,
                onFail,
                tierCounters,
                keptKeys,
                endpointForm,
                maxRequestCost);
    }

    /** These settings with another failure policy for limits that requests bring. */
    public LimiterSettings withOnFail(OnFail onFail) {
        return new LimiterSettings(
                shadow,
                quota,
                chargeDenied,
                deadlineMicros,
                localShare,
                onFail,
                tierCounters,
                keptKeys,
                endpointForm,
                maxRequestCost);
    }

    /** These settings with another bound for the local tier. */
    public LimiterSettings withTierCounters(int counters) {
        return new LimiterSettings(
                shadow,
                quota,
                chargeDenied,
                deadlineMicros,
                localShare,
                onFail,
                counters,
                keptKeys,
                endpointForm,
                maxRequestCost);
    }

    /** These settings with another bound for idempotency keys. */
    public LimiterSettings withKeptKeys(int keys) {
        return new LimiterSettings(
                shadow,
                quota,
                chargeDenied,
                deadlineMicros,
                localShare,
                onFail,
                tierCounters,
                keys,
                endpointForm,
                maxRequestCost);
    }

    /** These settings with another form of endpoints. */
    public LimiterSettings withEndpointForm(EndpointForm form) {
        return new LimiterSettings(
                shadow,
                quota,
                chargeDenied,
                deadlineMicros,
                localShare,
                onFail,
                tierCounters,
                keptKeys,
                form,
                maxRequestCost);
    }

    /** These settings with another bound for the cost of a request. */
    public LimiterSettings withMaxRequestCost(int units) {
        return new LimiterSettings(
                shadow,
                quota,
                chargeDenied,
                deadlineMicros,
                localShare,
                onFail,
                tierCounters,
                keptKeys,
                endpointForm,
                units);
    }
}
