package dev.weir.simulation.accuracy;

import dev.weir.Limit;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.traffic.Flow;
import dev.weir.simulation.traffic.FlowSettings;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Compares the estimate of a sliding window counter with the exact log, request by request, as Cloudflare did with 400
 * million requests. Both count every request, and each says whether the caller is over its limit.
 *
 * <pre>
 *   estimate = current + previous * (window - elapsed) / window        exact = requests in (now - window, now]
 * </pre>
 *
 * @see <a href="https://blog.cloudflare.com/counting-things-a-lot-of-different-things/">Cloudflare: How we built rate
 *     limiting capable of scaling to millions of domains</a>
 */
public final class SlidingWindowAccuracy {
    private final long limit;
    private final long windowNanos;
    private final Timeline timeline = new Timeline();
    private final RecentRequests recent = new RecentRequests();
    private final int[] exact;
    private final double[] driftOf;
    private final int[] seenOf;
    private int[] current;
    private int[] previous;
    private long window;

    private long requests;
    private double drift;
    private long over;
    private long wronglyAllowed;
    private long wronglyLimited;
    private double worst;

    private SlidingWindowAccuracy(Limit limit, int callers) {
        this.limit = limit.requests();
        this.windowNanos = limit.windowMicros() * 1_000;
        this.exact = new int[callers];
        this.current = new int[callers];
        this.previous = new int[callers];
        this.driftOf = new double[callers];
        this.seenOf = new int[callers];
    }

    /** Measures {@code windows} windows, after two windows of warm-up. */
    public static Found measure(FlowSettings settings, Limit limit, int windows, long seed) {
        SlidingWindowAccuracy measured =
                new SlidingWindowAccuracy(limit, settings.callers().count());
        Flow flow = new Flow(
                settings,
                measured.timeline,
                new SplittableRandom(seed),
                1,
                (from, caller, node) -> measured.arrived(caller));
        flow.start();
        measured.timeline.runUntil((windows + 2) * measured.windowNanos);
        return measured.found();
    }

    private void arrived(int caller) {
        long now = timeline.now();
        while (now >= (window + 1) * windowNanos) {
            int[] oldest = previous;
            previous = current;
            current = oldest;
            Arrays.fill(current, 0);
            window++;
        }
        while (recent.isBefore(now - windowNanos)) {
            exact[recent.poll()]--;
        }
        recent.add(now, caller);
        exact[caller]++;
        current[caller]++;
        if (window >= 2) {
            double rest = 1 - (now - window * windowNanos) / (double) windowNanos;
            compare(caller, current[caller] + previous[caller] * rest, exact[caller]);
        }
    }

    private void compare(int caller, double estimate, int real) {
        double off = Math.abs(estimate - real) / real;
        requests++;
        drift += off;
        driftOf[caller] += off;
        seenOf[caller]++;
        over += real > limit ? 1 : 0;
        if (real > limit && estimate <= limit) {
            wronglyAllowed++;
            worst = Math.max(worst, (double) real / limit - 1);
        } else if (real <= limit && estimate > limit) {
            wronglyLimited++;
        }
    }

    private Found found() {
        double sum = 0;
        int callers = 0;
        for (int i = 0; i < seenOf.length; i++) {
            if (seenOf[i] > 0) {
                sum += driftOf[i] / seenOf[i];
                callers++;
            }
        }
        return new Found(
                requests,
                callers,
                requests == 0 ? 0 : drift / requests,
                callers == 0 ? 0 : sum / callers,
                over,
                wronglyAllowed,
                wronglyLimited,
                worst);
    }

    /**
     * The result of a measurement.
     *
     * @param drift mean of |estimate - exact| / exact over all requests
     * @param callerDrift the same, averaged by caller first
     * @param over requests of callers over their limit
     * @param wronglyAllowed requests that the estimate admitted although their caller was over
     * @param wronglyLimited requests that it denied although their caller was not over
     * @param worst the largest excess of an admitted caller over its limit, as a share of the limit
     */
    public record Found(
            long requests,
            int callers,
            double drift,
            double callerDrift,
            long over,
            long wronglyAllowed,
            long wronglyLimited,
            double worst) {

        /** The share of requests that were decided wrongly. */
        public double wrong() {
            return requests == 0 ? 0 : (double) (wronglyAllowed + wronglyLimited) / requests;
        }
    }
}
