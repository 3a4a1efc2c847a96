package dev.weir.control.database;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL address such as {@code postgresql://user:password@host:5432/name?sslmode=require}, split for JDBC.
 *
 * @param shown the address for logs and errors: no user, no password
 */
public record PostgresUrl(
        String jdbc, @Nullable String user, @Nullable String password, String shown) {
    private static final String EXPECTED = "expected: postgresql://user:password@host:5432/database";
    private static final String DEFAULT_PORT = "5432";
    private static final Pattern AUTHORITY =
            Pattern.compile("(?:(?<user>[^@]*)@)?(?<host>[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\])(?::(?<port>\\d{1,5}))?");

    /**
     * Parses an address.
     *
     * @throws IllegalArgumentException if {@code text} is not one; the message does not repeat the text, which may hold
     *     a password
     */
    public static PostgresUrl parse(String text) {
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("not an address (" + EXPECTED + ")", e);
        }
        boolean scheme = "postgresql".equals(uri.getScheme()) || "postgres".equals(uri.getScheme());
        String path = uri.getRawPath();
        String authority = uri.getRawAuthority();
        // Not URI.getHost: it refuses names with an underscore, which Docker Compose gives.
        Matcher parts = AUTHORITY.matcher(authority == null ? "" : authority);
        if (!scheme || !parts.matches() || path == null || path.length() < 2) {
            throw new IllegalArgumentException("not the address of a PostgreSQL database (" + EXPECTED + ")");
        }
        String port = parts.group("port");
        String where = parts.group("host") + ":" + (port == null ? DEFAULT_PORT : port) + path;
        String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        String user = parts.group("user");
        String[] who = user == null ? new String[0] : user.split(":", 2);
        return new PostgresUrl(
                "jdbc:postgresql://" + where + query,
                who.length > 0 ? decoded(who[0]) : null,
                who.length > 1 ? decoded(who[1]) : null,
                "postgresql://" + where);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
