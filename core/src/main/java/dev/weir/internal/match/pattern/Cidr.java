package dev.weir.internal.match.pattern;

/**
 * A block of addresses, IPv4 or IPv6; a single address is a block of one. IPv4-mapped IPv6 is IPv4, in the pattern and
 * in the value. A value that is not an address is in no block.
 */
public record Cidr(String text, long high, long low, int prefix) implements ValuePattern {

    /**
     * Parses {@code 10.0.0.0/8}, {@code 2001:db8::/32} or an address.
     *
     * @throws IllegalArgumentException if it is neither
     */
    public static Cidr parse(String text) {
        int slash = text.indexOf('/');
        IpAddress address = IpAddress.ofThread();
        if (!address.read(text, slash < 0 ? text.length() : slash)) {
            throw new IllegalArgumentException(text + " (expected: an address, or a block like 10.0.0.0/8)");
        }
        // The prefix of a dotted IPv4 block counts after 96 leading bits; ::ffff:10.0.0.0/104 gives its prefix in full.
        boolean dotted = text.indexOf(':') < 0;
        int most = dotted ? 32 : 128;
        int least = !dotted && address.isIpv4() ? 96 : 0;
        int prefix = slash < 0 ? most : prefix(text, slash + 1, least, most);
        int full = dotted ? prefix + 96 : prefix;
        address.mask(full);
        return new Cidr(text, address.high(), address.low(), full);
    }

    private static int prefix(String text, int from, int least, int most) {
        String number = text.substring(from);
        boolean digits =
                !number.isEmpty() && number.length() <= 3 && number.chars().allMatch(c -> c >= '0' && c <= '9');
        int prefix = digits ? Integer.parseInt(number) : -1;
        if (prefix < least || prefix > most) {
            throw new IllegalArgumentException(text + " (expected: a prefix between /" + least + " and /" + most + ")");
        }
        return prefix;
    }

    /** Whether it is a single address. */
    public boolean isOne() {
        return prefix == 128;
    }

    /** Whether it is a block of IPv4 addresses, in either notation. */
    public boolean isIpv4() {
        return prefix >= 96 && high == 0 && low >>> 32 == 0xffff;
    }

    @Override
    public boolean matches(String value) {
        IpAddress address = IpAddress.ofThread();
        if (!address.read(value)) {
            return false;
        }
        // ::/0 and the like mean IPv6; IPv4 matches only blocks of the mapped form.
        if (address.isIpv4() && prefix < 96) {
            return false;
        }
        address.mask(prefix);
        return address.high() == high && address.low() == low;
    }
}
