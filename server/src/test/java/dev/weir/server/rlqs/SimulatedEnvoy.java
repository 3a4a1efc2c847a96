package dev.weir.server.rlqs;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcMethod;
import dev.weir.server.grpc.protocol.GrpcStatus;
import dev.weir.server.grpc.service.GrpcServiceCall;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.BucketId;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy.BlanketRule;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An Envoy on virtual time, as Envoy 1.40 was seen to behave: it reports every five seconds, applies assignments in
 * order, keeps the fill ratio of a token bucket that changes, and starts with a full one after a blanket rule. Messages
 * take time in both directions.
 */
final class SimulatedEnvoy {
    private static final long REPORT_MICROS = 5_000_000;

    /** A bucket as Envoy has it. */
    private static final class Bucket {
        @Nullable
        RateLimitStrategy strategy;

        double tokens;
        long expiresMicros;
        long allowed;
        long denied;
    }

    /** One stream of this Envoy, which ends with the server or with the Envoy. */
    private final class Stream implements GrpcServiceCall {
        private final QuotaService service;
        private boolean named;
        private @Nullable Runnable gone;

        Stream(QuotaService service) {
            this.service = service;
        }

        @Override
        public void send(byte[] message) {
            later(() -> apply(message));
        }

        @Override
        public void end(GrpcStatus status, String text) {
            ended = status;
            close();
        }

        @Override
        public String peer() {
            return name;
        }

        @Override
        public String address() {
            return address;
        }

        @Override
        public long unsent() {
            return measured;
        }

        @Override
        public void measureUnsent() {
            measured = unsent;
        }

        @Override
        public void onGone(Runnable then) {
            gone = then;
        }

        private void later(Runnable action) {
            // TCP keeps the order; each message is a microsecond after the one before.
            lastDue = Math.max(lastDue + 1, now.getAsLong() + delay.getAsLong());
            underWay.put(lastDue, () -> {
                if (stream == this) {
                    action.run();
                }
            });
        }

        private void close() {
            stream = null;
            if (gone != null) {
                gone.run();
            }
        }
    }

    private final Supplier<QuotaService> server;
    private final String domain;
    private final String name;
    private final LongSupplier now;
    private final LongSupplier delay;
    private final Map<Map<String, String>, Bucket> buckets = new LinkedHashMap<>();
    private final TreeMap<Long, Runnable> underWay = new TreeMap<>();
    private long lastDue;
    private long nextReport;
    private @Nullable Stream stream;

    /** The address by which it shares budgets with others. */
    String address;

    /** The bytes that it has not read yet, and how many its server believes them to be. */
    long unsent;

    long measured;

    @Nullable
    GrpcStatus ended;

    long allowed;
    long denied;
    long abandoned;

    /** Creates an Envoy whose streams go to the server that runs when they open. */
    SimulatedEnvoy(Supplier<QuotaService> server, String domain, String name, LongSupplier now, LongSupplier delay) {
        this.server = server;
        this.domain = domain;
        this.name = name;
        this.address = name;
        this.now = now;
        this.delay = delay;
        this.nextReport = now.getAsLong() + REPORT_MICROS;
        this.stream = new Stream(server.get());
    }

    /** Delivers messages that are due, and reports if it is time. */
    void run() {
        while (!underWay.isEmpty() && underWay.firstKey() <= now.getAsLong()) {
            underWay.pollFirstEntry().getValue().run();
        }
        if (now.getAsLong() >= nextReport) {
            nextReport += REPORT_MICROS;
            if (stream == null) { // it is opened again on this timer alone
                stream = new Stream(server.get());
            }
            RateLimitQuotaUsageReports.Builder report = RateLimitQuotaUsageReports.newBuilder();
            buckets.forEach((id, bucket) -> report.addBucketQuotaUsages(usage(id, bucket)));
            send(report);
        }
    }

