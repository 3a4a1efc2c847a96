package dev.weir.server.rlqs;

import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A stream of the quota service through grpc-java, which reports whatever a test wants. */
public final class QuotaCaller implements AutoCloseable {
    private static final MethodDescriptor<RateLimitQuotaUsageReports, RateLimitQuotaResponse> STREAM =
            MethodDescriptor.newBuilder(
                            ProtoUtils.marshaller(RateLimitQuotaUsageReports.getDefaultInstance()),
                            ProtoUtils.marshaller(RateLimitQuotaResponse.getDefaultInstance()))
                    .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                    .setFullMethodName("envoy.service.rate_limit_quota.v3.RateLimitQuotaService/StreamRateLimitQuotas")
                    .build();

    private final ManagedChannel channel;
    private final ClientCall<RateLimitQuotaUsageReports, RateLimitQuotaResponse> call;

    /** The assignments that came, those of one grant counted once. */
    public final AtomicLong assigned = new AtomicLong();

    final AtomicLong abandoned = new AtomicLong();
    /** The hits of all grants, as if each was spent before the next one came. */
    final AtomicLong granted = new AtomicLong();
    /** The newest strategies, by the value of the attribute {@code user}. */
    final Map<String, RateLimitStrategy> strategies = new ConcurrentHashMap<>();

    public final CompletableFuture<Status> ended = new CompletableFuture<>();

    /** Opens a stream and reads it; an Envoy without a {@code name} says none. */
    public QuotaCaller(int port, @Nullable String name) {
        this(port, name, true);
    }

    /** Opens a stream, and reads nothing before {@link #read} unless it {@code reads}. */
    QuotaCaller(int port, @Nullable String name, boolean reads) {
        channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
        call = channel.newCall(STREAM, CallOptions.DEFAULT);
        Metadata metadata = new Metadata();
        if (name != null) {
            metadata.put(Metadata.Key.of("x-envoy-node", Metadata.ASCII_STRING_MARSHALLER), name);
        }
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(RateLimitQuotaResponse message) {
                        message.getBucketActionList().forEach(QuotaCaller.this::apply);
                        call.request(1);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        ended.complete(status);
                    }
                },
                metadata);
        if (reads) {
            read();
        }
    }

    private void apply(BucketAction action) {
        RateLimitStrategy strategy = action.getQuotaAssignmentAction().getRateLimitStrategy();
        if (strategy.hasTokenBucket()) {
            granted.addAndGet(Integer.toUnsignedLong(strategy.getTokenBucket().getMaxTokens()));
        }
        if (!action.hasAbandonAction()) {
            strategies.put(action.getBucketId().getBucketOrDefault("user", ""), strategy);
        }
        (action.hasAbandonAction() ? abandoned : assigned).addAndGet(strategy.hasTokenBucket() ? 0 : 1);
    }

    /** Begins to read. */
    void read() {
        call.request(1);
    }

    public void send(RateLimitQuotaUsageReports.Builder report) {
        call.sendMessage(report.build());
    }

    boolean isReady() {
        return call.isReady();
    }

    @Override
    public void close() {
        call.cancel("the test is over", null);
        channel.shutdownNow();
    }
}
