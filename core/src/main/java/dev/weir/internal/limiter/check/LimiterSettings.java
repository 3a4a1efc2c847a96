package dev.weir.internal.limiter.check;

import dev.weir.OnFail;
import dev.weir.internal.model.Rule;
import dev.weir.internal.tier.LocalTier;

/**
 * What holds for every rule that does not say it for itself. The first three are switches of the reference service.
 *
 * @param shadow every request passes ({@code SHADOW_MODE}); verdicts still tell the truth
 * @param quota every rule is a quota ({@code QUOTA_MODE})
 * @param chargeDenied off: a denied request charges none of its descriptors
 *     ({@code STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT})
 * @param deadlineMicros how long a decision may wait for a shared store
 * @param localShare millionths of the limit that this process enforces alone under {@link OnFail#LOCAL}
 * @param onFail what limits that callers give do while their store does not answer
 * @param tierCounters how many counters of shared stores this process knows something of: the bound of its {@link LocalTier}
 * @param keptKeys how many idempotency keys, over all callers, this process has shared stores keep at a time
 */
public record LimiterSettings(
        boolean shadow,
        boolean quota,
        boolean chargeDenied,
        long deadlineMicros,
        int localShare,
        OnFail onFail,
        int tierCounters,
        int keptKeys) {
    /** Half of what Envoy waits. */
    public static final long DEFAULT_DEADLINE_MICROS = 10_000;

    /** 5 MiB from the start; 96 if every one of them is leased and has the longest name there is. */
    public static final int DEFAULT_TIER_COUNTERS = 1 << 16;

    /** Some 120 MB of Redis, where each is of another caller and meets two rules. */
    public static final int DEFAULT_KEPT_KEYS = 1 << 18;

    /** All of a limit. */
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
    }

    /** Those switches, and the defaults for shared stores. */
    public LimiterSettings(boolean shadow, boolean quota, boolean chargeDenied) {
        this(
                shadow,
                quota,
                chargeDenied,
                DEFAULT_DEADLINE_MICROS,
                WHOLE,
                OnFail.ALLOW,
                DEFAULT_TIER_COUNTERS,
                DEFAULT_KEPT_KEYS);
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
        return new LimiterSettings(shadow, quota, chargeDenied, micros, localShare, onFail, tierCounters, keptKeys);
    }

    /** These settings with another share of a limit for a process on its own. */
    public LimiterSettings withLocalShare(int millionths) {
        return new LimiterSettings(
                shadow, quota, chargeDenied, deadlineMicros, millionths, onFail, tierCounters, keptKeys);
    }

    /** These settings with another answer for callers' own limits while their store does not answer. */
    public LimiterSettings withOnFail(OnFail onFail) {
        return new LimiterSettings(
                shadow, quota, chargeDenied, deadlineMicros, localShare, onFail, tierCounters, keptKeys);
    }

    /** These settings for a process that knows something of this many shared counters at a time. */
    public LimiterSettings withTierCounters(int counters) {
        return new LimiterSettings(shadow, quota, chargeDenied, deadlineMicros, localShare, onFail, counters, keptKeys);
    }

    /** These settings for a process that has stores keep this many idempotency keys at a time. */
    public LimiterSettings withKeptKeys(int keys) {
        return new LimiterSettings(shadow, quota, chargeDenied, deadlineMicros, localShare, onFail, tierCounters, keys);
    }
}
