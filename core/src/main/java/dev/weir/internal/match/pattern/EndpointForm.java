package dev.weir.internal.match.pattern;

import java.util.Locale;

/** The form in which endpoints are compared with rules and counted. */
public enum EndpointForm {
    /** One spelling for each path, as {@link EndpointNormalizer} writes it. */
    NORMAL {
        @Override
        public String of(String endpoint, int path) {
            return EndpointNormalizer.of(endpoint, path);
        }

        @Override
        String ofPattern(String path) {
            return EndpointNormalizer.ofPattern(path);
        }
    },

    /** The text as it comes. */
    RAW {
        @Override
        public String of(String endpoint, int path) {
            return endpoint;
        }

        @Override
        String ofPattern(String path) {
            return path;
        }
    };

    /** {@code endpoint} in this form; the same instance if it is in this form already. */
    public final String of(String endpoint) {
        return of(endpoint, EndpointPattern.pathOf(endpoint));
    }

    /** The same for an endpoint whose path {@linkplain EndpointPattern#pathOf begins} at {@code path}; there it stays. */
    public abstract String of(String endpoint, int path);

    /** The path of a pattern in this form; each {@code *} stays. */
    abstract String ofPattern(String path);

    /** The name of this form in settings. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * {@code endpoint} with the ASCII letters of its path in lower case, except in escapes; the same instance if they
     * are already.
     */
    public static String lowerCase(String endpoint) {
        return lowerCase(endpoint, EndpointPattern.pathOf(endpoint));
    }

    /** The same for an endpoint whose path begins at {@code path}. */
    public static String lowerCase(String endpoint, int path) {
        int length = endpoint.length();
        for (int i = path; i < length; i++) {
            char c = endpoint.charAt(i);
            if (c == '%') {
                i += 2;
            } else if (c >= 'A' && c <= 'Z') {
                return lowerCaseFrom(endpoint, i);
            }
        }
        return endpoint;
    }

    private static String lowerCaseFrom(String endpoint, int first) {
        StringBuilder lower = new StringBuilder(endpoint);
        for (int i = first; i < lower.length(); i++) {
            char c = lower.charAt(i);
            if (c == '%') {
                i += 2;
            } else if (c >= 'A' && c <= 'Z') {
                lower.setCharAt(i, (char) (c + ('a' - 'A')));
            }
        }
        return lower.toString();
    }
}
