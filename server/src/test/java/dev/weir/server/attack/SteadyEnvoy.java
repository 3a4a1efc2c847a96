package dev.weir.server.attack;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.weir.server.rlqs.QuotaCaller;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.BucketId;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A well-behaved Envoy that meets a new bucket now and then, and opens a new stream now and then. */
final class SteadyEnvoy implements AutoCloseable {
    private static final int PERIOD_MILLIS = 100;
    private static final int BUCKETS_OF_STREAM = 10;
    private static final long PATIENCE_NANOS = 20_000_000_000L;
    private static final long PAUSE_NANOS = 500_000;

    private final int port;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread made = new Thread(work, "steady envoy");
        made.setDaemon(true);
        return made;
    });
    private final AtomicLong slowest = new AtomicLong();
    private final AtomicInteger answers = new AtomicInteger();
    private final List<String> failures = new CopyOnWriteArrayList<>();
    private int asked;

    @Nullable
    private volatile QuotaCaller stream;

    private SteadyEnvoy(int port) {
        this.port = port;
    }

    /** An Envoy of the server whose gRPC port is {@code port}. */
    static SteadyEnvoy to(int port) {
        SteadyEnvoy envoy = new SteadyEnvoy(port);
        var unused = envoy.thread.scheduleWithFixedDelay(envoy::ask, 0, PERIOD_MILLIS, MILLISECONDS);
        return envoy;
    }

    private void ask() {
        QuotaCaller open = stream;
        if (open != null && (asked % BUCKETS_OF_STREAM == 0 || open.ended.isDone())) {
            open.close();
            open = null;
        }
        if (open == null) {
            open = new QuotaCaller(port, "steady");
            stream = open;
        }
        asked++;
        long before = open.assigned.get();
        long began = System.nanoTime();
        open.send(RateLimitQuotaUsageReports.newBuilder()
                .setDomain("d")
                .addBucketQuotaUsages(BucketQuotaUsage.newBuilder()
                        .setBucketId(BucketId.newBuilder()
                                .putBucket("endpoint", "/bucket")
                                .putBucket("user_id", "steady" + asked))
                        .setNumRequestsDenied(1)));
        while (open.assigned.get() == before
                && !open.ended.isDone()
                && !thread.isShutdown()
                && System.nanoTime() - began < PATIENCE_NANOS) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        if (thread.isShutdown()) {
            open.close();
            return;
        }
        if (open.assigned.get() == before && failures.size() < 20) {
            failures.add(open.ended.isDone() ? "ended: " + open.ended.join() : "no assignment");
        }
        slowest.accumulateAndGet(System.nanoTime() - began, Math::max);
        answers.incrementAndGet();
    }

    /** Forgets what was. */
    void reset() {
        slowest.set(0);
        failures.clear();
    }

    /** The first assignments of buckets. */
    int answers() {
        return answers.get();
    }

    /** The longest that one took. */
    long slowestMillis() {
        return NANOSECONDS.toMillis(slowest.get());
    }

    List<String> failures() {
        return List.copyOf(failures);
    }

    @Override
    public String toString() {
        return "steady Envoy: slowest " + slowestMillis() + " ms of " + answers + "; failures " + failures;
    }

    @Override
    public void close() {
        thread.shutdownNow();
        QuotaCaller open = stream;
        if (open != null) {
            open.close();
        }
    }
}