    /** A request of the bucket {@code id}; whether it passes. */
    boolean ask(Map<String, String> id) {
        Bucket bucket = buckets.get(id);
        boolean first = bucket == null;
        if (bucket == null) {
            bucket = new Bucket();
            buckets.put(id, bucket);
        }
        boolean passes = passes(bucket);
        if (passes) {
            bucket.allowed++;
            allowed++;
        } else {
            bucket.denied++;
            denied++;
        }
        if (first) {
            send(RateLimitQuotaUsageReports.newBuilder().addBucketQuotaUsages(usage(id, bucket)));
        }
        return passes;
    }

    /** No assignment denies, so that every request that passes was granted. */
    private boolean passes(Bucket bucket) {
        RateLimitStrategy strategy = bucket.strategy;
        if (strategy == null || now.getAsLong() >= bucket.expiresMicros) {
            return false;
        }
        if (strategy.hasTokenBucket()) {
            if (bucket.tokens < 1) {
                return false;
            }
            bucket.tokens--;
            return true;
        }
        return strategy.getBlanketRule() == BlanketRule.ALLOW_ALL;
    }

    private static BucketQuotaUsage usage(Map<String, String> id, Bucket bucket) {
        BucketQuotaUsage usage = BucketQuotaUsage.newBuilder()
                .setBucketId(BucketId.newBuilder().putAllBucket(id))
                .setNumRequestsAllowed(bucket.allowed)
                .setNumRequestsDenied(bucket.denied)
                .build();
        bucket.allowed = 0;
        bucket.denied = 0;
        return usage;
    }

    /** Sends {@code report}, with the domain if it is the first of the stream; without a stream it is lost. */
    void send(RateLimitQuotaUsageReports.Builder report) {
        Stream open = stream;
        if (open == null) {
            return;
        }
        if (!open.named) {
            report.setDomain(domain);
        }
        open.named = true;
        send(open, report.build().toByteArray());
    }

    /** Sends a message of these bytes. */
    void sendBytes(byte[] message) {
        Stream open = stream;
        if (open != null) {
            send(open, message);
        }
    }

    private void send(Stream open, byte[] message) {
        open.later(() -> {
            try {
                open.service.message(open, GrpcMethod.QUOTA_STREAM, message);
            } catch (GrpcCallException e) {
                open.end(e.status(), e.text());
            }
        });
    }

    /** Opens a stream at once, where an Envoy would do so with its next report. */
    void connect() {
        stream = new Stream(server.get());
    }

    /** Its stream. */
    GrpcServiceCall call() {
        return Objects.requireNonNull(stream);
    }

    /** Ends the stream, as a server or a network that dies does; assignments stay until they expire. */
    void disconnect() {
        Stream open = stream;
        if (open != null) {
            open.close();
        }
    }

    /** Ends the stream, as a process that dies does. */
    void kill() {
        disconnect();
        buckets.clear();
    }

    private void apply(byte[] message) {
        try {
            for (BucketAction action : RateLimitQuotaResponse.parseFrom(message).getBucketActionList()) {
                apply(action);
            }
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    private void apply(BucketAction action) {
        Map<String, String> id = action.getBucketId().getBucketMap();
        if (action.hasAbandonAction()) {
            abandoned++;
            buckets.remove(id);
            return;
        }
        Bucket bucket = buckets.get(id);
        if (bucket == null) {
            return;
        }
        RateLimitStrategy before = bucket.strategy;
        RateLimitStrategy next = action.getQuotaAssignmentAction().getRateLimitStrategy();
        if (next.hasTokenBucket()) {
            double ratio = before != null && before.hasTokenBucket() ? bucket.tokens / tokens(before) : 1;
            bucket.tokens = ratio * tokens(next);
        }
        bucket.strategy = next;
        bucket.expiresMicros = now.getAsLong()
                + action.getQuotaAssignmentAction().getAssignmentTimeToLive().getSeconds() * 1_000_000;
    }

    private static long tokens(RateLimitStrategy strategy) {
        return Integer.toUnsignedLong(strategy.getTokenBucket().getMaxTokens());
    }

    /** The strategy of the bucket {@code id}; null without one. */
    @Nullable
    RateLimitStrategy strategy(Map<String, String> id) {
        Bucket bucket = buckets.get(id);
        return bucket == null ? null : bucket.strategy;
    }
}
