package dev.weir.redis.internal.settings;

import dev.weir.redis.RedisCredentials;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of Redis, parsed from its URI.
 *
 * @param sentinelName the sentinels' name of the master; null except for {@link Kind#SENTINEL}
 * @param credentials the user and password, if the URI has them
 */
public record RedisAddress(
        Kind kind,
        boolean tls,
        List<HostPort> hosts,
        int database,
        @Nullable String sentinelName,
        RedisCredentials credentials) {
    /** The deployment of the servers of an address. */
    public enum Kind {
        STANDALONE,
        CLUSTER,
        SENTINEL
    }

    /** One server. */
    public record HostPort(String host, int port) {
        @Override
        public String toString() {
            return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
        }
    }

    private static final String EXPECTED = "redis://host:port, rediss://host:port, redis-cluster://h1:p1,h2:p2, "
            + "rediss-cluster://h1:p1,h2:p2, redis-sentinel://name@h1:p1,h2:p2 or rediss-sentinel://name@h1:p1,h2:p2";
    /** The names that sentinels accept. If a user forgets the name, the user and password are parsed in its place. */
    private static final Pattern SENTINEL_NAME = Pattern.compile("[A-Za-z0-9._-]+");

    private static final int REDIS_PORT = 6379;
    private static final int SENTINEL_PORT = 26379;

    public RedisAddress {
        hosts = List.copyOf(hosts);
    }

    /**
     * Parses {@code redis://[user:password@]host:port[/database]} and its variants. With sentinels, user and password
     * precede the name: {@code redis-sentinel://user:password@name@h1:p1}. User and password may be percent-encoded.
     *
     * @throws IllegalArgumentException if it is none of them; the message does not repeat a password
     */
    public static RedisAddress parse(String uri) {
        int colon = uri.indexOf("://");
        Kind kind = colon < 0 ? null : kindOf(uri.substring(0, colon));
        if (kind == null) {
            throw wrong(uri, EXPECTED);
        }
        String rest = uri.substring(colon + 3);
        int slash = rest.lastIndexOf('/');
        int at = rest.lastIndexOf('@');
        String path = slash > at ? rest.substring(slash + 1) : "";
        String authority = slash > at ? rest.substring(0, slash) : rest;
        String user = at < 0 ? "" : authority.substring(0, at);
        List<HostPort> hosts = hosts(uri, authority.substring(at + 1), kind);
        String sentinelName = null;
        if (kind == Kind.SENTINEL) {
            int mark = user.lastIndexOf('@');
            sentinelName = user.substring(mark + 1);
            user = mark < 0 ? "" : user.substring(0, mark);
            if (!SENTINEL_NAME.matcher(sentinelName).matches()) {
                throw wrong(
                        uri,
                        "redis-sentinel://name@h1:p1,h2:p2, where name is what the sentinels call the master:"
                                + " letters, digits, ., - and _");
            }
        } else if (kind == Kind.STANDALONE && hosts.size() > 1) {
            throw wrong(uri, "one host, or redis-cluster://h1:p1,h2:p2 or redis-sentinel://name@h1:p1,h2:p2");
        }
        return new RedisAddress(
                kind, uri.startsWith("rediss"), hosts, database(uri, path, kind), sentinelName, credentials(user));
    }

    private static @Nullable Kind kindOf(String scheme) {
        return switch (scheme) {
            case "redis", "rediss" -> Kind.STANDALONE;
            case "redis-cluster", "rediss-cluster" -> Kind.CLUSTER;
            case "redis-sentinel", "rediss-sentinel" -> Kind.SENTINEL;
            default -> null;
        };
    }

    private static List<HostPort> hosts(String uri, String text, Kind kind) {
        List<HostPort> hosts = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            int bracket = part.lastIndexOf(']');
            int colon = part.lastIndexOf(':');
            boolean hasPort = colon > bracket;
            String host = hasPort ? part.substring(0, colon) : part;
            if (bracket > 0 && host.startsWith("[")) {
                host = host.substring(1, bracket);
            }
            int port =
                    !hasPort ? kind == Kind.SENTINEL ? SENTINEL_PORT : REDIS_PORT : number(part.substring(colon + 1));
            if (host.isEmpty() || port < 1 || port > 65_535) {
                throw wrong(uri, EXPECTED);
            }
            hosts.add(new HostPort(host, port));
        }
        return hosts;
    }

    private static int database(String uri, String path, Kind kind) {
        int database = path.isEmpty() ? 0 : number(path);
        if (database < 0 || (database > 0 && kind == Kind.CLUSTER)) {
            throw wrong(
                    uri,
                    kind == Kind.CLUSTER ? "no database: a cluster has only 0" : "a database number after the last /");
        }
        return database;
    }

    private static RedisCredentials credentials(String user) {
        int colon = user.indexOf(':');
        if (user.isEmpty()) {
            return RedisCredentials.NONE;
        }
        // As in every Redis client, text without a colon is the password.
        return colon < 0
                ? new RedisCredentials("", decode(user))
                : new RedisCredentials(decode(user.substring(0, colon)), decode(user.substring(colon + 1)));
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    private static int number(String digits) {
        try {
            return digits.isEmpty() || !Character.isDigit(digits.charAt(0)) ? -1 : Integer.parseInt(digits);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static IllegalArgumentException wrong(String uri, String expected) {
        return new IllegalArgumentException("store: \"" + masked(uri) + "\" (expected: " + expected + ")");
    }

    private static String masked(String uri) {
        int at = uri.lastIndexOf('@');
        int scheme = uri.indexOf("://");
        int start = scheme < 0 ? 0 : scheme + 3;
        boolean nameOnly = uri.contains("-sentinel://")
                && at > start
                && SENTINEL_NAME.matcher(uri.substring(start, at)).matches();
        return at < start || nameOnly ? uri : uri.substring(0, start) + "…" + uri.substring(at);
    }

    /** Formats the address for people, without credentials. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(tls ? "rediss" : "redis");
        text.append(kind == Kind.CLUSTER ? "-cluster" : kind == Kind.SENTINEL ? "-sentinel" : "");
        text.append("://");
        if (sentinelName != null) {
            text.append(sentinelName).append('@');
        }
        for (int i = 0; i < hosts.size(); i++) {
            text.append(i == 0 ? "" : ",").append(hosts.get(i));
        }
        return database == 0
                ? text.toString()
                : text.append('/').append(database).toString();
    }
}
