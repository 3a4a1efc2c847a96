package dev.weir.internal.match.pattern;

import dev.weir.internal.counter.CounterNameEncoder;
import org.jspecify.annotations.Nullable;

/**
 * Parses an IPv4 or IPv6 address into 128 bits, without name lookup or allocation. IPv4 becomes the mapped form {@code
 * ::ffff:a.b.c.d}, so both notations of one IPv4 address are one address.
 *
 * <p>Proxies and frameworks decorate addresses. {@link #read(String)} reads the address out of {@code 1.2.3.4:80},
 * {@code [::1]}, {@code [::1]:443}, {@code fe80::1%eth0} and {@code /1.2.3.4} (Java's {@code InetAddress}), with blanks
 * around it: otherwise every port would be another caller. A number with a leading zero is refused, because some
 * readers take it for octal.
 */
public final class IpAddress {
    private static final ThreadLocal<IpAddress> OF_THREAD = ThreadLocal.withInitial(IpAddress::new);
    private static final long MAPPED = 0xffff_0000_0000L;
    private static final int LONGEST = 45;
    private static final int MOST_PORT = 65_535;
    /** The value of each hexadecimal digit, -1 for other characters. */
    private static final byte[] HEX = new byte['f' + 1];

    static {
        for (int i = 0; i < HEX.length; i++) {
            HEX[i] = (byte) Character.digit(i, 16);
        }
    }

    private long high;
    private long low;
    /** Where {@link #normalText} writes. */
    private final char[] written = new char[LONGEST];

    /** The parser of this thread, to be used at once and not kept. */
    public static IpAddress ofThread() {
        return OF_THREAD.get();
    }

    /** Whether {@code text} is an address and nothing else, as rules write it. */
    static boolean isValid(String text) {
        return ofThread().read(text, text.length());
    }

    /**
     * The one spelling of the address in {@code text}: IPv4 with dots, IPv6 as in RFC 5952; null if there is no address
     * in it. Returns {@code text} itself, and allocates nothing, if it is spelled so already.
     */
    public static @Nullable String normalForm(String text) {
        IpAddress address = ofThread();
        if (!address.read(text)) {
            return null;
        }
        int length = address.normalText();
        boolean same = length == text.length();
        for (int i = 0; same && i < length; i++) {
            same = text.charAt(i) == address.written[i];
        }
        return same ? text : new String(address.written, 0, length);
    }

    /** The IPv4 address that {@code text} is, with dots and nothing else; -1 if it is not one. */
    public static long ipv4(String text) {
        return ipv4(text, 0, text.length());
    }

    public long high() {
        return high;
    }

    public long low() {
        return low;
    }

    /** Whether the address last read is IPv4, in either notation. */
    public boolean isIpv4() {
        return high == 0 && (low & ~0xffff_ffffL) == MAPPED;
    }

    /** The 128 bits of an address as text of eight chars, for an index of texts. */
    public static String bits(long high, long low) {
        StringBuilder bits = new StringBuilder(8);
        for (int i = 0; i < 8; i++) {
            bits.append(group(high, low, i));
        }
        return bits.toString();
    }

    /** The {@link String#hashCode} of the {@link #bits}. */
    public int bitsHash() {
        int hash = 0;
        for (int i = 0; i < 8; i++) {
            hash = 31 * hash + group(high, low, i);
        }
        return hash;
    }

    /** Whether {@code bits} are those of the address last read. */
    public boolean bitsEqual(String bits) {
        for (int i = 0; i < 8; i++) {
            if (bits.charAt(i) != group(high, low, i)) {
                return false;
            }
        }
        return true;
    }

    private static char group(long high, long low, int index) {
        return (char) ((index < 4 ? high : low) >>> (48 - index % 4 * 16));
    }

    /** Clears all but the first {@code prefix} of the 128 bits. */
    public void mask(int prefix) {
        high = prefix >= 64 ? high : prefix == 0 ? 0 : high & (-1L << (64 - prefix));
        low = prefix >= 128 ? low : prefix <= 64 ? 0 : low & (-1L << (128 - prefix));
    }

