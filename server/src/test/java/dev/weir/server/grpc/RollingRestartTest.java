package dev.weir.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.EquivalentAddressGroup;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.Status;
import io.grpc.StatusOr;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers on one Redis that are restarted in turn while a client of another make keeps calling them. */
class RollingRestartTest {
    private static final int RESTARTS = Integer.getInteger("weir.restarts", 12);
    private static final int AT_ONCE = 32;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String SCHEME = "weir-test";
    private static final MethodDescriptor<RateLimitRequest, RateLimitResponse> CALL = MethodDescriptor.newBuilder(
                    ProtoUtils.marshaller(RateLimitRequest.getDefaultInstance()),
                    ProtoUtils.marshaller(RateLimitResponse.getDefaultInstance()))
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit")
            .build();

    @TempDir
    Path folder;

    @Test
    void noCallFails() throws Exception {
        Path rules = Files.writeString(folder.resolve("api.yaml"), """
                domain: api
                descriptors:
                  - { key: user, rate_limit: { unit: hour, requests_per_unit: 1000000 } }
                """);
        NameResolverProvider resolver = null;
        try (RedisProcess redis = RedisProcess.start()) {
            List<RunningServer> servers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                servers.add(server(rules, redis, 0));
            }
            List<EquivalentAddressGroup> addresses = servers.stream()
                    .map(each -> new EquivalentAddressGroup(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), each.grpcPort())))
                    .toList();
            resolver = fixed(addresses);
            NameResolverRegistry.getDefaultRegistry().register(resolver);
            ManagedChannel channel = NettyChannelBuilder.forTarget(SCHEME + ":///weir")
                    .defaultLoadBalancingPolicy("round_robin")
                    .usePlaintext()
                    .build();
            Load load = new Load(channel);
            try {
                load.start();
                for (int i = 0; i < RESTARTS; i++) {
                    awaitCallsBy(servers, load);
                    int which = i % servers.size();
                    int port = servers.get(which).grpcPort();
                    servers.get(which).close();
                    servers.set(which, server(rules, redis, port));
                }
                awaitCallsBy(servers, load);
            } finally {
                load.stop();
                channel.shutdownNow();
                servers.forEach(RunningServer::close);
            }
            System.out.println(RESTARTS + " restarts, " + load.answered + " calls, failed: " + load.failures);
            assertThat(load.failures).isEmpty();
        } finally {
            if (resolver != null) {
                NameResolverRegistry.getDefaultRegistry().deregister(resolver);
            }
        }
    }

    private static RunningServer server(Path rules, RedisProcess redis, int port) throws Exception {
        return RunningServer.with(rules, "store", redis.uri(), "grpc_port", String.valueOf(port), "deadline", "1s");
    }

    /** Waits until every server has answered calls since it started. */
    private static void awaitCallsBy(List<RunningServer> servers, Load load) {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> !load.failures.isEmpty()
                        || servers.stream().allMatch(each -> {
                            try {
                                return each.get("/metrics")
                                        .body()
                                        .lines()
                                        .anyMatch(line -> line.startsWith("ratelimit_requests_total")
                                                && Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)) > 50);
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        }));
    }

    /** Keeps calls in flight; each answer makes the next call. */
    private static final class Load {
        private final ManagedChannel channel;
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final AtomicInteger open = new AtomicInteger();
        private final AtomicLong answered = new AtomicLong();
        private final Queue<Status> failures = new ConcurrentLinkedQueue<>();

        Load(ManagedChannel channel) {
            this.channel = channel;
        }

        void start() {
            for (int i = 0; i < AT_ONCE; i++) {
                open.incrementAndGet();
                call(request("u" + i));
            }
        }

        private void call(RateLimitRequest request) {
            // A call that no server takes ends with an error too.
            CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.SECONDS);
            ClientCalls.asyncUnaryCall(channel.newCall(CALL, options), request, new StreamObserver<>() {
                @Override
                public void onNext(RateLimitResponse answer) {
                    answered.incrementAndGet();
                }

                @Override
                public void onError(Throwable failure) {
                    failures.add(Status.fromThrowable(failure));
                    next();
                }

                @Override
                public void onCompleted() {
                    next();
                }

                private void next() {
                    if (stopped.get() || failures.size() > 100) {
                        open.decrementAndGet();
                    } else {
                        call(request);
                    }
                }
            });
        }

        void stop() {
            stopped.set(true);
            Awaitility.await().atMost(PATIENCE).until(() -> open.get() == 0);
        }
    }

    private static RateLimitRequest request(String user) {
        return RateLimitRequest.newBuilder()
                .setDomain("api")
                .addDescriptors(RateLimitDescriptor.newBuilder()
                        .addEntries(RateLimitDescriptor.Entry.newBuilder()
                                .setKey("user")
                                .setValue(user)))
                .build();
    }

    private static NameResolverProvider fixed(List<EquivalentAddressGroup> addresses) {
        return new NameResolverProvider() {
            @Override
            protected boolean isAvailable() {
                return true;
            }

            @Override
            protected int priority() {
                return 5;
            }

            @Override
            public String getDefaultScheme() {
                return SCHEME;
            }

            @Override
            public NameResolver newNameResolver(URI target, NameResolver.Args args) {
                return new NameResolver() {
                    @Override
                    public String getServiceAuthority() {
                        return "weir";
                    }

                    @Override
                    public void start(Listener2 listener) {
                        listener.onResult(ResolutionResult.newBuilder()
                                .setAddressesOrError(StatusOr.fromValue(addresses))
                                .setAttributes(Attributes.EMPTY)
                                .build());
                    }

                    @Override
                    public void shutdown() {}
                };
            }
        };
    }
}
