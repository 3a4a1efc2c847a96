package dev.weir.internal.algorithm;

import static org.assertj.core.api.Assertions.fail;

import dev.weir.Limit;
import dev.weir.internal.algorithm.RandomLimits.Step;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.domains.Domain;

/** Never more than each algorithm's bound, seen from outside: only by when hits passed. */
@Domain(RandomLimits.class)
class BoundsTest {

    /** Hits that passed together. */
    private record Passed(long at, long hits) {}

    @Property
    void neverMoreThanTheBoundPass(@ForAll Limit limit, @ForAll List<Step> history) {
        MeteredCounter counter = MeteredCounter.of(limit);
        List<Passed> passed = new ArrayList<>();
        long now = RandomLimits.NOW;
        for (Step step : history) {
            now += RandomLimits.gap(limit, step);
            long hits = Math.abs(step.hits());
            long together = counter.take(now, hits).allowed ? hits : 0;
            // Whoever is denied comes back at once with less: the worst a caller can do.
            while (step.gap() % 2 == 0 && counter.take(now, 1).allowed) {
                together++;
            }
            passed.add(new Passed(now, together));
        }
        for (int first = 0; first < passed.size(); first++) {
            long sum = 0;
            for (int last = first; last < passed.size(); last++) {
                sum += passed.get(last).hits();
                long from = passed.get(first).at();
                long to = passed.get(last).at();
                BigInteger bound = bound(limit, counter, from, to);
                if (BigInteger.valueOf(sum).compareTo(bound) > 0) {
                    fail("%d passed from %d to %d (expected: <= %d)", sum, from, to, bound);
                }
            }
        }
    }

    /** The most that may pass from {@code from} to {@code to}, both included. */
    private static BigInteger bound(Limit limit, MeteredCounter counter, long from, long to) {
        long window = limit.windowMicros();
        BigInteger requests = BigInteger.valueOf(limit.requests());
        if (RandomLimits.isBucket(limit)) {
            // burst + rate * T, where T may be a tick longer than it looks
            BigInteger time = BigInteger.valueOf(to - from + counter.meter().tickMicros() - 1);
            BigInteger refilled = requests.multiply(time).divide(BigInteger.valueOf(window));
            return BigInteger.valueOf(RandomLimits.capacity(limit)).add(refilled);
        }
        return switch (limit.algorithm()) {
            // requests in each aligned window that it touches
            case FIXED_WINDOW -> requests.multiply(BigInteger.valueOf(to / window - from / window + 1));
            case SLIDING_WINDOW ->
                limit.subWindows() == 1
                        ? requests.multiply(BigInteger.valueOf(to / window - from / window + 1))
                        : requests.multiply(BigInteger.valueOf((to - from) / window + 1));
            // requests in any window
            default -> requests.multiply(BigInteger.valueOf((to - from) / window + 1));
        };
    }
}
