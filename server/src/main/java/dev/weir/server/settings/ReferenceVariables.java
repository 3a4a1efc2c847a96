package dev.weir.server.settings;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads the environment variables of envoyproxy/ratelimit: the rules that they name, their TLS files, the port of
 * their metrics, and the variables that Weir ignores.
 */
final class ReferenceVariables {
    private static final String ROOT = "RUNTIME_ROOT";
    private static final String SUBDIRECTORY = "RUNTIME_SUBDIRECTORY";
    private static final String APP_DIRECTORY = "RUNTIME_APPDIRECTORY";

    private static final String CONFIG_TYPE = "CONFIG_TYPE";
    private static final String XDS_URL = "CONFIG_GRPC_XDS_SERVER_URL";
    private static final String XDS_TLS = "CONFIG_GRPC_XDS_SERVER_USE_TLS";

    private static final String USE_TLS = "GRPC_SERVER_USE_TLS";
    /** The TLS variables, by the setting that they stand for. */
    private static final Map<String, String> TLS_FILES = Map.of(
            PortTls.GRPC.cert().name(), "GRPC_SERVER_TLS_CERT",
            PortTls.GRPC.key().name(), "GRPC_SERVER_TLS_KEY",
            PortTls.GRPC.clientCa().name(), "GRPC_CLIENT_TLS_CACERT",
            PortTls.GRPC.clientNames().name(), "GRPC_CLIENT_TLS_SAN");

    /** A socket that the reference then listens on in place of its gRPC port. */
    private static final String UNIX_SOCKET = "GRPC_UDS";

    /**
     * Variables that the reference reads (src/settings/settings.go) and Weir ignores so far; and the one that Envoy
     * Gateway sets and the reference does not read either.
     */
    private static final String NAMES = """
            GRPC_SERVER_TLS_CA_CERT DEBUG_HOST XDS_CLIENT_BACKOFF_INITIAL_INTERVAL XDS_CLIENT_BACKOFF_MAX_INTERVAL
            XDS_CLIENT_BACKOFF_RANDOM_FACTOR XDS_CLIENT_BACKOFF_JITTER XDS_CLIENT_MAX_MSG_SIZE_IN_BYTES
            USE_DOG_STATSD USE_DOG_STATSD_MOGRIFIERS USE_STATSD STATSD_HOST STATSD_PORT EXTRA_TAGS
            STATS_FLUSH_INTERVAL DISABLE_STATS PROMETHEUS_MAPPER_YAML RUNTIME_IGNOREDOTFILES RUNTIME_WATCH_ROOT
            EXPIRATION_JITTER_MAX_SECONDS
            REDIS_POOL_SIZE REDIS_PIPELINE_WINDOW REDIS_PIPELINE_LIMIT REDIS_PERSECOND_POOL_SIZE
            REDIS_PERSECOND_PIPELINE_WINDOW REDIS_PERSECOND_PIPELINE_LIMIT REDIS_HEALTH_CHECK_ACTIVE_CONNECTION
            REDIS_TIMEOUT REDIS_PERSECOND_TIMEOUT REDIS_POOL_ON_EMPTY_BEHAVIOR REDIS_PERSECOND_POOL_ON_EMPTY_BEHAVIOR
            MEMCACHE_HOST_PORT MEMCACHE_MAX_IDLE_CONNS MEMCACHE_SRV MEMCACHE_SRV_REFRESH MEMCACHE_TLS
            MEMCACHE_TLS_CLIENT_CERT MEMCACHE_TLS_CLIENT_KEY MEMCACHE_TLS_CACERT
            MEMCACHE_TLS_SKIP_HOSTNAME_VERIFICATION TRACING_ENABLED TRACING_SERVICE_NAME TRACING_SERVICE_NAMESPACE
            TRACING_SERVICE_INSTANCE_ID TRACING_EXPORTER_PROTOCOL TRACING_SAMPLING_RATE MAX_CONCURRENT_REQUESTS
            REQUEST_TIMEOUT SANITIZE_DESCRIPTOR_METRIC_DOTS PROMETHEUS_RESPONSE_TIME_AS_MILLISECONDS
            REDIS_CLUSTER_PIPELINE_PARALLELISM
            REDIS_PERSECOND_CLUSTER_PIPELINE_PARALLELISM REDIS_CLOSE_CONNECTION_ON_READONLY_ERROR
            REDIS_STARTUP_INITIAL_INTERVAL REDIS_STARTUP_MAX_INTERVAL REDIS_STARTUP_MAX_ELAPSED_TIME""";

    static final Set<String> IGNORED = Set.of(NAMES.split("\\s+"));

    private static final String USE_PROMETHEUS = "USE_PROMETHEUS";
    private static final String PROMETHEUS_ADDRESS = "PROMETHEUS_ADDR";
    private static final String PROMETHEUS_PATH = "PROMETHEUS_PATH";

    private static final String LOCAL_CACHE = "LOCAL_CACHE_SIZE_IN_BYTES";

    private ReferenceVariables() {}

    /** Whether denials are cached, if the variable says so: as in the reference, a cache of no bytes is none. */
    static Map<String, GivenValue> cache(Map<String, String> environment, List<String> problems) {
        String text = environment.getOrDefault(LOCAL_CACHE, "");
        if (text.isEmpty()) {
            return Map.of();
        }
        Long bytes = SettingParsers.number(0, Long.MAX_VALUE).apply(text);
        if (bytes == null) {
            problems.add(LOCAL_CACHE + ": \"" + text + "\" (expected: a number of bytes, 0 for no cache)");
            return Map.of();
        }
        return Map.of(StoreSettings.CACHE_DENIALS.name(), new GivenValue(String.valueOf(bytes > 0), LOCAL_CACHE));
    }

