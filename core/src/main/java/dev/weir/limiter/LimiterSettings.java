package dev.weir.limiter;

/**
 * Switches that hold for every rule, as the reference service has them.
 *
 * @param shadow every request passes ({@code SHADOW_MODE}); verdicts still tell the truth
 * @param quota every rule is a quota ({@code QUOTA_MODE})
 * @param chargeDenied off: a denied request charges none of its descriptors
 *     ({@code STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT})
 */
public record LimiterSettings(boolean shadow, boolean quota, boolean chargeDenied) {

    public static LimiterSettings defaults() {
        return new LimiterSettings(false, false, true);
    }
}
