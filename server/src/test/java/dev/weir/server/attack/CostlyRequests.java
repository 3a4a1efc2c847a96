package dev.weir.server.attack;

import com.google.protobuf.UInt64Value;
import dev.weir.server.GrpcCaller;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** A caller over gRPC that sends requests with many descriptors and many hits, and counts those that are refused. */
final class CostlyRequests implements AutoCloseable {
    /** The rules that it asks for, as lines of a rule file. */
    static final String RULES = """
              - name: steady
                match: {endpoint: "/steady"}
                key_by: [user_id]
                limit: {requests: 1000000, window: 90d, algorithm: fixed_window}
              - name: log
                match: {endpoint: "/log"}
                key_by: [user_id]
                limit: {requests: 10000, window: 1h, algorithm: sliding_window_log}
              - name: bucket
                match: {endpoint: "/bucket"}
                key_by: [user_id]
                limit: {requests: 1000000, window: 1h}
            """;

    private final GrpcCaller caller;
    private volatile int refused;

    private CostlyRequests(GrpcCaller caller) {
        this.caller = caller;
    }

    static CostlyRequests to(int port) {
        return new CostlyRequests(new GrpcCaller(port));
    }

    /** Checks on one log that take and give back {@code hits} in turn. */
    static byte[] inTurn(int checks, long hits) {
        RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain("d");
        for (int i = 0; i < checks; i++) {
            request.addDescriptors(descriptor("/log", "one", hits).setIsNegativeHits(i % 2 == 1));
        }
        return request.build().toByteArray();
    }

    /** Checks on as many counters of one rule, which have not been used before if {@code name} is new. */
    static byte[] onManyCounters(String endpoint, String name, int checks, long hits) {
        RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain("d");
        for (int i = 0; i < checks; i++) {
            request.addDescriptors(descriptor(endpoint, name + i, hits));
        }
        return request.build().toByteArray();
    }

    private static RateLimitDescriptor.Builder descriptor(String endpoint, String user, long hits) {
        return RateLimitDescriptor.newBuilder()
                .addEntries(RateLimitDescriptor.Entry.newBuilder()
                        .setKey("endpoint")
                        .setValue(endpoint))
                .addEntries(
                        RateLimitDescriptor.Entry.newBuilder().setKey("user_id").setValue(user))
                .setHitsAddend(UInt64Value.of(hits));
    }

    /** Sends {@code message} so many times at once, and waits for all answers. */
    void send(int times, byte[] message) {
        CompletableFuture.allOf(IntStream.range(0, times)
                        .mapToObj(i -> CompletableFuture.runAsync(() -> send(message)))
                        .toArray(CompletableFuture[]::new))
                .join();
    }

    void send(byte[] message) {
        try {
            caller.call(message);
        } catch (StatusRuntimeException e) {
            count();
        }
    }

    private synchronized void count() {
        refused++;
    }

    /** The requests that got no decision. */
    int refused() {
        return refused;
    }

    @Override
    public void close() {
        caller.close();
    }
}
