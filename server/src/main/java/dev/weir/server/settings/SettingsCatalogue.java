package dev.weir.server.settings;

import dev.weir.internal.limiter.check.LimiterSettings;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Every setting there is; the command's flags, the reader and the documentation are made from this list. */
public final class SettingsCatalogue {
    /** Read with care: a message about it must not repeat a password. */
    static final Setting<String> RULES = Setting.of(
            "rules",
            "SOURCE,…",
            "Rules to enforce, each a file, a folder, etcd://host:port/prefix or xds://host:port (etcds, xdss: TLS); without"
                    + " it, the example rules.",
            "",
            "sources of rules with commas between",
            text -> text);

    static final Setting<Boolean> MERGE_DOMAINS = Setting.truth(
                    "merge_domains", "Let several files add to one domain of Envoy's spelling.", "false")
            .as("MERGE_DOMAIN_CONFIG");

    static final Setting<String> HOST = host("host", "Address that HTTP and gRPC listen on.", "0.0.0.0");
    static final Setting<String> HTTP_HOST =
            host("http_host", "Address of HTTP alone.", "").as("HOST");
    static final Setting<Integer> HTTP_PORT = port(
                    "http_port", "Port of REST, /json, /healthcheck and /metrics; 0 picks a free one.", "8080")
            .as("PORT");
    static final Setting<String> GRPC_HOST =
            host("grpc_host", "Address of gRPC alone.", "").as("GRPC_HOST");
    static final Setting<Integer> GRPC_PORT =
            port("grpc_port", "Port of Envoy's rate limit service.", "8081").as("GRPC_PORT");
    static final Setting<String> ADMIN_HOST =
            host("admin_host", "Address of the admin port: loopback, unless there is a token.", "127.0.0.1");
    static final Setting<Integer> ADMIN_PORT =
            port("admin_port", "Port for operators.", "6070").as("DEBUG_PORT");

    static final Setting<String> ADMIN_TOKEN = Setting.secret(
            "admin_token", "Token for everything on the admin port; in weir.yaml or the environment only.");
    static final Setting<Path> ADMIN_TOKEN_FILE = Setting.file(
            "admin_token_file", "File that holds a token for everything on the admin port; read anew as it changes.");

    static final Setting<Path> DATA = Setting.of(
            "data",
            "DIR",
            "Folder of this server alone, for rules and quotas that are changed while it runs; without it, and without db,"
                    + " nothing is written to disk.",
            "",
            "a path",
            SettingParsers::path);
    /** Read with care: a message about it must not repeat a password. */
    static final Setting<String> DB = Setting.of(
            "db",
            "URL",
            "PostgreSQL that servers share for rules and quotas: postgresql://user:password@host:5432/database.",
            "",
            "postgresql://user:password@host:5432/database",
            text -> text);

    static final Setting<Duration> IDEMPOTENCY_KEEP = Setting.of(
            "idempotency_keep",
            "DURATION",
            "How long a request that was admitted with an Idempotency-Key is known.",
            "24h",
            "a duration from 1s to 30d",
            SettingParsers.duration(Duration.ofSeconds(1), Duration.ofDays(30)));
    static final Setting<Integer> IDEMPOTENCY_KEYS = Setting.integer(
            "idempotency_keys",
            "Idempotency keys that are known of one caller; beyond that its oldest go.",
            "1024",
            1,
            100_000);
    static final Setting<Integer> IDEMPOTENCY_TOTAL = Setting.integer(
            "idempotency_total",
            "Idempotency keys that this server has stores keep at a time, over all callers; others are not known elsewhere.",
            String.valueOf(LimiterSettings.DEFAULT_KEPT_KEYS),
            1,
            1_000_000_000);

    static final Setting<Boolean> SHADOW_MODE = Setting.truth(
                    "shadow_mode", "Deny nobody: count and report only.", "false")
            .as("SHADOW_MODE");
    static final Setting<Boolean> QUOTA_MODE =
            Setting.truth("quota_mode", "Treat every rule as a quota.", "false").as("QUOTA_MODE");
    static final Setting<Boolean> CHARGE_DENIED = Setting.truth(
                    "charge_denied", "Count denied hits too, in Envoy's spelling.", "true")
            .asOpposite("STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT");
    static final Setting<Boolean> RESPONSE_HEADERS = Setting.truth(
                    "response_headers", "Send limit, remaining and reset headers to Envoy.", "false")
            .as("LIMIT_RESPONSE_HEADERS_ENABLED");
    static final Setting<String> LIMIT_HEADER = header("limit_header", "Name of the limit header.", "RateLimit-Limit")
            .as("LIMIT_LIMIT_HEADER");
    static final Setting<String> REMAINING_HEADER = header(
                    "remaining_header", "Name of the remaining header.", "RateLimit-Remaining")
            .as("LIMIT_REMAINING_HEADER");
    static final Setting<String> RESET_HEADER = header("reset_header", "Name of the reset header.", "RateLimit-Reset")
            .as("LIMIT_RESET_HEADER");
    static final Setting<Boolean> RESPONSE_METADATA = Setting.truth(
                    "response_metadata", "Tell the request back to Envoy as dynamic metadata.", "false")
            .as("RESPONSE_DYNAMIC_METADATA");

