package dev.weir.server.settings;

import dev.weir.internal.model.Rule;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads the variables that configure a Redis of envoyproxy/ratelimit: {@code REDIS_*} for the default store, and
 * {@code REDIS_PERSECOND_*} for the store of limits per second.
 */
final class ReferenceRedis {
    private static final String BACKEND = "BACKEND_TYPE";
    private static final String PER_SECOND = "REDIS_PERSECOND";
    private static final List<String> NAMES = List.of("URL", "TYPE", "TLS", "AUTH", "SOCKET_TYPE", "SENTINEL_AUTH");

    private final String prefix;
    private final String store;
    private final Map<String, String> environment;
    private final List<String> problems;

    private ReferenceRedis(String prefix, String store, Map<String, String> environment, List<String> problems) {
        this.prefix = prefix;
        this.store = store;
        this.environment = environment;
        this.problems = problems;
    }

    /** The values for the stores, by the names of Weir's own settings. */
    static Map<String, GivenValue> read(Map<String, String> environment, List<String> problems) {
        Map<String, GivenValue> values = new HashMap<>();
        String backend = environment.getOrDefault(BACKEND, "");
        if (!backend.isEmpty() && !backend.equals("redis")) {
            problems.add(BACKEND + ": \"" + backend
                    + "\" (expected: redis, with REDIS_URL; or none, and counters live in the memory of this process)");
        }
        new ReferenceRedis("REDIS_", Rule.DEFAULT_STORE, environment, problems).read(values);
        if (ReferenceVariables.isOn(PER_SECOND, environment, problems)) {
            ReferenceRedis second = new ReferenceRedis(PER_SECOND + "_", Rule.PER_SECOND_STORE, environment, problems);
            if (second.given("URL").isEmpty()) {
                problems.add(PER_SECOND + ": without REDIS_PERSECOND_URL (expected: both)");
            }
            second.read(values);
        }
        return values;
    }

    /** The names of the variables that are set and ignored. */
    static Set<String> ignored(Map<String, String> environment) {
        Set<String> names = new TreeSet<>();
        ReferenceRedis all = new ReferenceRedis("REDIS_", Rule.DEFAULT_STORE, environment, List.of());
        all.addIgnored(!all.given("URL").isEmpty(), names);
        boolean perSecond = Boolean.TRUE.equals(SettingParsers.bool(environment.getOrDefault(PER_SECOND, "")));
        new ReferenceRedis(PER_SECOND + "_", Rule.PER_SECOND_STORE, environment, List.of())
                .addIgnored(perSecond, names);
        if (all.given("URL").isEmpty() && environment.getOrDefault(BACKEND, "").equals("redis")) {
            names.add(BACKEND);
        }
        return names;
    }

    private void addIgnored(boolean used, Set<String> names) {
        for (String each : NAMES) {
            boolean applies = used && (!each.equals("SENTINEL_AUTH") || hasSentinels());
            if (!applies && !given(each).isEmpty()) {
                names.add(prefix + each);
            }
        }
    }

    private void read(Map<String, GivenValue> values) {
        String url = given("URL");
        // Without a URL as well: the reference would count in the Redis behind its usual socket, not in this process.
        if (url.startsWith("/") || given("SOCKET_TYPE").equals("unix")) {
            problems.add(prefix + "URL: Unix sockets are not supported (expected: host:port, and " + prefix
                    + "SOCKET_TYPE tcp)");
            return;
        }
        if (url.isEmpty()) {
            return;
        }
        String address = address(url);
        if (address != null) {
            values.put(StoreEntries.URL.key(store), new GivenValue(address, prefix + "URL"));
        }
        credentials("AUTH", StoreEntries.USER, StoreEntries.PASSWORD, values);
        if (hasSentinels()) {
            credentials("SENTINEL_AUTH", StoreEntries.SENTINEL_USER, StoreEntries.SENTINEL_PASSWORD, values);
        }
    }

    private String given(String name) {
        return environment.getOrDefault(prefix + name, "");
    }

    /** Reads {@code password} or {@code user:password}. */
    private void credentials(String name, StoreEntries user, StoreEntries password, Map<String, GivenValue> values) {
        String auth = given(name);
        if (!auth.isEmpty()) {
            int colon = auth.indexOf(':');
            if (colon > 0) {
                values.put(user.key(store), new GivenValue(auth.substring(0, colon), prefix + name));
            }
            values.put(password.key(store), new GivenValue(auth.substring(Math.max(0, colon + 1)), prefix + name));
        }
    }

    /**
     * Converts the reference's forms: {@code host:port}; {@code h1:p1,h2:p2} for a cluster; {@code name,h1:p1,h2:p2}
     * with sentinels.
     */
    private @Nullable String address(String url) {
        String scheme = ReferenceVariables.isOn(prefix + "TLS", environment, problems) ? "rediss" : "redis";
        if (url.contains("://")) {
            return url.startsWith("redis://") ? scheme + url.substring("redis".length()) : url;
        }
        String type = given("TYPE");
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
                problems.add(
                        prefix + "URL: \"" + url + "\" (expected, with " + prefix + "TYPE SENTINEL: name,host:port,…)");
                return null;
            }
            default -> {
                problems.add(prefix + "TYPE: \"" + type + "\" (expected: SINGLE, SENTINEL or CLUSTER)");
                return null;
            }
        }
    }

    private boolean hasSentinels() {
        return given("TYPE").equalsIgnoreCase("SENTINEL");
    }
}