    /** Reads the address in a value that a caller sent, decorated or not; returns false if there is none. */
    public boolean read(String text) {
        return read(text, text.length()) || readDecorated(text);
    }

    /** Reads the first {@code end} characters of {@code text}; returns false if they are not an address alone. */
    boolean read(String text, int end) {
        return read(text, 0, end);
    }

    private boolean read(String text, int from, int end) {
        high = 0;
        low = 0;
        if (end - from < 2 || end - from > LONGEST) {
            return false;
        }
        for (int i = from; i < Math.min(end, from + 5); i++) {
            if (text.charAt(i) == ':') {
                return readIpv6(text, from, end);
            }
        }
        long ipv4 = ipv4(text, from, end);
        low = MAPPED | ipv4;
        return ipv4 >= 0;
    }

    private boolean readDecorated(String text) {
        int from = 0;
        int end = text.length();
        while (from < end && isBlank(text.charAt(from))) {
            from++;
        }
        while (end > from && isBlank(text.charAt(end - 1))) {
            end--;
        }
        if (from < end && text.charAt(from) == '/') {
            from++;
        }
        if (from == end) {
            return false;
        }
        int colon = text.indexOf(':', from);
        if (text.charAt(from) == '[') {
            int close = text.indexOf(']', from);
            // Brackets are for IPv6; [1.2.3.4] is no notation of anything.
            return close > colon
                    && colon > 0
                    && (close + 1 == end || isPort(text, close + 1, end))
                    && readWithoutZone(text, from + 1, close);
        }
        // One colon comes before a port; several are an IPv6 address, which has a port only after brackets.
        if (colon > 0 && text.lastIndexOf(':', end - 1) == colon) {
            return isPort(text, colon, end) && read(text, from, colon);
        }
        return readWithoutZone(text, from, end);
    }

    /** Reads an address with or without a zone, which names an interface of the machine that saw the address. */
    private boolean readWithoutZone(String text, int from, int end) {
        int zone = text.indexOf('%', from);
        boolean has = zone >= 0 && zone < end - 1;
        return read(text, from, has ? zone : end) && (!has || !isIpv4());
    }

