package dev.weir.internal.match.keyby;

/** Sanitizes text from callers for logs, headers and pages: printable ASCII, no quotes, truncated. */
public final class SafeText {
    private static final int MOST = 64;

    private SafeText() {}

    public static void append(StringBuilder into, String text) {
        int shown = Math.min(text.length(), MOST);
        for (int i = 0; i < shown; i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~' || c == '"' || c == '\\') {
                into.append("\\u").append(String.format("%04x", (int) c));
            } else {
                into.append(c);
            }
        }
        if (shown < text.length()) {
            into.append("...");
        }
    }
}