    /** Refuses a Unix socket for gRPC: no Envoy that is configured for it would reach this server. */
    static void refuseUnixSocket(Map<String, String> environment, List<String> problems) {
        String socket = environment.getOrDefault(UNIX_SOCKET, "");
        if (!socket.isEmpty()) {
            problems.add(UNIX_SOCKET + ": \"" + socket
                    + "\": Unix sockets are not supported (expected: GRPC_HOST and GRPC_PORT)");
        }
    }

    /** The port of the metrics, with the variables that name it. As in the reference, it is on only if asked for. */
    static Map<String, GivenValue> metrics(Map<String, String> environment, List<String> problems) {
        Map<String, GivenValue> values = new HashMap<>();
        if (isOn(USE_PROMETHEUS, environment, problems)) {
            String address = environment.getOrDefault(PROMETHEUS_ADDRESS, "");
            String path = environment.getOrDefault(PROMETHEUS_PATH, "");
            values.put(
                    ReferenceMetricsSettings.ADDRESS.name(),
                    address.isEmpty()
                            ? new GivenValue(":9090", USE_PROMETHEUS)
                            : new GivenValue(address, PROMETHEUS_ADDRESS));
            if (!path.isEmpty()) {
                values.put(ReferenceMetricsSettings.PATH.name(), new GivenValue(path, PROMETHEUS_PATH));
            }
        }
        return values;
    }

    /** The source of the rules and the variables that name it, or null if none is set. */
    static @Nullable GivenValue rules(Map<String, String> environment, List<String> problems) {
        return switch (environment.getOrDefault(CONFIG_TYPE, "")) {
            case "", "FILE" -> folder(environment);
            case "GRPC_XDS_SOTW" -> xds(environment, problems);
            default -> {
                problems.add(
                        CONFIG_TYPE + ": \"" + environment.get(CONFIG_TYPE) + "\" (expected: FILE or GRPC_XDS_SOTW)");
                yield null;
            }
        };
    }

    /**
     * Reads the xDS server. As in the reference, the folder is then ignored: deployments name one that does not exist.
     */
    private static GivenValue xds(Map<String, String> environment, List<String> problems) {
        String server = environment.getOrDefault(XDS_URL, "");
        String host = server.isEmpty() ? "localhost:18000" : server.replaceFirst("^dns:///", "");
        String scheme = isOn(XDS_TLS, environment, problems) ? "xdss://" : "xds://";
        return new GivenValue(scheme + host, server.isEmpty() ? CONFIG_TYPE : XDS_URL);
    }

    /** The folder ROOT/SUBDIRECTORY/APPDIRECTORY with the variables that name it, or null if none is set. */
    private static @Nullable GivenValue folder(Map<String, String> environment) {
        List<String> set = new ArrayList<>();
        for (String each : List.of(ROOT, SUBDIRECTORY, APP_DIRECTORY)) {
            if (!environment.getOrDefault(each, "").isEmpty()) {
                set.add(each);
            }
        }
        if (set.isEmpty()) {
            return null;
        }
        String folder = Path.of(
                        environment.getOrDefault(ROOT, "/srv/runtime_data/current"),
                        environment.getOrDefault(SUBDIRECTORY, ""),
                        environment.getOrDefault(APP_DIRECTORY, "config"))
                .toString();
        return new GivenValue(folder, String.join(" + ", set));
    }

    /** The TLS files with the variables that name them. As in the reference, they apply only if TLS is enabled. */
    static Map<String, GivenValue> tls(Map<String, String> environment, List<String> problems) {
        Map<String, GivenValue> files = new HashMap<>();
        if (!usesTls(environment, problems)) {
            return files;
        }
        TLS_FILES.forEach((setting, variable) -> {
            String file = environment.getOrDefault(variable, "");
            if (!file.isEmpty()) {
                files.put(setting, new GivenValue(file, variable));
            }
        });
        if (!files.containsKey(PortTls.GRPC.cert().name())
                && !files.containsKey(PortTls.GRPC.key().name())) {
            problems.add(USE_TLS + ": without GRPC_SERVER_TLS_CERT and GRPC_SERVER_TLS_KEY (expected: all three)");
        }
        return files;
    }

    private static boolean usesTls(Map<String, String> environment, List<String> problems) {
        return isOn(USE_TLS, environment, problems);
    }

    static boolean isOn(String variable, Map<String, String> environment, List<String> problems) {
        String text = environment.getOrDefault(variable, "");
        Boolean on = text.isEmpty() ? Boolean.FALSE : SettingParsers.bool(text);
        if (on == null) {
            problems.add(variable + ": \"" + text + "\" (expected: true or false)");
        }
        return Boolean.TRUE.equals(on);
    }

    /** The names of the variables that are set and ignored. */
    static Set<String> ignored(Map<String, String> environment) {
        Set<String> names = new TreeSet<>();
        environment.forEach((name, value) -> {
            if (!value.isEmpty() && IGNORED.contains(name)) {
                names.add(name);
            }
        });
        names.addAll(ReferenceRedis.ignored(environment));
        if (!usesTls(environment, new ArrayList<>())) {
            addSet(TLS_FILES.values(), environment, names);
        }
        if (!isOn(USE_PROMETHEUS, environment, new ArrayList<>())) {
            addSet(List.of(PROMETHEUS_ADDRESS, PROMETHEUS_PATH), environment, names);
        }
        return names;
    }

    private static void addSet(Collection<String> variables, Map<String, String> environment, Set<String> names) {
        variables.stream()
                .filter(name -> !environment.getOrDefault(name, "").isEmpty())
                .forEach(names::add);
    }
}
