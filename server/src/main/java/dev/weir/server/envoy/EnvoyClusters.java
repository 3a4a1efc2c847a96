package dev.weir.server.envoy;

import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlNode.Sequence;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The clusters of an Envoy configuration, and whether a gRPC service can be asked through them. */
final class EnvoyClusters {
    private static final String OPTIONS = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

    private final DiagnosticCollector problems;
    private final Map<String, Mapping> byName = new LinkedHashMap<>();
    /** Whether Envoy gets clusters from elsewhere. */
    private final boolean dynamic;

    EnvoyClusters(YamlNode root, DiagnosticCollector problems) {
        this.problems = problems;
        this.dynamic = ProtoFields.at(root, "dynamic_resources", "cds_config") != null;
        find(root);
    }

    private void find(YamlNode node) {
        if (node instanceof Sequence list) {
            list.items().forEach(this::find);
        } else if (node instanceof Mapping mapping) {
            for (YamlNode each : ProtoFields.items(mapping, "clusters")) {
                if (each instanceof Mapping cluster) {
                    byName.put(ProtoFields.text(cluster, "name"), cluster);
                }
            }
            mapping.entries().stream()
                    .filter(each -> !ProtoFields.snakeCase(each.key().text()).equals("weighted_clusters"))
                    .forEach(each -> find(each.value()));
        }
    }

    /** Checks the {@code grpc_service} of a filter. Says what follows {@code ifLost} if no call can succeed. */
    void checkService(@Nullable YamlNode service, Position filter, String field, String ifLost, boolean lasting) {
        if (service == null) {
            problems.error(filter, field + ": missing", "expected: envoy_grpc: { cluster_name: … }");
            return;
        }
        YamlNode named = ProtoFields.at(service, "envoy_grpc", "cluster_name");
        if (!(named instanceof Scalar name)) {
            return; // google_grpc speaks HTTP/2 by itself
        }
        Mapping cluster = byName.get(name.text());
        if (cluster == null) {
            if (!byName.isEmpty() && !dynamic) {
                String near = Suggestion.nearest(name.text(), List.copyOf(byName.keySet()));
                problems.error(
                        name.at(),
                        "unknown cluster '" + name.text() + "'",
                        near == null
                                ? "expected: one of " + String.join(", ", byName.keySet())
                                : "did you mean " + near + "?");
            }
            return;
        }
        YamlNode http2 = http2(cluster);
        if (http2 == null) {
            problems.warning(
                    cluster.at(),
                    "cluster '" + name.text() + "' has no http2_protocol_options: every call of it fails, and "
                            + ifLost,
                    "add them to explicit_http_config, under typed_extension_protocol_options");
        } else if (lasting && ProtoFields.at(http2, "connection_keepalive") == null) {
            problems.warning(
                    http2.at(),
                    "cluster '" + name.text()
                            + "' has no connection_keepalive: a stream to a server that is gone stays open",
                    "add connection_keepalive: { interval: 5s, timeout: 2s }");
        }
    }

    private static @Nullable YamlNode http2(Mapping cluster) {
        YamlNode options = ProtoFields.at(cluster, "typed_extension_protocol_options", OPTIONS);
        for (String way : List.of("explicit_http_config", "use_downstream_protocol_config", "auto_config")) {
            YamlNode found = ProtoFields.at(options, way, "http2_protocol_options");
            if (found != null) {
                return found;
            }
        }
        return ProtoFields.at(cluster, "http2_protocol_options");
    }
}
