package dev.weir.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import dev.weir.Decision;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.Weir;
import dev.weir.client.Pacer;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Both interceptors on a real server and a real channel. */
class InterceptorsTest {
    private static final MethodDescriptor<String, String> SAY = method("Say", MethodType.UNARY);
    private static final MethodDescriptor<String, String> LIST = method("List", MethodType.SERVER_STREAMING);
    private static final MethodDescriptor<String, String> ASK = method("Ask", MethodType.UNARY);
    private static final MethodDescriptor<String, String> FAIL = method("Fail", MethodType.UNARY);

    private final Weir weir = Weir.open(RuleSet.builder("api")
            .rule("say", Limit.fixedWindow(3, Duration.ofDays(1)))
            .match("endpoint", "/test.Talk/Say")
            .keyBy("api_key | ip")
            .rule("soon", Limit.tokenBucket(1, Duration.ofSeconds(5)))
            .match("endpoint", "/test.Talk/Fail")
            .rule("lists", Limit.concurrency(1, Duration.ofHours(1)))
            .match("endpoint", "/test.Talk/List")
            .rule("asks", Limit.concurrency(1, Duration.ofHours(1)))
            .match("endpoint", "/test.Talk/Ask")
            .build());
    private final Queue<StreamObserver<String>> open = new ConcurrentLinkedQueue<>();
    private Server server;
    private ManagedChannel channel;

    @BeforeEach
    void start() throws IOException {
        ServerServiceDefinition service = ServerServiceDefinition.builder("test.Talk")
                .addMethod(SAY, ServerCalls.asyncUnaryCall((text, answer) -> {
                    answer.onNext("hello " + text);
                    answer.onCompleted();
                }))
                .addMethod(LIST, ServerCalls.asyncServerStreamingCall((text, answer) -> {
                    if (text.equals("throw")) {
                        throw new IllegalStateException("on purpose");
                    }
                    answer.onNext(text);
                    open.add(answer);
                }))
                .addMethod(ASK, ServerCalls.asyncUnaryCall((text, answer) -> open.add(answer)))
                .addMethod(FAIL, ServerCalls.asyncUnaryCall((text, answer) -> {
                    answer.onNext("");
                    answer.onCompleted();
                }))
                .build();
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(service)
                .intercept(WeirServerInterceptor.builder(weir).build())
                .build()
                .start();
        channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                .usePlaintext()
                .build();
    }

    @AfterEach
    void stop() throws InterruptedException {
        channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        weir.close();
    }

