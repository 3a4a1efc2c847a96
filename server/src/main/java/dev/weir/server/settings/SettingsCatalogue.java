package dev.weir.server.settings;

import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.store.RequestCost;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Lists every setting. The command's flags, the reader and the documentation are made from this list. */
public final class SettingsCatalogue {
    /** Read with care: a message about it must not repeat a password. */
    static final Setting<String> RULES = Setting.of(
            "rules",
            "SOURCE,…",
            "Rules to enforce, each a file, a folder, etcd://host:port/prefix or xds://host:port (etcds, xdss: TLS);"
                    + " without it, the example rules.",
            "",
            "comma-separated rule sources",
            text -> text);

    static final Setting<Boolean> MERGE_DOMAINS = Setting.bool(
                    "merge_domains", "Merge files in Envoy's format that have the same domain.", "false")
            .as("MERGE_DOMAIN_CONFIG");

    static final Setting<String> HOST = host("host", "Address of the HTTP and gRPC ports.", "0.0.0.0");
    static final Setting<String> HTTP_HOST =
            host("http_host", "Address of the HTTP port, if it differs.", "").as("HOST");
    static final Setting<Integer> HTTP_PORT = port(
                    "http_port", "Port of REST, /json, /healthcheck and /metrics; 0 picks a free one.", "8080")
            .as("PORT");
    static final Setting<String> GRPC_HOST =
            host("grpc_host", "Address of the gRPC port, if it differs.", "").as("GRPC_HOST");
    static final Setting<Integer> GRPC_PORT =
            port("grpc_port", "Port of Envoy's rate limit service.", "8081").as("GRPC_PORT");
    static final Setting<String> ADMIN_HOST =
            host("admin_host", "Address of the admin port; must be loopback unless a token exists.", "127.0.0.1");
    static final Setting<Integer> ADMIN_PORT =
            port("admin_port", "Admin port.", "6070").as("DEBUG_PORT");

    static final Setting<String> ADMIN_TOKEN = Setting.secret(
            "admin_token", "Token with all permissions on the admin port; in weir.yaml or the environment only.");
    static final Setting<Path> ADMIN_TOKEN_FILE = Setting.file(
            "admin_token_file", "File with a token with all permissions on the admin port; reloaded when it changes.");

    static final Setting<Path> DATA = Setting.of(
            "data",
            "DIR",
            "Folder for rules and quotas that are changed while the server runs; not shared with other servers."
                    + " Without it and"
                    + " without db, nothing is written to disk.",
            "",
            "a path",
            SettingParsers::path);
    /** Read with care: a message about it must not repeat a password. */
    static final Setting<String> DB = Setting.of(
            "db",
            "URL",
            "PostgreSQL database for rules and quotas, shared by servers:"
                    + " postgresql://user:password@host:5432/database.",
            "",
            "postgresql://user:password@host:5432/database",
            text -> text);

    static final Setting<Duration> IDEMPOTENCY_KEEP = Setting.of(
            "idempotency_keep",
            "DURATION",
            "How long an Idempotency-Key of an admitted request is remembered.",
            "24h",
            "a duration from 1s to 30d",
            SettingParsers.duration(Duration.ofSeconds(1), Duration.ofDays(30)));
    static final Setting<Integer> IDEMPOTENCY_KEYS = Setting.integer(
            "idempotency_keys",
            "Idempotency keys remembered per caller; beyond that the oldest are dropped.",
            "1024",
            1,
            100_000);
    static final Setting<Integer> IDEMPOTENCY_TOTAL = Setting.integer(
            "idempotency_total",
            "Idempotency keys of all callers that this server keeps in stores at a time; further ones are known"
                    + " to this server only.",
            String.valueOf(LimiterSettings.DEFAULT_KEPT_KEYS),
            1,
            1_000_000_000);

    static final Setting<String> IDEMPOTENCY_HEADER = header(
            "idempotency_header",
            "The only header whose keys count, for gateways that make the keys themselves; without it, Idempotency-Key"
                    + " and X-Idempotency-Key.",
            "");

    static final Setting<EndpointForm> ENDPOINT_FORM = Setting.of(
            "endpoint_form",
            "FORM",
            "How rules in Weir's format compare endpoints: normal (one spelling for each path) or raw (as it comes).",
            "normal",
            "normal or raw",
            SettingParsers.constant(EndpointForm.values()));

    static final Setting<Integer> MAX_REQUEST_COST = Setting.integer(
            "max_request_cost",
            "Most that one request may cost, in units of one plain check in Redis; a costlier one is refused.",
            String.valueOf(RequestCost.DEFAULT_MAX),
            RequestCost.LEAST_MAX,
            1_000_000);

