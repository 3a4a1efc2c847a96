package dev.weir.server.settings;

import dev.weir.control.source.SourceSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** What can be set about rules that come over a network. */
final class RuleSettings {
    private static final SourceSettings DEFAULT = SourceSettings.NONE;

    static final Setting<String> USER =
            Setting.of("rules_user", "NAME", "Who we are to etcd.", "", "a name", text -> text);
    static final Setting<String> PASSWORD =
            Setting.secret("rules_password", "Password for etcd; in weir.yaml or the environment only.");
    static final Setting<Path> PASSWORD_FILE = Setting.file(
            "rules_password_file", "File that holds the password for etcd; read anew at every connection.");
    static final Setting<Path> TLS_CA = Setting.file(
                    "rules_tls_ca",
                    "Authorities in PEM that sign the certificates of etcd and xDS servers; without it, those of the JVM.")
            .as("CONFIG_GRPC_XDS_SERVER_TLS_CACERT");
    static final Setting<Path> TLS_CERT = Setting.file("rules_tls_cert", "Certificate to show to them, in PEM.")
            .as("CONFIG_GRPC_XDS_CLIENT_TLS_CERT");
    static final Setting<Path> TLS_KEY = Setting.file("rules_tls_key", "Private key of that certificate, in PEM.")
            .as("CONFIG_GRPC_XDS_CLIENT_TLS_KEY");
    static final Setting<String> TLS_NAME = Setting.of(
                    "rules_tls_name",
                    "NAME",
                    "Name that their certificates must be for; without it, the host that was asked.",
                    "",
                    "a name",
                    SettingParsers::host)
            .as("CONFIG_GRPC_XDS_SERVER_TLS_SAN");
    static final Setting<Duration> RETRY = Setting.of(
                    "rules_retry",
                    "DURATION",
                    "Longest between two attempts to reach a source of rules that is away.",
                    DEFAULT.retry().toSeconds() + "s",
                    "a duration from 10ms to 10m",
                    SettingParsers.duration(Duration.ofMillis(10), Duration.ofMinutes(10)))
            .as("CONFIG_GRPC_XDS_SERVER_CONNECT_RETRY_INTERVAL");
    static final Setting<Duration> WAIT = Setting.of(
            "rules_wait",
            "DURATION",
            "Longest that a start waits for rules of etcd or xDS that it has no copy of; then it refuses.",
            DEFAULT.patience().toSeconds() + "s",
            "a duration from 0s to 1d",
            SettingParsers.duration(Duration.ZERO, Duration.ofDays(1)));
    static final Setting<Boolean> REQUIRED = Setting.truth(
                    "rules_required",
                    "Off: a start goes ahead without rules of etcd or xDS that it can not get.",
                    "true")
            .asOpposite("FORCE_START_WITHOUT_INITIAL_CONFIG");
    static final Setting<String> NODE_ID = Setting.of(
                    "xds_node_id",
                    "NAME",
                    "Who we are to an xDS server.",
                    DEFAULT.node().id(),
                    "a name",
                    text -> text)
            .as("CONFIG_GRPC_XDS_NODE_ID");
    static final Setting<String> NODE_METADATA = Setting.of(
                    "xds_node_metadata",
                    "NAME=VALUE,…",
                    "What else an xDS server is told of us.",
                    "",
                    "name=value,name=value",
                    text -> text)
            .as("CONFIG_GRPC_XDS_NODE_METADATA");
    static final Setting<String> HEADERS = Setting.of(
                    "xds_headers",
                    "SECRET",
                    "Headers for an xDS server, name:value,name:value; in weir.yaml or the environment only.",
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
            NODE_ID,
            NODE_METADATA,
            HEADERS);

    private RuleSettings() {}
}
