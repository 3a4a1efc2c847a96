package dev.weir.internal.match.pattern;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Matches "METHOD /path", with {@code *} for any run of characters in the path. Without a method, or with {@code *} in
 * its place, it matches any method. {@code "*"} alone also matches a request without an endpoint. Methods compare
 * case-insensitively; a request without a method matches any.
 */
public record EndpointPattern(String text, String method, Glob path) implements ValuePattern {

    public static EndpointPattern parse(String text) {
        int path = pathOf(text);
        String method = path == 0 ? "" : text.substring(0, path - 1).toUpperCase(Locale.ROOT);
        return new EndpointPattern(text, method.equals("*") ? "" : method, new Glob(text.substring(path)));
    }

    /** Where the path begins in an endpoint: after the method and its space, if it has one. */
    public static int pathOf(String endpoint) {
        int space = endpoint.indexOf(' ');
        if (space <= 0) {
            return 0;
        }
        for (int i = 0; i < space; i++) {
            char c = endpoint.charAt(i);
            boolean token = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_' || c == '*';
            if (!token) {
                return 0;
            }
        }
        return space + 1;
    }

    /** Whether it matches every request, also one without an endpoint. */
    public boolean isAny() {
        return text.equals("*");
    }

    /** Whether it requires a method. */
    public boolean asksMethod() {
        return !method.isEmpty();
    }

    /** The path if it has no star, else null; an index can look it up. */
    @Nullable
    public String exactPath() {
        return path.isExact() ? path.text() : null;
    }

    @Override
    public boolean matches(String value) {
        return matches(value, null);
    }

    /** Whether {@code endpoint} matches; its method is its own, else {@code methodGiven}, else any. */
    public boolean matches(String endpoint, @Nullable String methodGiven) {
        int start = pathOf(endpoint);
        return meetsMethod(endpoint, start, methodGiven) && path.matches(endpoint, start);
    }

    private boolean meetsMethod(String endpoint, int start, @Nullable String methodGiven) {
        if (method.isEmpty()) {
            return true;
        }
        if (start > 0) {
            return start - 1 == method.length() && endpoint.regionMatches(true, 0, method, 0, start - 1);
        }
        return methodGiven == null || methodGiven.isEmpty() || method.equalsIgnoreCase(methodGiven);
    }
}