    static final Setting<Boolean> SHADOW_MODE = Setting.bool(
                    "shadow_mode", "Deny no request: count and report only.", "false")
            .as("SHADOW_MODE");
    static final Setting<Boolean> QUOTA_MODE =
            Setting.bool("quota_mode", "Treat every rule as a quota.", "false").as("QUOTA_MODE");
    static final Setting<Boolean> CHARGE_DENIED = Setting.bool(
                    "charge_denied", "Count denied hits too, for rules in Envoy's format.", "true")
            .asOpposite("STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT");
    static final Setting<Boolean> CALENDAR_MONTHS = Setting.bool(
                    "calendar_months",
                    "Count months of Envoy's format by the calendar in UTC, not as 30 days.",
                    "false")
            .as("USE_CALENDAR_MONTH_RATE_LIMIT");
    static final Setting<Boolean> RESPONSE_HEADERS = Setting.bool(
                    "response_headers", "Send limit, remaining and reset headers to Envoy.", "false")
            .as("LIMIT_RESPONSE_HEADERS_ENABLED");
    static final Setting<String> LIMIT_HEADER = header("limit_header", "Name of the limit header.", "RateLimit-Limit")
            .as("LIMIT_LIMIT_HEADER");
    static final Setting<String> REMAINING_HEADER = header(
                    "remaining_header", "Name of the remaining header.", "RateLimit-Remaining")
            .as("LIMIT_REMAINING_HEADER");
    static final Setting<String> RESET_HEADER = header("reset_header", "Name of the reset header.", "RateLimit-Reset")
            .as("LIMIT_RESET_HEADER");
    static final Setting<Boolean> REQUEST_HEADERS = Setting.bool(
                    "request_headers", "Send limit, remaining and reset headers to Envoy's upstream.", "false")
            .as("LIMIT_REQUEST_HEADERS_ENABLED");
    static final Setting<String> REQUEST_LIMIT_HEADER = header(
                    "request_limit_header", "Name of the limit header for the upstream.", "RateLimit-Limit")
            .as("LIMIT_REQUEST_LIMIT_HEADER");
    static final Setting<String> REQUEST_REMAINING_HEADER = header(
                    "request_remaining_header", "Name of the remaining header for the upstream.", "RateLimit-Remaining")
            .as("LIMIT_REQUEST_REMAINING_HEADER");
    static final Setting<String> REQUEST_RESET_HEADER = header(
                    "request_reset_header", "Name of the reset header for the upstream.", "RateLimit-Reset")
            .as("LIMIT_REQUEST_RESET_HEADER");
    static final Setting<Boolean> RESPONSE_METADATA = Setting.bool(
                    "response_metadata", "Return the request to Envoy as dynamic metadata.", "false")
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
            Setting.integer("event_loops", "Event loop threads; without it, one per core.", "", 1, 1024);
    static final Setting<Duration> WARM_UP = duration(
            "warm_up",
            "Maximum time to warm up the decision path before the server is ready; with Redis up to ten times"
                    + " that, until calls take"
                    + " half their deadline; 0s disables it.",
            "1s");
    static final Setting<Duration> DRAIN_DELAY = duration(
            "drain_delay", "After SIGTERM: how long the server still takes calls while it reports not serving.", "1s");
    static final Setting<Duration> DRAIN_TIMEOUT = duration(
            "drain_timeout", "After SIGTERM: maximum time until the process ends, even with calls in flight.", "8s");

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
            IDEMPOTENCY_HEADER,
            ENDPOINT_FORM,
            MAX_REQUEST_COST,
            SHADOW_MODE,
            QUOTA_MODE,
            CHARGE_DENIED,
            CALENDAR_MONTHS,
            RESPONSE_HEADERS,
            LIMIT_HEADER,
            REMAINING_HEADER,
            RESET_HEADER,
            REQUEST_HEADERS,
            REQUEST_LIMIT_HEADER,
            REQUEST_REMAINING_HEADER,
            REQUEST_RESET_HEADER,
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
                    StoreSettings.RegionSettings.ALL,
                    OTHERS,
                    ReferenceMetricsSettings.ALL,
                    NetworkSettings.ALL,
                    TrustSettings.ALL,
                    ForwardPathSettings.ALL,
                    RuleSettings.ALL,
                    DecisionSettings.ALL,
                    InsightSettings.ALL,
                    PortTls.ALL)
            .<Setting<?>>flatMap(List::stream)
            .toList();

    private SettingsCatalogue() {}

    /** All settings, in the order in which they are shown. */
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
