package dev.weir.internal.shedding;

/**
 * Computes how many calls may be in flight from the latency of the calls that ended: a gradient with a frozen baseline.
 * Plain arithmetic on windows; not thread-safe.
 *
 * <pre>
 * of a window: R mean latency, F most calls in flight, X calls ended per second
 * calm  no call was refused for a second, and F &lt; 0.75 L
 * B     the baseline: mean R of the first 20 windows; then in calm B += (R − B)/64,
 *       else B += (R − B)/8 if R &lt; B, else frozen: overload must not become the new normal
 * g     clamp(2.5 B / R, 0.5, 1); 1 while R is below the tolerated latency
 * L     the limit, if F ≥ L/2: 0.8 L + 0.2 (g L + (g = 1 ? √L : 0)), within 4 and 1000;
 *       then × 0.9 if more than 5 % of the calls timed out
 * </pre>
 *
 * <p><b>Rebase.</b> A service that became slower for good, for instance by a release, looks like overload. But then a
 * lower limit does not make calls faster; it only costs throughput. If that is seen over 20 windows with g &lt; 1 (first
 * 6 against last 6: L fell by more than 20 %, R by less than 10 %, X by more than 10 %), or if L is at its minimum, then
 * B becomes R/1.5.
 */
class GradientLimit {
    static final double MIN = 4;
    static final double MAX = 1_000;
    private static final double START = 20;
    private static final int LEARNING = 20;
    private static final double TOLERANCE = 2.5;
    private static final double CALM_USE = 0.75;
    private static final double CALM_PACE = 64;
    private static final double FASTER_PACE = 8;
    private static final double MAX_TIMEOUTS = 0.05;
    private static final double TIMEOUT_CUT = 0.9;
    private static final int SLOW_WINDOWS = 20;
    private static final int COMPARED = 6;
    private static final double REBASE = 1.5;

    private final double tolerated;
    private final double[] slowLimits = new double[SLOW_WINDOWS];
    private final double[] slowLatencies = new double[SLOW_WINDOWS];
    private final double[] slowRates = new double[SLOW_WINDOWS];
    private double limit;
    private double baseline;
    private int learnt;
    private int slow;

    /**
     * Creates a limit. A mean latency up to {@code tolerated} is never overload; 0 if only the baseline says what is.
     * Without it the limit starts low, because nothing is known yet.
     */
    GradientLimit(double tolerated) {
        this.tolerated = tolerated;
        this.limit = tolerated > 0 ? MAX : START;
    }

    final double limit() {
        return limit;
    }

    /** The latency without overload. */
    final double baseline() {
        return baseline;
    }

    /**
     * Takes a window into account.
     *
     * @param latency the mean latency of the calls that ended, in the unit of {@code tolerated}
     * @param most the most calls that were in flight at once
     * @param rate calls ended per second
     * @param timeouts the share of the calls that timed out
     * @param refused whether a call was refused in the last second
     */
    final void window(double latency, int most, double rate, double timeouts, boolean refused) {
        baseline = baseline(latency, !refused && most < CALM_USE * limit);
        double gradient = gradient(latency);
        if (most >= limit / 2) {
            double next = gradient * limit + (gradient == 1 ? Math.sqrt(limit) : 0);
            next = 0.8 * limit + 0.2 * next;
            limit = bounded(timeouts > MAX_TIMEOUTS ? next * TIMEOUT_CUT : next);
        }
        rebase(latency, rate, gradient);
    }

    private double baseline(double latency, boolean calm) {
        if (learnt < LEARNING) {
            learnt++;
            return baseline + (latency - baseline) / learnt;
        }
        return learned(baseline, latency, calm);
    }

    /** The baseline after a window; a test replaces it to show what a baseline that is never frozen does. */
    double learned(double baseline, double latency, boolean calm) {
        if (calm) {
            return baseline + (latency - baseline) / CALM_PACE;
        }
        return latency < baseline ? baseline + (latency - baseline) / FASTER_PACE : baseline;
    }

    private double gradient(double latency) {
        double normal = Math.max(TOLERANCE * baseline, tolerated);
        return latency <= normal ? 1 : Math.max(0.5, normal / latency);
    }

    private void rebase(double latency, double rate, double gradient) {
        if (gradient == 1) {
            slow = 0;
            return;
        }
        slowLimits[slow] = limit;
        slowLatencies[slow] = latency;
        slowRates[slow] = rate;
        slow++;
        if (slow < SLOW_WINDOWS) {
            return;
        }
        slow = 0;
        boolean useless = change(slowLimits) < 0.8 && change(slowLatencies) > 0.9 && change(slowRates) < 0.9;
        if (useless || limit == MIN) {
            baseline = mean(slowLatencies, SLOW_WINDOWS - COMPARED) / REBASE;
        }
    }

    /** The mean of the last values, as a multiple of the mean of the first ones. */
    private static double change(double[] values) {
        return mean(values, SLOW_WINDOWS - COMPARED) / mean(values, 0);
    }

    private static double mean(double[] values, int from) {
        double sum = 0;
        for (int i = from; i < from + COMPARED; i++) {
            sum += values[i];
        }
        return sum / COMPARED;
    }

    private static double bounded(double limit) {
        return Math.min(MAX, Math.max(MIN, limit));
    }
}
