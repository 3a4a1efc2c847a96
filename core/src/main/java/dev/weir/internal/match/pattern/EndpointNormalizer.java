package dev.weir.internal.match.pattern;

import java.util.Locale;

/**
 * Writes an endpoint in its normal form, so that all spellings of one path meet the same rules and share a counter.
 *
 * <ol>
 *   <li>A method that precedes a path is in upper case, and one space follows it.
 *   <li>{@code http://host/path} loses scheme and host. Query and fragment are cut.
 *   <li>{@code \} is a slash. In each segment, what follows a {@code ;} is cut.
 *   <li>Escapes are decoded once, if they stand for a letter, a digit or one of {@code -._~!$&'()+,=:@}. All other
 *       characters become escapes, with digits in upper case. A {@code %} that begins no escape becomes {@code %25}.
 *   <li>Only then empty segments, {@code .} and {@code ..} are resolved, because {@code /%2e%2e/} and {@code /..;/} are
 *       resolved by servers too. {@code ..} above the root stays at the root.
 *   <li>A trailing slash is cut, except that of {@code /}.
 * </ol>
 *
 * <p>Text that is neither a path nor {@code *} is a name that somebody chose, and stays as it is. The form of a form is
 * the form itself. The time is linear in the text, and text in normal form is returned without an allocation.
 */
final class EndpointNormalizer {
    private static final int ASCII = 128;
    private static final char REPLACEMENT = 0xFFFD;
    /** The characters that mean themselves in a segment: those of RFC 3986 without {@code ;} and {@code *}. */
    private static final boolean[] PLAIN = new boolean[ASCII];

    static {
        String plain = "-._~!$&'()+,=:@0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        plain.chars().forEach(each -> PLAIN[each] = true);
    }

    private final String text;
    private final boolean pattern;
    private final StringBuilder out;
    /** Where the path begins in {@link #out}, and where its last segment does. */
    private int root;

    private int segment;

    private EndpointNormalizer(String text, boolean pattern) {
        this.text = text;
        this.pattern = pattern;
        this.out = new StringBuilder(text.length() + 8);
    }

    /** The normal form of an endpoint whose path {@linkplain EndpointPattern#pathOf begins} at {@code path}. */
    static String of(String endpoint, int path) {
        return isNormal(endpoint, path) ? endpoint : new EndpointNormalizer(endpoint, false).endpoint(path);
    }

    /** The normal form of a pattern's path, in which each {@code *} stays. */
    static String ofPattern(String path) {
        return path.isEmpty() || path.equals("*") ? path : new EndpointNormalizer(path, true).path(0);
    }

    private static boolean isNormal(String text, int path) {
        int length = text.length();
        for (int i = 0; i < path; i++) {
            char c = text.charAt(i);
            if (c >= 'a' && c <= 'z') {
                return false;
            }
        }
        if (path == length || text.charAt(path) != '/') {
            return false;
        }
        boolean begins = true; // whether a segment begins at i
        for (int i = path + 1; i < length; i++) {
            char c = text.charAt(i);
            if (c < ASCII && PLAIN[c]) {
                if (begins && c == '.' && isDots(text, i)) {
                    return false;
                }
                begins = false;
            } else if (c == '/' && !begins) {
                begins = true;
            } else if (c == '%' && isFinalEscape(text, i)) {
                begins = false;
                i += 2;
            } else {
                return false;
            }
        }
        return !begins || length == path + 1;
    }

    /** Whether the segment that begins at {@code from} is {@code .} or {@code ..}. */
    private static boolean isDots(String text, int from) {
        int end = text.startsWith("..", from) ? from + 2 : from + 1;
        return end == text.length() || text.charAt(end) == '/';
    }

    /** Whether an escape begins at {@code at} that is not decoded, with digits in upper case. */
    private static boolean isFinalEscape(String text, int at) {
        int code = escaped(text, at);
        return code >= 0 && !isPlain(code) && isUpper(text.charAt(at + 1)) && isUpper(text.charAt(at + 2));
    }

    private static boolean isUpper(char digit) {
        return digit < 'a';
    }

    private static boolean isPlain(int code) {
        return code < ASCII && PLAIN[code];
    }

    /** The byte that the escape at {@code at} stands for, or -1 if there is none. */
    private static int escaped(String text, int at) {
        if (at + 2 >= text.length()) {
            return -1;
        }
        int high = digit(text.charAt(at + 1));
        int low = digit(text.charAt(at + 2));
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }

    private static int digit(char c) {
        return c < ASCII ? Character.digit(c, 16) : -1;
    }

