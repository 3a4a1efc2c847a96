package dev.weir.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.Struct;
import com.google.protobuf.UInt64Value;
import dev.weir.Request;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.model.MutableDecision;
import dev.weir.server.health.Health;
import dev.weir.server.rls.RlsSettings;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GrpcJavaTest {
    /** For an answer: a cold JVM on a machine that does much else took 18 s for the first thousands. */
    private static final long PATIENCE_SECONDS = 90;

    private static final MethodDescriptor<RateLimitRequest, RateLimitResponse> CALL = MethodDescriptor.newBuilder(
                    ProtoUtils.marshaller(RateLimitRequest.getDefaultInstance()),
                    ProtoUtils.marshaller(RateLimitResponse.getDefaultInstance()))
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit")
            .build();

    @Test
    void theAnswerHasEverythingThatTheDecisionSays() {
        try (TestGrpcServer rig = new TestGrpcServer(new CountingDecider(3));
                Client client = new Client(rig)) {
            RateLimitResponse response = client.ask(request("api", "u1").toBuilder()
                    .addDescriptors(RateLimitDescriptor.getDefaultInstance())
                    .addDescriptors(descriptor("ü2").toBuilder().setHitsAddend(UInt64Value.of(5)))
                    .build());
            assertThat(response.getOverallCode()).isEqualTo(RateLimitResponse.Code.OVER_LIMIT);
            assertThat(response.getStatusesList()).hasSize(3);
            RateLimitResponse.DescriptorStatus first = response.getStatuses(0);
            assertThat(first.getCode()).isEqualTo(RateLimitResponse.Code.OK);
            assertThat(first.getLimitRemaining()).isEqualTo(2);
            assertThat(first.getCurrentLimit().getRequestsPerUnit()).isEqualTo(3);
            assertThat(first.getCurrentLimit().getUnit()).isEqualTo(RateLimitResponse.RateLimit.Unit.MINUTE);
            assertThat(first.getCurrentLimit().getName()).isEqualTo("by user");
            assertThat(first.getDurationUntilReset().getSeconds()).isEqualTo(2);
            assertThat(response.getStatuses(1))
                    .isEqualTo(RateLimitResponse.DescriptorStatus.newBuilder()
                            .setCode(RateLimitResponse.Code.OK)
                            .build());
            assertThat(response.getStatuses(2).getCode()).isEqualTo(RateLimitResponse.Code.OVER_LIMIT);
        }
    }

    @Test
    void headersAndMetadataAreToldWhereTheyAreSwitchedOn() {
        RlsSettings all =
                new RlsSettings(new RlsSettings.Headers("X-Limit", "X-Left", "X-Reset"), null, true, false, false);
        GrpcServerSettings settings = GrpcServerSettings.defaults().with(all);
        try (TestGrpcServer rig = new TestGrpcServer(new CountingDecider(3), settings);
                Client client = new Client(rig)) {
            RateLimitResponse response = client.ask(request("api", "u1"));
            assertThat(response.getResponseHeadersToAddList())
                    .extracting(HeaderValue::getKey, HeaderValue::getValue)
                    .containsExactly(tuple("X-Limit", "3"), tuple("X-Left", "2"), tuple("X-Reset", "2"));
            Struct metadata = response.getDynamicMetadata();
            assertThat(metadata.getFieldsOrThrow("domain").getStringValue()).isEqualTo("api");
            assertThat(metadata.getFieldsOrThrow("descriptors").getListValue().getValuesList())
                    .hasSize(1);
        }
    }

    @Test
    void mistakesAreToldInTheReferencesWords() {
        try (TestGrpcServer rig = new TestGrpcServer(new CountingDecider(3));
                Client client = new Client(rig)) {
            assertStatus(client, request("", "u"), Status.Code.INVALID_ARGUMENT, "rate limit domain must not be empty");
            assertStatus(
                    client,
                    RateLimitRequest.newBuilder().setDomain("d").build(),
                    Status.Code.INVALID_ARGUMENT,
                    "rate limit descriptor list must not be empty");
            RateLimitRequest.Builder many = RateLimitRequest.newBuilder().setDomain("d");
            for (int i = 0; i < 1_001; i++) {
                many.addDescriptors(descriptor("v"));
            }
            assertStatus(client, many.build(), Status.Code.RESOURCE_EXHAUSTED, "descriptors: 1001 (expected: <= 1000)");
            assertStatus(
                    client,
                    request("d", "v".repeat(40_000)),
                    Status.Code.RESOURCE_EXHAUSTED,
                    "bytes of a value: 40000 (expected: <= 32768)");
            assertThat(client.ask(request("d", "v")).getOverallCode()).isEqualTo(RateLimitResponse.Code.OK);
        }
    }

    @Test
    void manyCallsAtOnceOnOneConnectionAreEachAnswered() throws Exception {
        CountingDecider decider = new CountingDecider(1_000);
        try (TestGrpcServer rig = new TestGrpcServer(decider);
                Client client = new Client(rig)) {
            List<ListenableFuture<RateLimitResponse>> answers = new ArrayList<>();
            for (int i = 0; i < 3_000; i++) {
                answers.add(ClientCalls.futureUnaryCall(
                        client.channel.newCall(CALL, CallOptions.DEFAULT), request("d", i % 2 == 0 ? "even" : "odd")));
            }
            int ok = 0;
            for (ListenableFuture<RateLimitResponse> each : answers) {
                ok += each.get(PATIENCE_SECONDS, TimeUnit.SECONDS).getOverallCode() == RateLimitResponse.Code.OK
                        ? 1
                        : 0;
            }
            assertThat(ok).isEqualTo(2_000);
            assertThat(decider.decided).hasValue(3_000);
        }
    }

    @Test
    void anAnswerMayComeLaterAndFromAnotherThread() {
        Queue<Runnable> later = new ConcurrentLinkedQueue<>();
        Decider deferring = (request, now, into, late) -> {
            Waiter waiter = late.waiter();
            Request copy = Request.to(request.domain()).with("k", request.value(0));
            later.add(() -> waiter.home().execute(() -> {
                MutableDecision decision = new MutableDecision();
                decision.begin(now);
                decision.end(false, -1);
                waiter.decided(copy, decision);
                waiter.decided(copy, decision); // only the first counts
            }));
            return false;
        };
        try (TestGrpcServer rig = new TestGrpcServer(deferring);
                Client client = new Client(rig)) {
            ListenableFuture<RateLimitResponse> kept =
                    ClientCalls.futureUnaryCall(client.channel.newCall(CALL, CallOptions.DEFAULT), request("d", "a"));
            ListenableFuture<RateLimitResponse> cancelled =
                    ClientCalls.futureUnaryCall(client.channel.newCall(CALL, CallOptions.DEFAULT), request("d", "b"));
            await().until(() -> later.size() == 2);
            cancelled.cancel(true);
            later.forEach(Runnable::run);
            await().untilAsserted(() -> assertThat(kept).isDone());
            assertThat(kept)
                    .succeedsWithin(Duration.ZERO)
                    .extracting(RateLimitResponse::getOverallCode)
                    .isEqualTo(RateLimitResponse.Code.OVER_LIMIT);
            assertThat(rig.failures).isEmpty();
        }
    }

    @Test
    void aDeciderThatFailsFailsItsCallAlone() {
        Decider failing = (request, now, into, late) -> {
            if (request.domain().equals("bad")) {
                throw new IllegalStateException("on purpose");
            }
            into.begin(now);
            return true;
        };
        try (TestGrpcServer rig = new TestGrpcServer(failing);
                Client client = new Client(rig)) {
            assertStatus(client, request("bad", "v"), Status.Code.INTERNAL, "internal error while deciding");
            assertThat(client.ask(request("good", "v")).getOverallCode()).isEqualTo(RateLimitResponse.Code.OK);
            assertThat(rig.failures).singleElement().isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void healthIsCheckedWatchedAndNotServingOnDrain() {
        try (TestGrpcServer rig = new TestGrpcServer(new CountingDecider(3));
                Client client = new Client(rig)) {
            HealthGrpc.HealthBlockingStub stub = HealthGrpc.newBlockingStub(client.channel);
            for (String known : List.of("", "ratelimit")) {
                assertThat(stub.check(HealthCheckRequest.newBuilder()
                                        .setService(known)
                                        .build())
                                .getStatus())
                        .isEqualTo(ServingStatus.SERVING);
            }
            assertThatThrownBy(() -> stub.check(
                            HealthCheckRequest.newBuilder().setService("x").build()))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND));
            Iterator<HealthCheckResponse> watch = stub.watch(HealthCheckRequest.getDefaultInstance());
            assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.SERVING);
            rig.health.set(Health.State.NOT_SERVING);
            assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
        }
    }

    @Test
    void aDrainLetsCallsUnderWayFinishAndEndsWatches() {
        Queue<Runnable> later = new ConcurrentLinkedQueue<>();
        Decider deferring = (request, now, into, late) -> {
            Waiter waiter = late.waiter();
            Request copy = Request.to(request.domain()).with("k", "v");
            MutableDecision decision = new MutableDecision();
            decision.begin(now);
            later.add(() -> waiter.home().execute(() -> waiter.decided(copy, decision)));
            return false;
        };
        try (TestGrpcServer rig = new TestGrpcServer(deferring);
                Client client = new Client(rig)) {
            Iterator<HealthCheckResponse> watch =
                    HealthGrpc.newBlockingStub(client.channel).watch(HealthCheckRequest.getDefaultInstance());
            assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.SERVING);
            ListenableFuture<RateLimitResponse> underWay =
                    ClientCalls.futureUnaryCall(client.channel.newCall(CALL, CallOptions.DEFAULT), request("d", "a"));
            await().until(() -> later.size() == 1);
            var drained = rig.server.drain(Duration.ofSeconds(20)).toCompletableFuture();
            assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
            assertThatThrownBy(watch::hasNext)
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
            assertThat(drained).isNotDone();
            later.forEach(Runnable::run);
            assertThat(underWay).succeedsWithin(Duration.ofSeconds(10));
            assertThat(drained).succeedsWithin(Duration.ofSeconds(10));
        }
    }

    private static void assertStatus(Client client, RateLimitRequest request, Status.Code code, String text) {
        assertThatThrownBy(() -> client.ask(request)).isInstanceOfSatisfying(StatusRuntimeException.class, e -> {
            assertThat(e.getStatus().getCode()).isEqualTo(code);
            assertThat(e.getStatus().getDescription()).isEqualTo(text);
        });
    }

    private static RateLimitRequest request(String domain, String value) {
        return RateLimitRequest.newBuilder()
                .setDomain(domain)
                .addDescriptors(descriptor(value))
                .build();
    }

    private static RateLimitDescriptor descriptor(String value) {
        return RateLimitDescriptor.newBuilder()
                .addEntries(
                        RateLimitDescriptor.Entry.newBuilder().setKey("user").setValue(value))
                .build();
    }

    /** A connection of grpc-java's. */
    private static final class Client implements AutoCloseable {
        final ManagedChannel channel;

        Client(TestGrpcServer rig) {
            channel = NettyChannelBuilder.forAddress("127.0.0.1", rig.port())
                    .usePlaintext()
                    .build();
        }

        RateLimitResponse ask(RateLimitRequest request) {
            return ClientCalls.blockingUnaryCall(
                    channel, CALL, CallOptions.DEFAULT.withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS), request);
        }

        @Override
        public void close() {
            channel.shutdownNow();
        }
    }
}
