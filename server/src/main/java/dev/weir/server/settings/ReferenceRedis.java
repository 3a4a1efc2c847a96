package dev.weir.server.settings;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads the variables that configure the Redis of envoyproxy/ratelimit. They apply only if {@code REDIS_URL} is set.
 */
final class ReferenceRedis {
    private static final String URL = "REDIS_URL";
    private static final String TYPE = "REDIS_TYPE";
    private static final String TLS = "REDIS_TLS";
    private static final String AUTH = "REDIS_AUTH";
    private static final String SENTINEL_AUTH = "REDIS_SENTINEL_AUTH";
    private static final String SOCKET = "REDIS_SOCKET_TYPE";
    private static final String BACKEND = "BACKEND_TYPE";
    private static final List<String> ALL = List.of(TYPE, TLS, AUTH, SOCKET);

    private final Map<String, String> environment;
    private final List<String> problems;

    private ReferenceRedis(Map<String, String> environment, List<String> problems) {
        this.environment = environment;
        this.problems = problems;
    }

    /** The values for the store, by the names of Weir's own settings. */
    static Map<String, GivenValue> read(Map<String, String> environment, List<String> problems) {
        return new ReferenceRedis(environment, problems).read();
    }

    /** The names of the variables that are set and ignored. */
    static Set<String> ignored(Map<String, String> environment) {
        Set<String> names = new TreeSet<>();
        boolean used = !environment.getOrDefault(URL, "").isEmpty();
        for (String each : ALL) {
            if (!used && !environment.getOrDefault(each, "").isEmpty()) {
                names.add(each);
            }
        }
        if (!(used && hasSentinels(environment))
                && !environment.getOrDefault(SENTINEL_AUTH, "").isEmpty()) {
            names.add(SENTINEL_AUTH);
        }
        String backend = environment.getOrDefault(BACKEND, "");
        if (!backend.isEmpty() && !(used && backend.equals("redis"))) {
            names.add(BACKEND);
        }
        return names;
    }

    private Map<String, GivenValue> read() {
        Map<String, GivenValue> values = new HashMap<>();
        String url = environment.getOrDefault(URL, "");
        if (url.isEmpty()) {
            return values;
        }
        if (url.startsWith("/") || "unix".equals(environment.get(SOCKET))) {
            problems.add(URL + ": Unix sockets are not supported (expected: host:port, and REDIS_SOCKET_TYPE tcp)");
            return values;
        }
        String store = store(url);
        if (store != null) {
            values.put("store", new GivenValue(store, URL));
        }
        credentials(AUTH, "store", values);
        if (hasSentinels(environment)) {
            credentials(SENTINEL_AUTH, "store_sentinel", values);
        }
        return values;
    }

    /** Reads {@code password} or {@code user:password}. */
    private void credentials(String variable, String of, Map<String, GivenValue> values) {
        String auth = environment.getOrDefault(variable, "");
        if (!auth.isEmpty()) {
            int colon = auth.indexOf(':');
            if (colon > 0) {
                values.put(of + "_user", new GivenValue(auth.substring(0, colon), variable));
            }
            values.put(of + "_password", new GivenValue(auth.substring(Math.max(0, colon + 1)), variable));
        }
    }

    /**
     * Converts the reference's forms: {@code host:port}; {@code h1:p1,h2:p2} for a cluster; {@code name,h1:p1,h2:p2}
     * with sentinels.
     */
    private @Nullable String store(String url) {
        String scheme = tls() ? "rediss" : "redis";
        if (url.contains("://")) {
            return url.startsWith("redis://") ? scheme + url.substring("redis".length()) : url;
        }
        String type = environment.getOrDefault(TYPE, "");
        switch (type.toUpperCase(Locale.ROOT)) {
            case "", "SINGLE" -> {
                return scheme + "://" + url;
            }
            case "CLUSTER" -> {
                return scheme + "-cluster://" + url;
            }
            case "SENTINEL" -> {
                int comma = url.indexOf(',');
                if (comma > 0) {
                    return scheme + "-sentinel://" + url.substring(0, comma) + "@" + url.substring(comma + 1);
                }
                problems.add(URL + ": \"" + url + "\" (expected, with REDIS_TYPE SENTINEL: name,host:port,…)");
                return null;
            }
            default -> {
                problems.add(TYPE + ": \"" + type + "\" (expected: SINGLE, SENTINEL or CLUSTER)");
                return null;
            }
        }
    }

    private static boolean hasSentinels(Map<String, String> environment) {
        return environment.getOrDefault(TYPE, "").equalsIgnoreCase("SENTINEL");
    }

    private boolean tls() {
        String text = environment.getOrDefault(TLS, "");
        Boolean uses = text.isEmpty() ? Boolean.FALSE : SettingParsers.bool(text);
        if (uses == null) {
            problems.add(TLS + ": \"" + text + "\" (expected: true or false)");
        }
        return Boolean.TRUE.equals(uses);
    }
}
