package dev.weir.server.metrics;

import dev.weir.internal.limiter.check.WaitResult;
import dev.weir.internal.queue.RequestQueues;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** Counts the requests that waited because their rules say {@code over}. */
public final class WaitMetrics {
    /** Upper bounds of the buckets, milliseconds; one more bucket has none. */
    private static final int[] BOUNDS = {5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000};

    private static final String DURATION = "ratelimit_wait_duration_seconds";
    private static final String HELP = "Time that requests stood in the queue of a rule, however it ended.";
    private static final double MILLIS = 1e3;
    private static final double MICROS = 1e6;

    private final Map<WaitResult, LongAdder> results = new EnumMap<>(WaitResult.class);
    private final LongAdder[] buckets =
            Stream.generate(LongAdder::new).limit(BOUNDS.length + 1).toArray(LongAdder[]::new);
    private final LongAdder micros = new LongAdder();

    WaitMetrics() {
        for (WaitResult each : WaitResult.values()) {
            results.put(each, new LongAdder());
        }
    }

    void add(WaitResult result, long waited) {
        count(result).increment();
        if (result != WaitResult.REFUSED && result != WaitResult.TARPITTED) {
            int bucket = 0;
            while (bucket < BOUNDS.length && waited > BOUNDS[bucket] * 1_000L) {
                bucket++;
            }
            buckets[bucket].increment();
            micros.add(waited);
        }
    }

    /** Writes the time that requests waited, as a histogram. */
    void write(Exposition out) {
        out.metric(DURATION, "histogram", HELP);
        long below = 0;
        for (int bucket = 0; bucket < buckets.length; bucket++) {
            below += buckets[bucket].sum();
            String bound = bucket == BOUNDS.length ? "+Inf" : String.valueOf(BOUNDS[bucket] / MILLIS);
            out.sample(DURATION + "_bucket", Exposition.labels("le", bound), below);
        }
        out.sample(DURATION + "_sum", "", micros.sum() / MICROS).sample(DURATION + "_count", "", below);
    }

    /** The same without text. */
    MetricReading reading() {
        List<Long> counts = Arrays.stream(buckets).map(LongAdder::sum).toList();
        return new MetricReading(
                "weir.rate_limiting.request.time_in_queue",
                HELP,
                "s",
                MetricReading.Kind.HISTOGRAM,
                Arrays.stream(BOUNDS).mapToObj(bound -> bound / MILLIS).toList(),
                List.of(new MetricReading.Reading(List.of(), micros.sum() / MICROS, counts)));
    }

    private LongAdder count(WaitResult result) {
        return Objects.requireNonNull(results.get(result));
    }

    /** How waits ended since the start, by the name of the result. */
    public Map<String, Long> results() {
        Map<String, Long> found = new TreeMap<>();
        for (WaitResult each : WaitResult.values()) {
            found.put(each.name().toLowerCase(Locale.ROOT), count(each).sum());
        }
        return found;
    }

    /** Adds the counts, and gauges of the requests that wait in {@code queues} now. */
    public void addTo(ServerMetrics metrics, RequestQueues queues) {
        for (WaitResult each : WaitResult.values()) {
            metrics.counter(
                    "ratelimit.waits",
                    "Requests over a limit with a queue or a tarpit, by how their wait ended.",
                    count(each)::sum,
                    "result",
                    each.name().toLowerCase(Locale.ROOT));
        }
        metrics.gauge("ratelimit.waiting", "Requests that wait for their turn.", queues::waiting)
                .gauge("ratelimit.tarpitted", "Denials that a tarpit delays.", queues::tarpitted);
    }
}
