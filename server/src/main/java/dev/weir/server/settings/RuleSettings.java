package dev.weir.server.settings;

import dev.weir.control.source.SourceSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The settings of rule sources on the network. */
final class RuleSettings {
    private static final SourceSettings DEFAULT = SourceSettings.NONE;

    static final Setting<String> USER =
            Setting.of("rules_user", "NAME", "Username for etcd.", "", "a name", text -> text);
    static final Setting<String> PASSWORD =
            Setting.secret("rules_password", "Password for etcd; in weir.yaml or the environment only.");
    static final Setting<Path> PASSWORD_FILE =
            Setting.file("rules_password_file", "File with the password for etcd; read at every connection.");
    static final Setting<Path> TLS_CA = Setting.file(
                    "rules_tls_ca", "CA bundle (PEM) for etcd and xDS servers; without it, the JVM's.")
            .as("CONFIG_GRPC_XDS_SERVER_TLS_CACERT");
    static final Setting<Path> TLS_CERT = Setting.file(
                    "rules_tls_cert", "Client certificate (PEM) for etcd and xDS servers.")
            .as("CONFIG_GRPC_XDS_CLIENT_TLS_CERT");
    static final Setting<Path> TLS_KEY = Setting.file("rules_tls_key", "Private key (PEM) of that certificate.")
            .as("CONFIG_GRPC_XDS_CLIENT_TLS_KEY");
    static final Setting<String> TLS_NAME = Setting.of(
                    "rules_tls_name",
                    "NAME",
                    "Name that their certificates must be issued for; without it, the host of the address.",
                    "",
                    "a name",
                    SettingParsers::host)
            .as("CONFIG_GRPC_XDS_SERVER_TLS_SAN");
    static final Setting<Duration> RETRY = Setting.of(
                    "rules_retry",
                    "DURATION",
                    "Maximum delay between attempts to reach an unreachable rule source.",
                    DEFAULT.retry().toSeconds() + "s",
                    "a duration from 10ms to 10m",
                    SettingParsers.duration(Duration.ofMillis(10), Duration.ofMinutes(10)))
            .as("CONFIG_GRPC_XDS_SERVER_CONNECT_RETRY_INTERVAL");
    static final Setting<Duration> WAIT = Setting.of(
            "rules_wait",
            "DURATION",
            "Maximum wait at the start for rules of etcd or xDS without a local copy; then the start fails.",
            DEFAULT.patience().toSeconds() + "s",
            "a duration from 0s to 1d",
            SettingParsers.duration(Duration.ZERO, Duration.ofDays(1)));
    static final Setting<Boolean> REQUIRED = Setting.bool(
                    "rules_required",
                    "false: start even without the rules of an unreachable etcd or xDS server.",
                    "true")
            .asOpposite("FORCE_START_WITHOUT_INITIAL_CONFIG");
    static final Setting<Boolean> HEALTHY_WITHOUT = Setting.bool(
                    "healthy_without_rules",
                    "false: health checks fail until rules of a domain are in force, and while there are none.",
                    "true")
            .asOpposite("HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED");
    static final Setting<String> NODE_ID = Setting.of(
                    "xds_node_id",
                    "NAME",
                    "Node id sent to the xDS server.",
                    DEFAULT.node().id(),
                    "a name",
                    text -> text)
            .as("CONFIG_GRPC_XDS_NODE_ID");
    static final Setting<String> NODE_METADATA = Setting.of(
                    "xds_node_metadata",
                    "NAME=VALUE,…",
                    "Node metadata sent to the xDS server.",
                    "",
                    "name=value,name=value",
                    text -> text)
            .as("CONFIG_GRPC_XDS_NODE_METADATA");
    static final Setting<String> HEADERS = Setting.of(
                    "xds_headers",
                    "SECRET",
                    "Headers sent to the xDS server, name:value,name:value; in weir.yaml or the environment only.",
                    "",
                    "name:value,name:value",
                    text -> text)
            .as("CONFIG_GRPC_XDS_CLIENT_ADDITIONAL_HEADERS");

    static final List<Setting<?>> ALL = List.of(
            USER,
            PASSWORD,
            PASSWORD_FILE,
            TLS_CA,
            TLS_CERT,
            TLS_KEY,
            TLS_NAME,
            RETRY,
            WAIT,
            REQUIRED,
            HEALTHY_WITHOUT,
            NODE_ID,
            NODE_METADATA,
            HEADERS);

    private RuleSettings() {}
}
