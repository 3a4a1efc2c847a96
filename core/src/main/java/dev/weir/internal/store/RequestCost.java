package dev.weir.internal.store;

import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.SlotMeter;

/**
 * Counts what a request costs its store, before it runs: a bound on the work of its checks, in units. A unit is one
 * check of a plain token bucket in Redis; the memory store takes a small part of that for it.
 *
 * <h2>Formula</h2>
 *
 * <pre>
 *   token_bucket, gcra, leaky_bucket, fixed_window, sliding_window    1
 *   sliding_window with n sub_windows                                 2 + n / 40
 *   sliding_window_log                                                6 + hits / 500
 *   concurrency                                                       3 + hits, leased 3
 *   an idempotency key                                                3
 * </pre>
 *
 * <p>The memory store keeps each hit of a log for itself, as many as its limit allows; Redis keeps the hits of a moment
 * together. Hits that are given back to them are removed at once, however many. Each permit is a member of its own in
 * Redis, taken or released one by one. A check with a lease costs as much again, with the
 * leased hits. {@code RequestCostRatios} in {@code benchmarks} measures the numbers; {@code docs/performance.md} has
 * the result.
 */
public final class RequestCost {
    /** The most that a request may cost, unless a setting says otherwise. */
    public static final int DEFAULT_MAX = 128;

    /** The least bound that can be set: a request with as many plain checks always passes. */
    public static final int LEAST_MAX = 128;

    /**
     * The most that a shared store does in one step. While it does, it serves nobody else; this is less than a quarter
     * of the usual deadline.
     */
    public static final int MAX_STEP = 256;

    public static final int OF_IDEMPOTENCY_KEY = 3;

    /** The most of the checks of one request that go to a shared store in one call if they can be split over several. */
    public static final int MAX_PART = MAX_STEP - OF_IDEMPOTENCY_KEY;

    private static final int OF_PLAIN = 1;
    private static final int OF_SUB_WINDOWS = 2;
    private static final int SUB_WINDOWS_PER_UNIT = 40;
    private static final int OF_LOG = 6;
    private static final int HITS_PER_UNIT = 500;
    private static final int OF_PERMITS = 3;

    private RequestCost() {}

    /** The cost of a check with {@code meter}. */
    public static long of(Meter meter, long hits) {
        // Nearly all are plain: one comparison for them, and a small method for the JIT.
        return meter instanceof SlotMeter ? OF_PLAIN : ofBlock(meter, hits);
    }

    private static long ofBlock(Meter meter, long hits) {
        return switch (meter.counting()) {
            case BUCKET, FIXED_WINDOW, SLIDING_WINDOW -> OF_PLAIN;
            case SUB_WINDOWS -> OF_SUB_WINDOWS + meter.limit().subWindows() / SUB_WINDOWS_PER_UNIT;
            case PERMITS ->
                OF_PERMITS
                        + Math.min(
                                Math.abs(Math.max(hits, -Long.MAX_VALUE)),
                                meter.limit().requests());
            case PERMIT_LEVELS -> OF_PERMITS;
            case LOG -> OF_LOG + Math.max(0, Math.min(hits, meter.limit().requests())) / HITS_PER_UNIT;
        };
    }

    /** The cost of {@code check} without its lease. */
    public static long of(Check check) {
        return check.meter == null ? 0 : of(check.meter, check.hits);
    }

    /** The cost of the lease of {@code check}; 0 if it asks for none. */
    public static long ofLease(Check check) {
        return check.ahead <= 0 || check.meter == null ? 0 : of(check.meter, check.ahead);
    }
}
