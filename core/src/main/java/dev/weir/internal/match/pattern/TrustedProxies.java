package dev.weir.internal.match.pattern;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Finds the address of a caller behind proxies: from {@code Forwarded} (RFC 7239) or {@code X-Forwarded-For}.
 *
 * <p>Each proxy appends the address that it was called from, so the headers are read from the right, as long as the
 * address read so far is a trusted proxy. The first address that is not trusted is the caller; whatever stands left of
 * it was sent by the caller, who can write anything. If all are trusted, the leftmost is the caller. An element that is
 * not an address ({@code unknown}, {@code _hidden}, a malformed one) ends the walk: the caller is then the proxy that
 * added it, because nothing left of it can be attributed.
 *
 * <p>Headers of a peer that is not trusted are not read. Only one of the two headers is read, the one that the proxies
 * write: they pass the other one on as the caller sent it.
 */
public final class TrustedProxies {
    /** Trusts nobody: the caller is always the peer. */
    public static final TrustedProxies NONE = new TrustedProxies(List.of(), Header.X_FORWARDED_FOR);

    /** More elements than this are not read; no chain of proxies is that long. */
    private static final int MOST_ELEMENTS = 32;

    private static final String FOR = "for";

    private final List<Cidr> blocks;
    private final Header header;

    /** The header that the proxies write. */
    public enum Header {
        X_FORWARDED_FOR("X-Forwarded-For"),
        FORWARDED("Forwarded");

        private final String text;

        Header(String text) {
            this.text = text;
        }

        /** The name in a request. */
        public String text() {
            return text;
        }
    }

    private TrustedProxies(List<Cidr> blocks, Header header) {
        this.blocks = blocks;
        this.header = header;
    }

    /**
     * Trusts proxies in these blocks, which write {@code header}.
     *
     * @throws IllegalArgumentException if one is neither an address nor a block
     */
    public static TrustedProxies of(List<String> blocks, Header header) {
        return new TrustedProxies(blocks.stream().map(Cidr::parse).toList(), header);
    }

    /** The header to pass to {@link #caller}. */
    public Header header() {
        return header;
    }

    /** Whether {@code address} is a proxy whose headers are believed. */
    public boolean trusts(String address) {
        for (Cidr each : blocks) {
            if (each.matches(address)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The address of the caller.
     *
     * @param peer the address that the connection comes from
     * @param headers the values of all {@linkplain #header headers} of that name, in order
     */
    public String caller(String peer, List<String> headers) {
        if (blocks.isEmpty() || !trusts(peer)) {
            return peer;
        }
        boolean standard = header == Header.FORWARDED;
        String caller = peer;
        int elements = 0;
        for (int i = headers.size() - 1; i >= 0; i--) {
            String header = headers.get(i);
            int end = header.length();
            while (end >= 0) {
                int start = standard ? startOfElement(header, end) : header.lastIndexOf(',', end - 1) + 1;
                if (start < 0 || ++elements > MOST_ELEMENTS) {
                    return caller;
                }
                String element = header.substring(start, end).strip();
                // RFC 9110 lets a list have empty elements; they say nothing.
                if (!element.isEmpty()) {
                    String address = standard ? addressOf(element) : address(element);
                    if (address == null) {
                        return caller;
                    }
                    caller = address;
                    if (!trusts(caller)) {
                        return caller;
                    }
                }
                end = start - 1;
            }
        }
        return caller;
    }

    /**
     * Where the last element before {@code end} starts. Commas inside a quoted string do not separate. Quotes are paired
     * from the right: a stray quote of the caller, further left, must not hide what the proxies appended. -1 if the quotes
     * do not match up, so that it is unknown where the element starts.
     */
    private static int startOfElement(String header, int end) {
        boolean quoted = false;
        for (int i = end - 1; i >= 0; i--) {
            char c = header.charAt(i);
            if (c == '"' && !isEscaped(header, i)) {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                return i + 1;
            }
        }
        return quoted ? -1 : 0;
    }

    /** Whether the backslashes before {@code at} escape the character there: an odd number of them does. */
    private static boolean isEscaped(String header, int at) {
        int first = at;
        while (first > 0 && header.charAt(first - 1) == '\\') {
            first--;
        }
        return (at - first) % 2 == 1;
    }

    /** The address in the one {@code for} of an element of {@code Forwarded}; null if there is none. */
    private static @Nullable String addressOf(String element) {
        String found = null;
        int at = 0;
        while (at <= element.length()) {
            int end = endOfPair(element, at);
            String pair = element.substring(at, end).strip();
            int equals = pair.indexOf('=');
            if (equals > 0 && pair.substring(0, equals).toLowerCase(Locale.ROOT).equals(FOR)) {
                if (found != null) {
                    return null;
                }
                found = unquoted(pair.substring(equals + 1));
                if (found == null) {
                    return null;
                }
            }
            at = end + 1;
        }
        return found == null ? null : address(found);
    }

    private static int endOfPair(String element, int from) {
        boolean quoted = false;
        for (int i = from; i < element.length(); i++) {
            char c = element.charAt(i);
            if (quoted && c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == ';' && !quoted) {
                return i;
            }
        }
        return element.length();
    }

    /** The text in quotes, or the text itself if it has none; null if the quotes do not match up. */
    private static @Nullable String unquoted(String value) {
        if (value.indexOf('"') < 0) {
            return value;
        }
        if (value.length() < 2 || value.charAt(0) != '"') {
            return null;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 1; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"') {
                return i == value.length() - 1 ? text.toString() : null;
            }
            if (c == '\\' && ++i < value.length()) {
                c = value.charAt(i);
            }
            text.append(c);
        }
        return null;
    }

    /** The address of a node such as {@code 192.0.2.1:80} or {@code [2001:db8::1]:80}; null if it is not one. */
    private static @Nullable String address(String node) {
        String bare = node;
        if (node.startsWith("[")) {
            int close = node.indexOf(']');
            if (close < 0 || !isPort(node, close + 1) || node.lastIndexOf(':', close) < 0) {
                return null;
            }
            bare = node.substring(1, close);
        } else if (node.indexOf(':') >= 0 && node.indexOf(':') == node.lastIndexOf(':')) {
            int colon = node.indexOf(':');
            if (!isPort(node, colon)) {
                return null;
            }
            bare = node.substring(0, colon);
        }
        IpAddress address = new IpAddress();
        return address.read(bare, bare.length()) ? address.toString() : null;
    }

    /** Whether {@code node} ends at {@code from}, or goes on with a colon and a port, in digits or obfuscated. */
    private static boolean isPort(String node, int from) {
        if (from == node.length()) {
            return true;
        }
        if (node.charAt(from) != ':' || from + 1 == node.length()) {
            return false;
        }
        return node.substring(from + 1)
                .chars()
                .allMatch(c -> c < 128 && (Character.isLetterOrDigit(c) || c == '.' || c == '_' || c == '-'));
    }

    /** The trusted addresses and blocks, as written. */
    public List<String> blocks() {
        return blocks.stream().map(Cidr::text).toList();
    }

    @Override
    public String toString() {
        return header.text() + " of " + blocks();
    }
}
