package dev.weir.internal.ban;

import dev.weir.internal.match.pattern.Cidr;
import dev.weir.internal.model.Ban;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the entry of an address among many blocks.
 *
 * <p><b>Form.</b> The blocks are flattened into sorted, disjoint ranges; where blocks overlap, the one that expires last
 * owns the range. A large table has an index by the top 16 bits, of IPv6 those in which the ranges differ, so
 * that a lookup searches only the ranges of one of 65,536 parts. Immutable.
 */
final class AddressRanges {
    private static final long MAPPED = 0xffff_0000_0000L;
    private static final long MASK = 0xffff_ffffL;
    private static final int PART_BITS = 16;
    private static final int PARTS = 1 << PART_BITS;
    private static final int WORDS = 4;
    /** Tables with fewer ranges are searched whole: the index alone would take 256 KiB. */
    private static final int LEAST_INDEXED = 1 << 10;

    private final Ban[] owners;
    /** The first and the last address of each IPv4 range, in the upper and the lower half of one number. */
    private final long[] ranges4;

    private final int[] owner4;
    /** The first range that ends in or after each part; empty for a small table. */
    private final int[] index4;

    /** The first and the last address of each IPv6 range as four numbers, with the sign bit flipped to sort unsigned. */
    private final long[] ranges6;

    private final int[] owner6;
    private final int[] index6;
    /** A part of IPv6 is as wide as the table needs: the ranges in use are a small share of all addresses. */
    private final long base6;

    private final int shift6;

    /** A block, as its first and last address. */
    private record Block(Ban owner, long high, long low, long lastHigh, long lastLow) {

        static Block of(Ban owner, Cidr cidr) {
            int prefix = cidr.prefix();
            long hostHigh = prefix >= 64 ? 0 : prefix == 0 ? -1 : -1L >>> prefix;
            long hostLow = prefix >= 128 ? 0 : prefix <= 64 ? -1 : -1L >>> (prefix - 64);
            return new Block(owner, cidr.high(), cidr.low(), cidr.high() | hostHigh, cidr.low() | hostLow);
        }

        boolean endsBefore(long otherHigh, long otherLow) {
            int high = Long.compareUnsigned(lastHigh, otherHigh);
            return high < 0 || (high == 0 && Long.compareUnsigned(lastLow, otherLow) < 0);
        }
    }

    private record Range(int owner, long high, long low, long lastHigh, long lastLow) {}

