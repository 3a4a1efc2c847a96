package dev.weir.internal.match.pattern;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * "METHOD /path", with {@code *} for any run of characters in the path; without a method, or with {@code *} in its place, it
 * asks for any. {@code "*"} alone also meets a request that names no endpoint. Methods compare in any case; a request that
 * gives no method meets any.
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

    /** Whether it meets every request, also one without an endpoint. */
    public boolean isAny() {
        return text.equals("*");
    }

    /** Whether it asks for a method. */
    public boolean asksMethod() {
        return !method.isEmpty();
    }

    /** The path if it has no star, else null: what an index can look up. */
    @Nullable
    public String exactPath() {
        return path.isExact() ? path.text() : null;
    }

    @Override
    public boolean matches(String value) {
        return matches(value, null);
    }

    /** Whether {@code endpoint} matches, its method being its own, else {@code methodGiven}, else any. */
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