    private static String call(Channel channel, MethodDescriptor<String, String> method, String text) {
        return ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, text);
    }

    @Test
    void aDenialTellsHowLongToWaitAndWhoseQuotaItIs() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(call(channel, SAY, "you")).isEqualTo("hello you");
        }
        StatusRuntimeException denied = refused(SAY);
        assertThat(denied.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(denied.getStatus().getDescription()).startsWith("denied by say (3 per 1d, fixed_window)");
        com.google.rpc.Status status = StatusProto.fromThrowable(denied);
        assertThat(status).isNotNull();
        RetryInfo retry = status.getDetails(0).unpack(RetryInfo.class);
        assertThat(retry.getRetryDelay().getSeconds()).isBetween(0L, 86_400L);
        QuotaFailure quota = status.getDetails(1).unpack(QuotaFailure.class);
        assertThat(quota.getViolations(0).getSubject()).isEqualTo("say:ip=127.0.0.1");
        Metadata trailers = denied.getTrailers();
        assertThat(trailers).isNotNull();
        assertThat(trailers.get(key("ratelimit-policy"))).isEqualTo("\"say\";q=3;w=86400");
        assertThat(trailers.get(key("ratelimit"))).startsWith("\"say\";r=0;t=");
        long wait = retry.getRetryDelay().getSeconds();
        assertThat(trailers.get(key("grpc-retry-pushback-ms")))
                .as("not for a library to wait %s s", wait)
                .isEqualTo(wait >= 10 ? "-1" : trailers.get(key("grpc-retry-pushback-ms")));
    }

    @Test
    void aShortWaitIsPushedBackExactly() {
        call(channel, FAIL, "");
        StatusRuntimeException denied = refused(FAIL);
        Metadata trailers = denied.getTrailers();
        assertThat(trailers).isNotNull();
        String pushback = trailers.get(key("grpc-retry-pushback-ms"));
        assertThat(Long.parseLong(String.valueOf(pushback))).isBetween(1L, 5_000L);
        assertThat(trailers.get(key("retry-after"))).matches("[1-5]");
    }

    private StatusRuntimeException refused(MethodDescriptor<String, String> method) {
        try {
            call(channel, method, "");
        } catch (StatusRuntimeException e) {
            return e;
        }
        throw new AssertionError("not refused");
    }

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    @Test
    void aStreamHoldsItsPermitUntilItEndsHoweverItEnds() {
        Iterator<String> first = list("a");
        assertThat(first.next()).isEqualTo("a");
        assertThatThrownBy(() -> list("b").next()).isInstanceOf(StatusRuntimeException.class);
        open.remove().onCompleted();
        assertThat(first.hasNext()).isFalse();
        awaitReleased();

        // The handler throws.
        assertThatThrownBy(() -> list("throw").next()).isInstanceOf(StatusRuntimeException.class);
        awaitReleased();

        // The client leaves.
        Context.CancellableContext leaving = Context.current().withCancellation();
        leaving.run(() -> assertThat(list("c").next()).isEqualTo("c"));
        leaving.cancel(null);
        awaitReleased();

        // The server ends with an error.
        Iterator<String> last = list("d");
        assertThat(last.next()).isEqualTo("d");
        await().until(() -> !open.isEmpty());
        open.forEach(each -> each.onError(Status.ABORTED.asRuntimeException()));
        assertThatThrownBy(last::hasNext).isInstanceOf(StatusRuntimeException.class);
        awaitReleased();
        assertThat(inFlight()).as("none was released twice").isZero();
    }

    @Test
    void aUnaryCallHoldsItsPermitUntilItIsAnsweredOrGivenUp() throws Exception {
        var first = ClientCalls.futureUnaryCall(channel.newCall(ASK, CallOptions.DEFAULT), "a");
        await().until(() -> !open.isEmpty());
        assertThat(refused(ASK).getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        StreamObserver<String> answer = open.remove();
        answer.onNext("yes");
        answer.onCompleted();
        assertThat(first.get()).isEqualTo("yes");
        await().until(() -> inFlight("Ask") == 0);

        // The client does not wait for the answer.
        var second = ClientCalls.futureUnaryCall(channel.newCall(ASK, CallOptions.DEFAULT), "b");
        await().until(() -> !open.isEmpty());
        assertThat(inFlight("Ask")).isEqualTo(1);
        second.cancel(true);
        await().until(() -> inFlight("Ask") == 0);
    }

    private Iterator<String> list(String text) {
        return ClientCalls.blockingServerStreamingCall(channel, LIST, CallOptions.DEFAULT, text);
    }

    private void awaitReleased() {
        await().until(() -> inFlight() == 0);
    }

    private long inFlight() {
        return inFlight("List");
    }

    private long inFlight(String method) {
        Decision decision = weir.decide(Request.to("api")
                .asAttributes()
                .with("endpoint", "POST /test.Talk/" + method)
                .takeNothing());
        return 1 - decision.verdicts().get(0).remaining();
    }

    @Test
    void aClientThatPacesItselfWaitsAsItWasTold() {
        Pacer pacer = Pacer.builder().maxWait(Duration.ZERO).build();
        Channel paced = ClientInterceptors.intercept(channel, new PacingClientInterceptor(pacer));
        call(paced, FAIL, "");
        StatusRuntimeException denied = null;
        for (int i = 0; i < 50 && denied == null; i++) {
            try {
                call(paced, FAIL, "");
            } catch (StatusRuntimeException e) {
                denied = e;
            }
        }
        assertThat(denied).isNotNull();
        assertThatThrownBy(() -> call(paced, FAIL, ""))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageContaining("leave no room for this call in time");
    }

    @Test
    void theDomainIsChecked() {
        assertThatThrownBy(() ->
                        WeirServerInterceptor.builder(weir).domain("other").build())
                .hasMessage("domain: other (expected: one of api)");
    }

    private static MethodDescriptor<String, String> method(String name, MethodType type) {
        return MethodDescriptor.<String, String>newBuilder(Text.INSTANCE, Text.INSTANCE)
                .setType(type)
                .setFullMethodName("test.Talk/" + name)
                .build();
    }

    private enum Text implements MethodDescriptor.Marshaller<String> {
        INSTANCE;

        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
