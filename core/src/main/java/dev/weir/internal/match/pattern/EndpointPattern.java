package dev.weir.internal.match.pattern;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Matches "METHOD /path", with {@code *} for any run of characters in the path. Without a method, or with {@code *} in
 * its place, it matches any method. {@code "*"} alone also matches a request without an endpoint. Methods compare
 * case-insensitively; a request without a method matches any.
 *
 * @param text the pattern as written
 * @param folder if the path is {@code folder/*} in normal form: {@code folder}, which it matches too, because {@code
 *     folder/} has that form
 */
public record EndpointPattern(
        String text, String method, Glob path, @Nullable Glob folder) implements ValuePattern {
    /** The characters of a method beside letters and digits, as in RFC 9110. */
    private static final String OTHERS_OF_METHOD = "!#$%&'*+-.^_`|~";

    /** Parses a pattern that compares endpoints as they come. */
    public static EndpointPattern parse(String text) {
        int path = pathOf(text);
        String method = path == 0 ? "" : text.substring(0, path - 1).toUpperCase(Locale.ROOT);
        return new EndpointPattern(text, method.equals("*") ? "" : method, new Glob(text.substring(path)), null);
    }

    /** The same pattern for endpoints in {@code form}, whose letters are in lower case if {@code ignoresCase}. */
    public EndpointPattern in(EndpointForm form, boolean ignoresCase) {
        String inForm = form.ofPattern(path.text());
        String compared = ignoresCase ? EndpointForm.lowerCase(inForm) : inForm;
        Glob bare = form == EndpointForm.NORMAL && compared.endsWith("/*") && compared.length() > 2
                ? new Glob(compared.substring(0, compared.length() - 2))
                : null;
        return new EndpointPattern(text, method, new Glob(compared), bare);
    }

    /** The pattern as endpoints are compared with it: the method and the path. */
    public String compared() {
        return method.isEmpty() ? path.text() : method + " " + path.text();
    }

    /** Where the path begins in an endpoint: after the method and its space, if it has one. */
    public static int pathOf(String endpoint) {
        if (endpoint.isEmpty() || endpoint.charAt(0) == '/') {
            return 0;
        }
        int space = endpoint.indexOf(' ');
        if (space <= 0) {
            return 0;
        }
        for (int i = 0; i < space; i++) {
            char c = endpoint.charAt(i);
            boolean common = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
            if (!common && !(c >= '0' && c <= '9') && OTHERS_OF_METHOD.indexOf(c) < 0) {
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
        return matches(endpoint, pathOf(endpoint), methodGiven);
    }

    /** The same for an endpoint whose path {@linkplain #pathOf begins} at {@code start}. */
    public boolean matches(String endpoint, int start, @Nullable String methodGiven) {
        return meetsMethod(endpoint, start, methodGiven)
                && (path.matches(endpoint, start) || (folder != null && folder.matches(endpoint, start)));
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
