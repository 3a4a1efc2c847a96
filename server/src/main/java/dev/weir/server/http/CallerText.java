package dev.weir.server.http;

/** Measures callers' text, and makes it safe to show. */
public final class CallerText {
    private static final int MAX_SHOWN = 64;

    private CallerText() {}

    /**
     * The bytes of {@code text} in UTF-8, or -1 if it has an unpaired surrogate, which UTF-8 would encode as {@code ?}.
     */
    public static int utf8Length(String text) {
        int bytes = 0;
        for (int i = 0, length = text.length(); i < length; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                bytes += 1;
            } else if (c < 0x800) {
                bytes += 2;
            } else if (!Character.isSurrogate(c)) {
                bytes += 3;
            } else if (Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(text.charAt(i + 1))) {
                bytes += 4;
                i++;
            } else {
                return -1;
            }
        }
        return bytes;
    }

    /** Returns {@code text} in quotes, shortened and with everything unprintable escaped, for errors and logs. */
    public static String shown(String text) {
        StringBuilder shown = new StringBuilder().append('"');
        int end = Math.min(text.length(), MAX_SHOWN);
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                shown.append('\\').append(c);
            } else if (c >= 0x20 && c < 0x7F) {
                shown.append(c);
            } else {
                shown.append("\\u").append(String.format("%04x", (int) c));
            }
        }
        return shown.append(text.length() > end ? "…\"" : "\"").toString();
    }
}