    private static boolean isPort(String text, int colon, int end) {
        int port = 0;
        for (int i = colon + 1; i < end; i++) {
            if (!isDigit(text.charAt(i)) || port > MOST_PORT) {
                return false;
            }
            port = port * 10 + (text.charAt(i) - '0');
        }
        return text.charAt(colon) == ':' && end > colon + 1 && port <= MOST_PORT;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    /** Four decimal numbers without leading zeros (they are octal to some readers), or -1. */
    private static long ipv4(String text, int from, int end) {
        long address = 0;
        int parts = 0;
        int at = from;
        while (parts < 4) {
            int start = at;
            int number = 0;
            while (at < end && at - start < 3 && isDigit(text.charAt(at))) {
                number = number * 10 + (text.charAt(at++) - '0');
            }
            int digits = at - start;
            if (digits == 0 || number > 255 || (digits > 1 && text.charAt(start) == '0')) {
                return -1;
            }
            address = address << 8 | number;
            parts++;
            if (parts < 4 && (at >= end || text.charAt(at++) != '.')) {
                return -1;
            }
        }
        return at == end ? address : -1;
    }

    private boolean readIpv6(String text, int from, int end) {
        int groups = 0;
        int gap = -1;
        // The groups so far, since the gap if there was one.
        long bitsHigh = 0;
        long bitsLow = 0;
        int at = from;
        if (text.charAt(from) == ':') {
            if (text.charAt(from + 1) != ':') {
                return false;
            }
            gap = 0;
            at = from + 2;
        }
        while (at < end) {
            int start = at;
            int group = 0;
            for (int digit; at < end && at - start < 4 && (digit = hex(text.charAt(at))) >= 0; at++) {
                group = group << 4 | digit;
            }
            if (at == start || groups == 8) {
                return false;
            }
            if (at < end && text.charAt(at) == '.') {
                long ipv4 = groups <= 6 ? ipv4(text, start, end) : -1;
                if (ipv4 < 0) {
                    return false;
                }
                bitsHigh = bitsHigh << 32 | bitsLow >>> 32;
                bitsLow = bitsLow << 32 | ipv4;
                groups += 2;
                break;
            }
            bitsHigh = bitsHigh << 16 | bitsLow >>> 48;
            bitsLow = bitsLow << 16 | group;
            groups++;
            if (at == end) {
                break;
            }
            if (text.charAt(at++) != ':' || at == end) {
                return false;
            }
            if (text.charAt(at) == ':') {
                if (gap >= 0) {
                    return false;
                }
                gap = groups;
                at++;
                putBeforeGap(bitsHigh, bitsLow, gap);
                bitsHigh = 0;
                bitsLow = 0;
            }
        }
        high |= bitsHigh;
        low |= bitsLow;
        return gap < 0 ? groups == 8 : groups < 8;
    }

    /** Sets the first {@code groups} groups of the address, at least one and at most eight. */
    private void putBeforeGap(long bitsHigh, long bitsLow, int groups) {
        int shift = 128 - 16 * groups;
        if (shift >= 64) {
            high = bitsLow << (shift - 64);
        } else {
            high = shift == 0 ? bitsHigh : bitsHigh << shift | bitsLow >>> (64 - shift);
            low = bitsLow << shift;
        }
    }

    /** The address last read in its {@linkplain #normalForm one spelling}. */
    @Override
    public String toString() {
        return new String(written, 0, normalText());
    }

    /** Writes the address last read, IPv4 with dots and IPv6 as in RFC 5952, and returns its length. */
    private int normalText() {
        int at = 0;
        if (isIpv4()) {
            for (int shift = 24; shift >= 0; shift -= 8) {
                at = number((int) (low >>> shift & 0xff), 10, at);
                written[at++] = '.';
            }
            return at - 1;
        }
        int gap = longestGap();
        int gapEnd = gap + zeros(gap);
        for (int i = 0; i < 8; i++) {
            if (i == gap) {
                written[at++] = ':';
                i = gapEnd - 1;
                if (gapEnd == 8) {
                    written[at++] = ':';
                }
                continue;
            }
            if (i > 0) {
                written[at++] = ':';
            }
            at = number(group(high, low, i), 16, at);
        }
        return at;
    }

    private int number(int number, int radix, int at) {
        int digits = 1;
        for (int rest = number / radix; rest > 0; rest /= radix) {
            digits++;
        }
        int rest = number;
        for (int i = at + digits - 1; i >= at; i--) {
            written[i] = Character.forDigit(rest % radix, radix);
            rest /= radix;
        }
        return at + digits;
    }

    /** The first of the longest runs of at least two groups of zero, or 8 if there is none. */
    private int longestGap() {
        int longest = 8;
        int most = 1;
        for (int i = 0; i < 8; i++) {
            int zeros = zeros(i);
            if (zeros > most) {
                most = zeros;
                longest = i;
            }
        }
        return longest;
    }

    private int zeros(int from) {
        int end = from;
        while (end < 8 && group(high, low, end) == 0) {
            end++;
        }
        return end - from;
    }

    /** Adds the address last read, IPv4 with dots and IPv6 as 32 digits. */
    public void write(CounterNameEncoder name) {
        if (isIpv4()) {
            name.number(low >>> 24 & 0xff).plain(".").number(low >>> 16 & 0xff).plain(".");
            name.number(low >>> 8 & 0xff).plain(".").number(low & 0xff);
        } else {
            name.hex(high).hex(low);
        }
    }

    /** The value of a hexadecimal digit in ASCII, or -1. A table, because no processor predicts digits. */
    private static int hex(char c) {
        return c < HEX.length ? HEX[c] : -1;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
