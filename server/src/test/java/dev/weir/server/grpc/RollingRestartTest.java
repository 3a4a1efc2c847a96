package dev.weir.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import dev.weir.testkit.ExternalPrograms;
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
import java.nio.charset.StandardCharsets;
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
        NameResolverProvider[] resolver = new NameResolverProvider[1];
        try {
            whileServersRestart(servers -> {
                resolver[0] = fixed(servers.stream()
                        .map(each -> new EquivalentAddressGroup(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), each.grpcPort())))
                        .toList());
                NameResolverRegistry.getDefaultRegistry().register(resolver[0]);
                return new Load(NettyChannelBuilder.forTarget(SCHEME + ":///weir")
                        .defaultLoadBalancingPolicy("round_robin")
                        .usePlaintext()
                        .build());
            });
        } finally {
            if (resolver[0] != null) {
                NameResolverRegistry.getDefaultRegistry().deregister(resolver[0]);
            }
        }
    }

    @Test
    void noCallOfGrpcJsFails() throws Exception {
        String folder = System.getProperty("grpc-js");
        Path modules = folder == null
                ? ExternalPrograms.missing("-Dgrpc-js=… does not name a folder with @grpc/grpc-js")
                : Path.of(folder, "node_modules");
        String node = ExternalPrograms.program("node").toString();
        whileServersRestart(servers -> new GrpcJs(node, modules, servers));
    }

    /** Calls servers from its beginning to its end. */
    private interface Calls {
        /** Ends after the calls in flight; returns every failure. */
        List<String> end() throws Exception;
    }

    /** Begins to call servers. */
    private interface Caller {
        Calls begin(List<RunningServer> servers) throws Exception;
    }

    private void whileServersRestart(Caller caller) throws Exception {
        Path rules = Files.writeString(folder.resolve("api.yaml"), """
                domain: api
                descriptors:
                  - { key: user, rate_limit: { unit: hour, requests_per_unit: 1000000 } }
                """);
        try (RedisProcess redis = RedisProcess.start()) {
            List<RunningServer> servers = new ArrayList<>();
            try {
                for (int i = 0; i < 2; i++) {
                    servers.add(server(rules, redis, 0));
                }
                Calls calls = caller.begin(servers);
                List<String> failures;
                try {
                    for (int i = 0; i < RESTARTS; i++) {
                        awaitCallsBy(servers);
                        int which = i % servers.size();
                        int port = servers.get(which).grpcPort();
                        servers.get(which).close();
                        servers.set(which, server(rules, redis, port));
                    }
                    awaitCallsBy(servers);
                } finally {
                    failures = calls.end();
                }
                assertThat(failures).as("after %d restarts", RESTARTS).isEmpty();
            } finally {
                servers.forEach(RunningServer::close);
            }
        }
    }

    private static RunningServer server(Path rules, RedisProcess redis, int port) throws Exception {
        return RunningServer.with(rules, "store", redis.uri(), "grpc_port", String.valueOf(port), "deadline", "1s");
    }

    /** Waits until every server has answered calls since it started. */
    private static void awaitCallsBy(List<RunningServer> servers) {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> servers.stream().allMatch(each -> {
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

    /** The same from {@code @grpc/grpc-js}, in a process of its own. */
    private static final class GrpcJs implements Calls {
        private final Process process;

        GrpcJs(String node, Path modules, List<RunningServer> servers) throws Exception {
            Path script =
                    Path.of(RollingRestartTest.class.getResource("steady.js").toURI());
            List<String> command = new ArrayList<>(List.of(node, script.toString()));
            servers.forEach(each -> command.add("127.0.0.1:" + each.grpcPort()));
            ProcessBuilder start = new ProcessBuilder(command).redirectErrorStream(true);
            start.environment().put("NODE_PATH", modules.toString());
            process = start.start();
        }

        @Override
        public List<String> end() throws Exception {
            try {
                process.getOutputStream().close();
                String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                return said.startsWith("failed=0\nanswered=") ? List.of() : List.of(said);
            } finally {
                process.destroyForcibly().onExit().join();
            }
        }
    }

    /** Keeps calls in flight; each answer makes the next call. */
    private static final class Load implements Calls {
        private final ManagedChannel channel;
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final AtomicInteger open = new AtomicInteger();
        private final Queue<Status> failures = new ConcurrentLinkedQueue<>();

        Load(ManagedChannel channel) {
            this.channel = channel;
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
                public void onNext(RateLimitResponse answer) {}

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

        @Override
        public List<String> end() {
            stopped.set(true);
            try {
                Awaitility.await().atMost(PATIENCE).until(() -> open.get() == 0);
                return failures.stream().map(Status::toString).toList();
            } finally {
                channel.shutdownNow();
            }
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
