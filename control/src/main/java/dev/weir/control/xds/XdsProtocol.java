package dev.weir.control.xds;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.weir.control.grpc.BlockingGrpcStream;
import dev.weir.control.grpc.SourceConnection;
import dev.weir.control.source.SourceAddress;
import dev.weir.control.source.SourceProtocol;
import dev.weir.control.source.SourceSettings;
import dev.weir.control.xds.proto.DiscoveryRequest;
import dev.weir.control.xds.proto.DiscoveryResponse;
import dev.weir.control.xds.proto.Node;
import dev.weir.control.xds.proto.Status;
import dev.weir.rules.internal.load.RuleDocument;
import dev.weir.text.diagnostics.Diagnostic;
import io.grpc.Metadata;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Follows an xDS server. Each response holds all rules. Weir acknowledges it once they are in force. Otherwise Weir
 * refuses it with the errors, and the last good rules stay in force. A response that is sent again after a refusal is
 * refused with growing pauses.
 */
public final class XdsProtocol implements SourceProtocol {
    private static final long IDLE_MILLIS = 60_000;
    /**
     * The keep-alive interval. A gRPC server with default settings, such as Envoy Gateway's, closes connections that
     * ping more often than every five minutes.
     */
    private static final Duration PING = Duration.ofMinutes(6);

    private static final int INVALID_ARGUMENT = 3;
    private static final int SHOWN = 20;

    private final SourceAddress.Xds address;
    private final SourceSettings settings;

    public XdsProtocol(SourceAddress.Xds address, SourceSettings settings) {
        this.address = address;
        this.settings = settings;
    }

    @Override
    public RuleDocument document(String name, byte[] bytes) {
        return EnvoyYamlWriter.document(name, bytes);
    }

    @Override
    public void follow(int attempt, SnapshotListener listener) throws Exception {
        try (SourceConnection connection =
                        SourceConnection.to(address.host(), address.tls() ? settings.tls() : null, PING);
                BlockingGrpcStream<DiscoveryRequest, DiscoveryResponse> stream =
                        new BlockingGrpcStream<>(connection.channel(), XdsApi.STREAM, headers())) {
            // Send no version: a restarted server may count from one again and would mistake ours for its own.
            String accepted = "";
            NackBackoff refusals = new NackBackoff();
            stream.send(request("").setNode(node()).build());
            DiscoveryResponse response = stream.next(IDLE_MILLIS);
            while (true) {
                if (response == null) {
                    response = stream.next(IDLE_MILLIS);
                    continue;
                }
                List<Diagnostic> errors = listener.accept(XdsResources.of(response));
                if (errors.isEmpty()) {
                    accepted = response.getVersionInfo();
                }
                long pause = errors.isEmpty() ? 0 : refusals.pauseMillis(response);
                DiscoveryResponse newer = pause == 0 ? null : stream.next(pause);
                if (newer == null) {
                    stream.send(answer(response, accepted, errors));
                }
                response = newer;
            }
        }
    }

    private static DiscoveryRequest answer(DiscoveryResponse response, String accepted, List<Diagnostic> errors) {
        DiscoveryRequest.Builder answer = request(accepted).setResponseNonce(response.getNonce());
        if (!errors.isEmpty()) {
            String lines =
                    errors.stream().limit(SHOWN).map(Diagnostic::toString).collect(Collectors.joining("\n"));
            answer.setErrorDetail(Status.newBuilder().setCode(INVALID_ARGUMENT).setMessage(lines));
        }
        return answer.build();
    }

    private static DiscoveryRequest.Builder request(String version) {
        return DiscoveryRequest.newBuilder().setVersionInfo(version).setTypeUrl(XdsApi.CONFIG_TYPE);
    }

    private Node node() {
        Struct.Builder metadata = Struct.newBuilder();
        settings.node()
                .metadata()
                .forEach((name, value) -> metadata.putFields(
                        name, Value.newBuilder().setStringValue(value).build()));
        return Node.newBuilder()
                .setId(settings.node().id())
                .setMetadata(metadata)
                .setUserAgentName("weir")
                .build();
    }

    private Metadata headers() {
        Metadata headers = new Metadata();
        settings.node()
                .headers()
                .forEach((name, value) -> headers.put(
                        Metadata.Key.of(name.toLowerCase(Locale.ROOT), Metadata.ASCII_STRING_MARSHALLER), value));
        return headers;
    }
}
