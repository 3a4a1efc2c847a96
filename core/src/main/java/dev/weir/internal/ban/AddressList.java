package dev.weir.internal.ban;

import dev.weir.internal.match.pattern.Cidr;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Collects blocks of addresses that all belong to one entry. An IPv4 block takes 8 bytes. */
public final class AddressList {
    private static final int MAPPED_PREFIX = 96;

    /** The first and the last address of each IPv4 block, in the upper and the lower half of a number. */
    private long[] ipv4 = new long[64];

    private int size;
    private final List<Cidr> ipv6 = new ArrayList<>();

    public void add(Cidr block) {
        if (block.isIpv4()) {
            if (size == ipv4.length) {
                ipv4 = Arrays.copyOf(ipv4, size * 2);
            }
            long first = block.low() & 0xffff_ffffL;
            long last = first | (0xffff_ffffL >>> (block.prefix() - MAPPED_PREFIX));
            ipv4[size++] = first << 32 | last;
        } else {
            ipv6.add(block);
        }
    }

    /** The number of blocks. */
    public int size() {
        return size + ipv6.size();
    }

    /** The IPv4 blocks, sorted, each joined to those that it touches or overlaps. */
    long[] joinedIpv4() {
        long[] sorted = Arrays.copyOf(ipv4, size);
        flip(sorted);
        Arrays.sort(sorted);
        flip(sorted);
        int joined = 0;
        for (long each : sorted) {
            long first = each >>> 32;
            long last = each & 0xffff_ffffL;
            long before = joined == 0 ? -2 : sorted[joined - 1] & 0xffff_ffffL;
            if (joined > 0 && first <= before + 1) {
                long start = sorted[joined - 1] >>> 32;
                sorted[joined - 1] = start << 32 | Math.max(before, last);
            } else {
                sorted[joined++] = each;
            }
        }
        return Arrays.copyOf(sorted, joined);
    }

    List<Cidr> ipv6() {
        return ipv6;
    }

    /** Makes numbers sort as unsigned ones, and back. */
    private static void flip(long[] numbers) {
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] ^= Long.MIN_VALUE;
        }
    }
}