    private String endpoint(int path) {
        int from = path;
        while (path > 0 && from < text.length() && text.charAt(from) == ' ') {
            from++;
        }
        boolean star = from == text.length() - 1 && text.charAt(from) == '*';
        int start = star ? from : startOfPath(from);
        if (start < 0) {
            return text;
        }
        if (path > 0) {
            out.append(text.substring(0, path).toUpperCase(Locale.ROOT));
        }
        return star ? sameOr(out.append('*').toString()) : path(start);
    }

    /** The text itself if it equals {@code written}, so that callers can compare instances. */
    private String sameOr(String written) {
        return written.equals(text) ? text : written;
    }

    /** Where the path begins: at a slash, or after scheme and host; -1 if there is no path. */
    private int startOfPath(int from) {
        if (from < text.length() && isSlash(text.charAt(from))) {
            return from;
        }
        int colon = text.indexOf(':', from);
        if (colon <= from || !text.startsWith("//", colon + 1)) {
            return -1;
        }
        for (int i = from; i < colon; i++) {
            char c = text.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            boolean later = i > from && ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.');
            if (!letter && !later) {
                return -1;
            }
        }
        int at = colon + 3;
        while (at < text.length() && !isSlash(text.charAt(at)) && !endsPath(text.charAt(at))) {
            at++;
        }
        return at;
    }

    private static boolean isSlash(char c) {
        return c == '/' || c == '\\';
    }

    private static boolean endsPath(char c) {
        return c == '?' || c == '#';
    }

    /** Appends the path that begins at {@code start}, and returns all that was written. */
    private String path(int start) {
        root = out.length();
        boolean anywhere = pattern && text.charAt(start) == '*';
        out.append('/');
        segment = out.length();
        boolean parameters = false;
        for (int i = start; i < text.length() && !endsPath(text.charAt(i)); i++) {
            char c = text.charAt(i);
            if (isSlash(c)) {
                endSegment();
                parameters = false;
            } else if (c == ';' || parameters) {
                parameters = true;
            } else if (c == '%') {
                i += escape(i);
            } else if ((c < ASCII && PLAIN[c]) || (pattern && c == '*')) {
                out.append(c);
            } else {
                i += encode(i);
            }
        }
        endSegment();
        if (out.length() > root + 1) {
            out.setLength(out.length() - 1);
        }
        if (anywhere && out.length() > root + 1) {
            out.deleteCharAt(root); // "*/login" begins with anything, and not with a slash
        }
        return sameOr(out.toString());
    }

    /** Ends the last segment with a slash, unless it is one that disappears. */
    private void endSegment() {
        int length = out.length() - segment;
        boolean dots = length > 0 && length <= 2 && out.charAt(segment) == '.' && out.charAt(out.length() - 1) == '.';
        if (!dots) {
            if (length > 0) {
                out.append('/');
                segment = out.length();
            }
            return;
        }
        if (length == 2 && segment > root + 1) {
            // Each character is removed once, so the time stays linear.
            segment = out.lastIndexOf("/", segment - 2) + 1;
        }
        out.setLength(segment);
    }

    /** Appends what stands for the escape at {@code at}, and returns how many further characters it takes. */
    private int escape(int at) {
        int code = escaped(text, at);
        if (code < 0) {
            appendEscape('%');
            return 0;
        }
        if (isPlain(code)) {
            out.append((char) code);
        } else {
            appendEscape(code);
        }
        return 2;
    }

    /** Appends the UTF-8 of the character at {@code at} as escapes, and returns how many further chars it takes. */
    private int encode(int at) {
        int code = text.codePointAt(at);
        int length = Character.charCount(code);
        if (code >= Character.MIN_SURROGATE && code <= Character.MAX_SURROGATE) {
            code = REPLACEMENT; // half of a pair has no UTF-8
        }
        if (code < 0x80) {
            appendEscape(code);
        } else if (code < 0x800) {
            appendEscape(0xC0 | code >> 6);
            appendEscape(0x80 | (code & 0x3F));
        } else {
            if (code < 0x1_0000) {
                appendEscape(0xE0 | code >> 12);
            } else {
                appendEscape(0xF0 | code >> 18);
                appendEscape(0x80 | (code >> 12 & 0x3F));
            }
            appendEscape(0x80 | (code >> 6 & 0x3F));
            appendEscape(0x80 | (code & 0x3F));
        }
        return length - 1;
    }

    private void appendEscape(int code) {
        out.append('%').append(upper(code >> 4)).append(upper(code & 0xF));
    }

    private static char upper(int digit) {
        return (char) (digit < 10 ? '0' + digit : 'A' + digit - 10);
    }
}