    private AddressRanges(Ban[] owners, long[] ranges4, int[] owner4, List<Range> ipv6) {
        this.owners = owners;
        this.ranges4 = ranges4;
        this.owner4 = owner4;
        int size = ipv6.size();
        ranges6 = new long[WORDS * size];
        owner6 = new int[size];
        for (int i = 0; i < size; i++) {
            Range each = ipv6.get(i);
            ranges6[WORDS * i] = flip(each.high);
            ranges6[WORDS * i + 1] = flip(each.low);
            ranges6[WORDS * i + 2] = flip(each.lastHigh);
            ranges6[WORDS * i + 3] = flip(each.lastLow);
            owner6[i] = each.owner;
        }
        base6 = size == 0 ? 0 : ipv6.get(0).high;
        long width = size == 0 ? 0 : ipv6.get(size - 1).lastHigh - base6;
        shift6 = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(width) - PART_BITS);
        index4 = index(ranges4.length, i -> (int) (ranges4[i] & MASK) >>> PART_BITS);
        index6 = index(size, i -> (int) ((flip(ranges6[WORDS * i + 2]) - base6) >>> shift6));
    }

    private interface PartOfEnd {
        int part(int range);
    }

    private static int[] index(int size, PartOfEnd ends) {
        if (size < LEAST_INDEXED) {
            return new int[0];
        }
        int[] first = new int[PARTS + 1];
        int range = 0;
        for (int part = 0; part < PARTS; part++) {
            while (range < size && ends.part(range) < part) {
                range++;
            }
            first[part] = range;
        }
        first[PARTS] = size;
        return first;
    }

    /** Builds the table of blocks, each with the entry that it belongs to; null without blocks. */
    static @Nullable AddressRanges of(List<Cidr> blocks, List<Ban> owners) {
        if (blocks.isEmpty()) {
            return null;
        }
        List<Block> ipv4 = new ArrayList<>();
        List<Block> ipv6 = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++) {
            Cidr each = blocks.get(i);
            (each.isIpv4() ? ipv4 : ipv6).add(Block.of(owners.get(i), each));
        }
        IdentityHashMap<Ban, Integer> numbers = new IdentityHashMap<>();
        List<Ban> numbered = new ArrayList<>();
        List<Range> ranges4 = flatten(ipv4, numbers, numbered);
        List<Range> ranges6 = flatten(ipv6, numbers, numbered);
        int size = ranges4.size();
        long[] packed = new long[size];
        int[] numbersOf = new int[size];
        for (int i = 0; i < size; i++) {
            Range each = ranges4.get(i);
            packed[i] = each.low << Integer.SIZE | (each.lastLow & MASK);
            numbersOf[i] = each.owner;
        }
        return new AddressRanges(numbered.toArray(Ban[]::new), packed, numbersOf, ranges6);
    }

    /** Builds the table of a list, whose blocks all belong to {@code owner}. */
    static AddressRanges of(AddressList list, Ban owner) {
        long[] ipv4 = list.joinedIpv4();
        List<Block> ipv6 = new ArrayList<>();
        list.ipv6().forEach(each -> ipv6.add(Block.of(owner, each)));
        List<Ban> owners = new ArrayList<>(List.of(owner));
        IdentityHashMap<Ban, Integer> numbers = new IdentityHashMap<>();
        numbers.put(owner, 0);
        List<Range> ranges6 = flatten(ipv6, numbers, owners);
        return new AddressRanges(new Ban[] {owner}, ipv4, new int[ipv4.length], ranges6);
    }

    /** Cuts the blocks, each of which contains another or is apart from it, into disjoint ranges. */
    private static List<Range> flatten(List<Block> blocks, IdentityHashMap<Ban, Integer> numbers, List<Ban> numbered) {
        Block[] sorted = blocks.toArray(Block[]::new);
        Arrays.parallelSort(
                sorted,
                Comparator.<Block>comparingLong(each -> flip(each.high))
                        .thenComparingLong(each -> flip(each.low))
                        .thenComparing(Comparator.<Block>comparingLong(each -> flip(each.lastHigh))
                                .thenComparingLong(each -> flip(each.lastLow))
                                .reversed()));
        List<Range> ranges = new ArrayList<>();
        Deque<Block> open = new ArrayDeque<>();
        long nextHigh = 0;
        long nextLow = 0;
        for (Block each : sorted) {
            while (!open.isEmpty() && open.peek().endsBefore(each.high, each.low)) {
                Block done = open.pop();
                add(ranges, number(done, numbers, numbered), nextHigh, nextLow, done.lastHigh, done.lastLow);
                nextLow = done.lastLow + 1;
                nextHigh = done.lastHigh + (nextLow == 0 ? 1 : 0);
            }
            Block outer = open.peek();
            boolean gap = nextHigh != each.high || nextLow != each.low;
            if (outer != null && gap) {
                long beforeLow = each.low - 1;
                long beforeHigh = each.high - (each.low == 0 ? 1 : 0);
                add(ranges, number(outer, numbers, numbered), nextHigh, nextLow, beforeHigh, beforeLow);
            }
            nextHigh = each.high;
            nextLow = each.low;
            boolean outlasts = outer == null || each.owner.untilMicros() > outer.owner.untilMicros();
            open.push(outlasts ? each : new Block(outer.owner, each.high, each.low, each.lastHigh, each.lastLow));
        }
        while (!open.isEmpty()) {
            Block done = open.pop();
            add(ranges, number(done, numbers, numbered), nextHigh, nextLow, done.lastHigh, done.lastLow);
            if (done.lastHigh == -1 && done.lastLow == -1) {
                break; // the last address there is; the blocks around this one end here too
            }
            nextLow = done.lastLow + 1;
            nextHigh = done.lastHigh + (nextLow == 0 ? 1 : 0);
        }
        return ranges;
    }

    private static int number(Block block, IdentityHashMap<Ban, Integer> numbers, List<Ban> numbered) {
        Integer known = numbers.get(block.owner);
        if (known == null) {
            known = numbered.size();
            numbered.add(block.owner);
            numbers.put(block.owner, known);
        }
        return known;
    }

    /** Adds a range unless it is empty, and joins it to the last one if both touch and have one owner. */
    private static void add(List<Range> ranges, int owner, long high, long low, long lastHigh, long lastLow) {
        int order = Long.compareUnsigned(high, lastHigh);
        if (order > 0 || (order == 0 && Long.compareUnsigned(low, lastLow) > 0)) {
            return;
        }
        Range last = ranges.isEmpty() ? null : ranges.get(ranges.size() - 1);
        if (last != null
                && last.owner == owner
                && last.lastLow + 1 == low
                && last.lastHigh + (low == 0 ? 1 : 0) == high) {
            ranges.set(ranges.size() - 1, new Range(owner, last.high, last.low, lastHigh, lastLow));
        } else {
            ranges.add(new Range(owner, high, low, lastHigh, lastLow));
        }
    }

    /** The number of ranges. */
    int size() {
        return owner4.length + owner6.length;
    }

    /** The entry of an address, IPv4 in its mapped form; null if no block has it. */
    @Nullable
    Ban find(long high, long low) {
        return high == 0 && (low & ~MASK) == MAPPED ? findIpv4(low & MASK) : findIpv6(high, low);
    }

    /** The entry of an IPv4 address; null if no block has it. */
    @Nullable
    Ban findIpv4(long address) {
        int size = ranges4.length;
        boolean indexed = index4.length > 0;
        int part = (int) (address >>> PART_BITS);
        int from = indexed ? index4[part] : 0;
        // The first range that ends in a later part may begin in this one.
        int to = indexed ? Math.min(index4[part + 1] + 1, size) : size;
        int last = to;
        while (from < to) {
            int middle = (from + to) >>> 1;
            if ((ranges4[middle] & MASK) < address) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from < last && ranges4[from] >>> Integer.SIZE <= address ? owners[owner4[from]] : null;
    }

    private @Nullable Ban findIpv6(long high, long low) {
        int size = owner6.length;
        int from = 0;
        int to = size;
        if (index6.length > 0) {
            long part = (high - base6) >>> shift6;
            if (Long.compareUnsigned(high, base6) < 0 || part >= PARTS) {
                return null;
            }
            from = index6[(int) part];
            to = Math.min(index6[(int) part + 1] + 1, size);
        }
        long soughtHigh = flip(high);
        long soughtLow = flip(low);
        int last = to;
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (isBelow(WORDS * middle + 2, soughtHigh, soughtLow)) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        boolean found = from < last
                && (ranges6[WORDS * from] < soughtHigh
                        || (ranges6[WORDS * from] == soughtHigh && ranges6[WORDS * from + 1] <= soughtLow));
        return found ? owners[owner6[from]] : null;
    }

    private boolean isBelow(int index, long high, long low) {
        return ranges6[index] < high || (ranges6[index] == high && ranges6[index + 1] < low);
    }

    private static long flip(long unsigned) {
        return unsigned ^ Long.MIN_VALUE;
    }
}
