package dev.weir.control.testkit;

import com.google.protobuf.Any;
import dev.weir.control.xds.proto.DiscoveryRequest;
import dev.weir.control.xds.proto.DiscoveryResponse;
import dev.weir.control.xds.proto.RateLimitConfig;
import dev.weir.control.xds.proto.RateLimitDescriptor;
import dev.weir.control.xds.proto.RateLimitPolicy;
import dev.weir.control.xds.proto.RateLimitUnit;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** An xDS server that sends what a test sets, and records what clients send. */
public final class XdsServer implements AutoCloseable {
    public static final String TYPE = "type.googleapis.com/ratelimit.config.ratelimit.v3.RateLimitConfig";

    private static final MethodDescriptor<DiscoveryRequest, DiscoveryResponse> STREAM =
            MethodDescriptor.<DiscoveryRequest, DiscoveryResponse>newBuilder()
                    .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                    .setFullMethodName(
                            "envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources")
                    .setRequestMarshaller(ProtoUtils.marshaller(DiscoveryRequest.getDefaultInstance()))
                    .setResponseMarshaller(ProtoUtils.marshaller(DiscoveryResponse.getDefaultInstance()))
                    .build();

    private final ServerCredentials credentials;
    private final List<DiscoveryRequest> requests = new CopyOnWriteArrayList<>();
    private final List<Metadata> headers = new CopyOnWriteArrayList<>();
    private final List<StreamObserver<DiscoveryResponse>> streams = new ArrayList<>();
    private @Nullable DiscoveryResponse current;
    private int nonces;
    private Server server;
    private final int port;

    private XdsServer(ServerCredentials credentials) throws IOException {
        this.credentials = credentials;
        this.server = listen(0);
        this.port = server.getPort();
    }

    public static XdsServer start() throws IOException {
        return start(InsecureServerCredentials.create());
    }

    public static XdsServer start(ServerCredentials credentials) throws IOException {
        return new XdsServer(credentials);
    }

    /** Creates a limit per hour for each value of {@code key}, in a domain of that name. */
    public static RateLimitConfig hourly(String domain, String key, int requests) {
        return RateLimitConfig.newBuilder()
                .setName(domain)
                .setDomain(domain)
                .addDescriptors(RateLimitDescriptor.newBuilder()
                        .setKey(key)
                        .setRateLimit(RateLimitPolicy.newBuilder()
                                .setUnit(RateLimitUnit.HOUR)
                                .setRequestsPerUnit(requests)))
                .build();
    }

    private Server listen(int port) throws IOException {
        ServerServiceDefinition service = ServerServiceDefinition.builder(
                        "envoy.service.discovery.v3.AggregatedDiscoveryService")
                .addMethod(STREAM, ServerCalls.asyncBidiStreamingCall(this::stream))
                .build();
        return Grpc.newServerBuilderForPort(port, credentials)
                .addService(ServerInterceptors.intercept(service, new Listening()))
                .build()
                .start();
    }

    public int port() {
        return port;
    }

    /** Returns the requests of clients so far. */
    public List<DiscoveryRequest> requests() {
        return requests;
    }

    /** Returns the headers of the clients' streams. */
    public List<Metadata> headers() {
        return headers;
    }

    /** Sends these to all clients, and to those that connect later. */
    public void set(String version, RateLimitConfig... configs) {
        DiscoveryResponse.Builder response = DiscoveryResponse.newBuilder();
        for (RateLimitConfig each : configs) {
            response.addResources(Any.newBuilder().setTypeUrl(TYPE).setValue(each.toByteString()));
        }
        send(response.setVersionInfo(version).build());
    }

    /** Sends {@code response}, with a nonce of its own. */
    public synchronized void send(DiscoveryResponse response) {
        current = response.toBuilder()
                .setTypeUrl(TYPE)
                .setNonce("nonce-" + ++nonces)
                .build();
        streams.forEach(each -> each.onNext(current));
    }

    private StreamObserver<DiscoveryRequest> stream(StreamObserver<DiscoveryResponse> out) {
        return new StreamObserver<>() {
            @Override
            public void onNext(DiscoveryRequest request) {
                requests.add(request);
                if (request.getResponseNonce().isEmpty()) {
                    begin(out);
                }
            }

            @Override
            public void onError(Throwable failure) {
                end(out);
            }

            @Override
            public void onCompleted() {
                end(out);
                out.onCompleted();
            }
        };
    }

    private synchronized void begin(StreamObserver<DiscoveryResponse> out) {
        streams.add(out);
        if (current != null) {
            out.onNext(current);
        }
    }

    private synchronized void end(StreamObserver<DiscoveryResponse> out) {
        streams.remove(out);
    }

    /** Is gone, and forgets whom it talked to. */
    public synchronized void stop() {
        server.shutdownNow();
        streams.clear();
    }

    /** Is back on its port. */
    public void restart() throws IOException, InterruptedException {
        server.awaitTermination();
        server = listen(port);
    }

    @Override
    public void close() {
        stop();
    }

    private final class Listening implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata sent, ServerCallHandler<Q, A> next) {
            headers.add(sent);
            return next.startCall(call, sent);
        }
    }
}