    static final Setting<LogFormat> LOG_FORMAT = Setting.of(
                    "log_format",
                    "FORMAT",
                    "text, json, or auto: text on a terminal, JSON elsewhere.",
                    "auto",
                    "auto, text or json",
                    SettingParsers.constant(LogFormat.values()))
            .as("LOG_FORMAT");
    static final Setting<Level> LOG_LEVEL = Setting.of(
                    "log_level",
                    "LEVEL",
                    "trace, debug, info, warning or error.",
                    "info",
                    "trace, debug, info, warning or error",
                    SettingParsers::level)
            .as("LOG_LEVEL");

    static final Setting<Integer> EVENT_LOOPS =
            Setting.integer("event_loops", "Threads that decide; without it, one for each core.", "", 1, 1024);
    static final Setting<Duration> WARM_UP = duration(
            "warm_up",
            "Longest that the decision path is warmed before the server is ready (where counters live in Redis up to ten times that, until calls come back in half their deadline); 0s: not at all.",
            "1s");
    static final Setting<Duration> DRAIN_DELAY =
            duration("drain_delay", "After SIGTERM: how long it still takes calls while it reports not serving.", "1s");
    static final Setting<Duration> DRAIN_TIMEOUT =
            duration("drain_timeout", "After SIGTERM: gone by then, whatever is still open.", "8s");

    private static final List<Setting<?>> PORTS_AND_RULES = List.of(
            RULES,
            MERGE_DOMAINS,
            HOST,
            HTTP_HOST,
            HTTP_PORT,
            GRPC_HOST,
            GRPC_PORT,
            ADMIN_HOST,
            ADMIN_PORT,
            ADMIN_TOKEN,
            ADMIN_TOKEN_FILE);

    private static final List<Setting<?>> OTHERS = List.of(
            DATA,
            DB,
            IDEMPOTENCY_KEEP,
            IDEMPOTENCY_KEYS,
            IDEMPOTENCY_TOTAL,
            SHADOW_MODE,
            QUOTA_MODE,
            CHARGE_DENIED,
            RESPONSE_HEADERS,
            LIMIT_HEADER,
            REMAINING_HEADER,
            RESET_HEADER,
            RESPONSE_METADATA,
            LOG_FORMAT,
            LOG_LEVEL,
            EVENT_LOOPS,
            WARM_UP,
            DRAIN_DELAY,
            DRAIN_TIMEOUT);

    private static final List<Setting<?>> ALL = Stream.of(
                    PORTS_AND_RULES,
                    StoreSettings.ALL,
                    OTHERS,
                    NetworkSettings.ALL,
                    RuleSettings.ALL,
                    DecisionSettings.ALL,
                    PortTls.ALL)
            .<Setting<?>>flatMap(List::stream)
            .toList();

    private SettingsCatalogue() {}

    /** All settings, in the order in which people are shown them. */
    public static List<Setting<?>> all() {
        return ALL;
    }

    private static Setting<String> host(String name, String description, String fallback) {
        return Setting.of(name, "ADDRESS", description, fallback, "an address or a host name", SettingParsers::host);
    }

    private static Setting<Integer> port(String name, String description, String fallback) {
        return Setting.of(
                name, "PORT", description, fallback, "a port from 0 to 65535", SettingParsers.integer(0, 65_535));
    }

    private static Setting<String> header(String name, String description, String fallback) {
        return Setting.of(name, "NAME", description, fallback, "a header name", SettingParsers::headerName);
    }

    private static Setting<Duration> duration(String name, String description, String fallback) {
        return Setting.of(
                name,
                "DURATION",
                description,
                fallback,
                "a duration such as 500ms, 10s or 1m",
                SettingParsers::duration);
    }
}
