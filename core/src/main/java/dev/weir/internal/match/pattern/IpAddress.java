package dev.weir.internal.match.pattern;

import dev.weir.internal.counter.CounterNameEncoder;

/**
 * Parses an IPv4 or IPv6 address into 128 bits, without name lookup or allocation. IPv4 becomes the mapped form {@code
 * ::ffff:a.b.c.d}, so both notations of one IPv4 address are one address.
 */
public final class IpAddress {
    private static final ThreadLocal<IpAddress> OF_THREAD = ThreadLocal.withInitial(IpAddress::new);
    private static final long MAPPED = 0xffff_0000_0000L;

    private long high;
    private long low;

    /** The parser of this thread, to be used at once and not kept. */
    static IpAddress ofThread() {
        return OF_THREAD.get();
    }

    static boolean isValid(String text) {
        return ofThread().read(text);
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

    /** Reads {@code text}; returns false if it is not an address. */
    public boolean read(String text) {
        return read(text, text.length());
    }

    /** Reads the first {@code end} characters of {@code text}; returns false if they are not an address. */
    public boolean read(String text, int end) {
        high = 0;
        low = 0;
        if (end < 2 || end > 45) {
            return false;
        }
        for (int i = 0; i < Math.min(end, 5); i++) {
            if (text.charAt(i) == ':') {
                return readIpv6(text, end);
            }
        }
        long ipv4 = ipv4(text, 0, end);
        low = MAPPED | ipv4;
        return ipv4 >= 0;
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

    private boolean readIpv6(String text, int end) {
        int groups = 0;
        int gap = -1;
        int at = 0;
        if (text.charAt(0) == ':') {
            if (text.charAt(1) != ':') {
                return false;
            }
            gap = 0;
            at = 2;
        }
        while (at < end) {
            int start = at;
            int group = 0;
            while (at < end && at - start < 4 && Character.digit(text.charAt(at), 16) >= 0 && text.charAt(at) < 128) {
                group = group << 4 | Character.digit(text.charAt(at++), 16);
            }
            if (at == start || groups == 8) {
                return false;
            }
            if (at < end && text.charAt(at) == '.') {
                long ipv4 = groups <= 6 ? ipv4(text, start, end) : -1;
                if (ipv4 < 0) {
                    return false;
                }
                put((int) (ipv4 >>> 16));
                put((int) ipv4 & 0xffff);
                groups += 2;
                break;
            }
            put(group);
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
            }
        }
        if (gap < 0) {
            return groups == 8;
        }
        widen(8 - groups, groups - gap);
        return groups < 8;
    }

    private void put(int group) {
        high = high << 16 | low >>> 48;
        low = low << 16 | group;
    }

    /** Puts {@code zeros} groups of zero before the last {@code tail} groups. */
    private void widen(int zeros, int tail) {
        long tailHigh = high;
        long tailLow = low;
        int keep = tail * 16;
        if (keep < 128) {
            tailHigh = keep <= 64 ? 0 : high & ~(-1L << (keep - 64));
            tailLow = keep >= 64 ? low : keep == 0 ? 0 : low & ~(-1L << keep);
        }
        high ^= tailHigh;
        low ^= tailLow;
        for (int i = 0; i < zeros; i++) {
            put(0);
        }
        high |= tailHigh;
        low |= tailLow;
    }

    /** The address last read, IPv4 with dots and IPv6 as eight groups. */
    @Override
    public String toString() {
        if (isIpv4()) {
            return (low >>> 24 & 0xff) + "." + (low >>> 16 & 0xff) + "." + (low >>> 8 & 0xff) + "." + (low & 0xff);
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            text.append(i == 0 ? "" : ":").append(Integer.toHexString(group(high, low, i)));
        }
        return text.toString();
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

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
