package dev.weir.server.grpc;

import static dev.weir.server.grpc.RawPeer.DATA;
import static dev.weir.server.grpc.RawPeer.END_HEADERS;
import static dev.weir.server.grpc.RawPeer.END_STREAM;
import static dev.weir.server.grpc.RawPeer.HEADERS;
import static dev.weir.server.grpc.RawPeer.RST_STREAM;
import static dev.weir.server.grpc.RawPeer.end;
import static dev.weir.server.grpc.RawPeer.frame;
import static dev.weir.server.grpc.RawPeer.head;
import static dev.weir.server.grpc.RawPeer.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import dev.weir.server.health.Health;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.reflection.v1.ErrorResponse;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GrpcServicesTest {
    private static final String WATCH = "/grpc.health.v1.Health/Watch";

    private final TestGrpcServer rig = new TestGrpcServer(new CountingDecider(3));
    private final ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", rig.port())
            .usePlaintext()
            .build();

    @AfterEach
    void close() {
        channel.shutdownNow();
        rig.close();
        assertThat(rig.failures).isEmpty();
    }

    @Test
    void reflectionListsTheServices() {
        ServerReflectionRequest list = ServerReflectionRequest.newBuilder()
                .setHost("h")
                .setListServices("")
                .build();
        ServerReflectionResponse response = reflect(list);
        assertThat(response.getValidHost()).isEqualTo("h");
        assertThat(response.getOriginalRequest()).isEqualTo(list);
        assertThat(response.getListServicesResponse().getServiceList())
                .extracting(ServiceResponse::getName)
                .containsExactlyInAnyOrder(
                        "envoy.service.rate_limit_quota.v3.RateLimitQuotaService",
                        "envoy.service.ratelimit.v3.RateLimitService",
                        "grpc.health.v1.Health",
                        "grpc.reflection.v1.ServerReflection",
                        "grpc.reflection.v1alpha.ServerReflection");
    }

    @Test
    void reflectionFindsAFileByItsNameAndByEverythingThatItDeclares() throws Exception {
        String file = "envoy/service/ratelimit/v3/rls.proto";
        List<ServerReflectionRequest> requests = List.of(
                ServerReflectionRequest.newBuilder().setFileByFilename(file).build(),
                symbol("envoy.service.ratelimit.v3.RateLimitService"),
                symbol("envoy.service.ratelimit.v3.RateLimitService.ShouldRateLimit"),
                symbol("envoy.service.ratelimit.v3.RateLimitResponse"),
                symbol("envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit"),
                symbol("envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.WEEK"),
                symbol("envoy.service.ratelimit.v3.RateLimitRequest.hits_addend"));
        for (ServerReflectionRequest each : requests) {
            ServerReflectionResponse response = reflect(each);
            FileDescriptorProto found = FileDescriptorProto.parseFrom(
                    response.getFileDescriptorResponse().getFileDescriptorProto(0));
            assertThat(found.getName()).as("%s", each).isEqualTo(file);
        }
    }

    @Test
    void reflectionTellsOfEveryFieldThatIsOnTheWire() throws Exception {
        ServerReflectionResponse response = reflect(symbol("envoy.service.ratelimit.v3.RateLimitRequest"));
        FileDescriptorProto found = FileDescriptorProto.parseFrom(
                response.getFileDescriptorResponse().getFileDescriptorProto(0));
        assertThat(found.getMessageType(0).getFieldList())
                .extracting(each -> each.toBuilder().clearJsonName().build())
                .containsExactlyElementsOf(
                        RateLimitRequest.getDescriptor().toProto().getFieldList());
    }

    @Test
    void reflectionKnowsThatMessagesHaveNoExtensions() {
        String message = "envoy.service.ratelimit.v3.RateLimitRequest";
        assertThat(reflect(ServerReflectionRequest.newBuilder()
                                .setAllExtensionNumbersOfType(message)
                                .build())
                        .getAllExtensionNumbersResponse()
                        .getBaseTypeName())
                .isEqualTo(message);
    }

    @Test
    void reflectionSaysWhatItDoesNotFind() {
        List<ServerReflectionRequest> requests = List.of(
                symbol("no.such.Thing"),
                symbol(""),
                ServerReflectionRequest.newBuilder()
                        .setFileByFilename("none.proto")
                        .build(),
                ServerReflectionRequest.newBuilder()
                        .setAllExtensionNumbersOfType("x")
                        .build());
        for (ServerReflectionRequest each : requests) {
            ErrorResponse error = reflect(each).getErrorResponse();
            assertThat(error.getErrorCode()).as("%s", each).isEqualTo(Status.Code.NOT_FOUND.value());
        }
        ErrorResponse nothing =
                reflect(ServerReflectionRequest.getDefaultInstance()).getErrorResponse();
        assertThat(nothing.getErrorCode()).isEqualTo(Status.Code.INVALID_ARGUMENT.value());
    }

    @Test
    void reflectionOfBeforeItWasStableAnswersTheSame() throws Exception {
        Answers<io.grpc.reflection.v1alpha.ServerReflectionResponse> answers = new Answers<>();
        var requests =
                io.grpc.reflection.v1alpha.ServerReflectionGrpc.newStub(channel).serverReflectionInfo(answers);
        requests.onNext(io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
                .setListServices("*")
                .build());
        requests.onNext(io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
                .setFileContainingSymbol("grpc.health.v1.Health")
                .build());
        requests.onNext(io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
                .setFileContainingSymbol("no.such.Thing")
                .build());
        requests.onCompleted();
        List<io.grpc.reflection.v1alpha.ServerReflectionResponse> all = answers.all();
        assertThat(all).hasSize(3);
        assertThat(all.get(0).getListServicesResponse().getServiceCount()).isEqualTo(5);
        assertThat(FileDescriptorProto.parseFrom(
                                all.get(1).getFileDescriptorResponse().getFileDescriptorProto(0))
                        .getPackage())
                .isEqualTo("grpc.health.v1");
        assertThat(all.get(2).getErrorResponse().getErrorCode()).isEqualTo(Status.Code.NOT_FOUND.value());
    }

    @Test
    void healthIsWhatTheServerSaysOfItselfUnderEachOfItsNames() {
        HealthGrpc.HealthBlockingStub stub =
                HealthGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
        for (Health.State state : List.of(Health.State.SERVING, Health.State.NOT_SERVING, Health.State.SERVING)) {
            rig.health.set(state);
            for (String name : List.of("", "ratelimit", "envoy.service.ratelimit.v3.RateLimitService")) {
                assertThat(stub.check(service(name)).getStatus()).isEqualTo(ServingStatus.valueOf(state.name()));
            }
        }
    }

    @Test
    void aWatchOfSomethingUnknownSaysSoAndStays() {
        Iterator<HealthCheckResponse> watch = HealthGrpc.newBlockingStub(channel)
                .withDeadlineAfter(20, TimeUnit.SECONDS)
                .watch(service("nothing"));
        assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.SERVICE_UNKNOWN);
    }

    @Test
    void aConnectionHasSoManyWatchesAndOneThatEndsMakesRoom() {
        try (RawPeer peer = RawPeer.introduced(new CountingDecider(3))) {
            int most = GrpcServerSettings.defaults().bounds().lasting();
            for (int i = 0; i < most; i++) {
                peer.send(watch(2 * i + 1));
            }
            assertThat(peer.frames(DATA)).hasSize(most);
            peer.send(watch(2 * most + 1));
            assertThat(end(peer.frames(), 2 * most + 1)).contains("grpc-status\0018", "(expected: <= " + most);
            peer.send(RawPeer.call(2 * most + 3, "v"));
            assertThat(end(peer.frames(), 2 * most + 3)).contains("grpc-status\0010");
            peer.send(number(RST_STREAM, 1, 8), watch(2 * most + 5));
            assertThat(peer.frames(DATA)).hasSize(1);
            peer.health.set(Health.State.SERVING);
            peer.channel.runPendingTasks();
            assertThat(peer.frames(DATA)).hasSize(most);
        }
    }

    private static byte[] watch(int stream) {
        return RawPeer.join(
                frame(HEADERS, END_HEADERS, stream, head(WATCH)), frame(DATA, END_STREAM, stream, new byte[5]));
    }

    private static HealthCheckRequest service(String name) {
        return HealthCheckRequest.newBuilder().setService(name).build();
    }

    private static ServerReflectionRequest symbol(String name) {
        return ServerReflectionRequest.newBuilder()
                .setFileContainingSymbol(name)
                .build();
    }

    private ServerReflectionResponse reflect(ServerReflectionRequest request) {
        Answers<ServerReflectionResponse> answers = new Answers<>();
        StreamObserver<ServerReflectionRequest> requests =
                ServerReflectionGrpc.newStub(channel).serverReflectionInfo(answers);
        requests.onNext(request);
        requests.onCompleted();
        List<ServerReflectionResponse> all = answers.all();
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    /** The answers of a stream, once it has ended well. */
    private static final class Answers<T> implements StreamObserver<T> {
        private final Queue<T> answers = new ConcurrentLinkedQueue<>();
        private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        private volatile boolean over;

        List<T> all() {
            await().until(() -> over);
            assertThat(failures).isEmpty();
            return List.copyOf(answers);
        }

        @Override
        public void onNext(T answer) {
            answers.add(answer);
        }

        @Override
        public void onError(Throwable cause) {
            failures.add(cause);
            over = true;
        }

        @Override
        public void onCompleted() {
            over = true;
        }
    }
}
