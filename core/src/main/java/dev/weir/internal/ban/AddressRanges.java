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
 * owns the range. A large table has an index by the top 16 bits, so that a lookup searches only the ranges of one of
 * 65,536 parts. IPv4 and IPv6 have tables of their own. Immutable.
 */
final class AddressRanges {
    private static final long MAPPED = 0xffff_0000_0000L;
    private static final int PARTS = 1 << 16;
    /** Tables with fewer ranges are searched whole: the index alone would take 256 KiB. */
    private static final int LEAST_INDEXED = 1 << 10;

    private final Ban[] owners;
    /** The ends of the IPv4 ranges, inclusive and with the sign bit flipped, so that they sort as unsigned numbers. */
    private final int[] ends4;

    private final int[] starts4;
    private final int[] owner4;
    /** The first range that ends in or after each part; empty for a small table. */
    private final int[] index4;

    /** The ends of the IPv6 ranges as pairs of numbers with the sign bit flipped. */
    private final long[] ends6;

    private final long[] starts6;
    private final int[] owner6;
    private final int[] index6;

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

    private AddressRanges(Ban[] owners, int[] starts4, int[] ends4, int[] owner4, List<Range> ipv6) {
        this.owners = owners;
        this.starts4 = starts4;
        this.ends4 = ends4;
        this.owner4 = owner4;
        int size6 = ipv6.size();
        ends6 = new long[2 * size6];
        starts6 = new long[2 * size6];
        owner6 = new int[size6];
        for (int i = 0; i < size6; i++) {
            Range each = ipv6.get(i);
            ends6[2 * i] = flip(each.lastHigh);
            ends6[2 * i + 1] = flip(each.lastLow);
            starts6[2 * i] = flip(each.high);
            starts6[2 * i + 1] = flip(each.low);
            owner6[i] = each.owner;
        }
        index4 = index(ends4.length, i -> flip(ends4[i]) >>> 16);
        index6 = index(size6, i -> (int) (flip(ends6[2 * i]) >>> 48));
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
        int[] starts = new int[size];
        int[] ends = new int[size];
        int[] numbersOf = new int[size];
        for (int i = 0; i < size; i++) {
            Range each = ranges4.get(i);
            starts[i] = flip((int) each.low);
            ends[i] = flip((int) each.lastLow);
            numbersOf[i] = each.owner;
        }
        return new AddressRanges(numbered.toArray(Ban[]::new), starts, ends, numbersOf, ranges6);
    }

    /** Builds the table of a list, whose blocks all belong to {@code owner}. */
    static AddressRanges of(AddressList list, Ban owner) {
        long[] ipv4 = list.joinedIpv4();
        int[] starts = new int[ipv4.length];
        int[] ends = new int[ipv4.length];
        for (int i = 0; i < ipv4.length; i++) {
            starts[i] = flip((int) (ipv4[i] >>> 32));
            ends[i] = flip((int) ipv4[i]);
        }
        List<Block> ipv6 = new ArrayList<>();
        list.ipv6().forEach(each -> ipv6.add(Block.of(owner, each)));
        List<Ban> owners = new ArrayList<>(List.of(owner));
        IdentityHashMap<Ban, Integer> numbers = new IdentityHashMap<>();
        numbers.put(owner, 0);
        List<Range> ranges6 = flatten(ipv6, numbers, owners);
        return new AddressRanges(new Ban[] {owner}, starts, ends, new int[ipv4.length], ranges6);
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
        return high == 0 && (low & ~0xffff_ffffL) == MAPPED ? find4((int) low) : find6(high, low);
    }

    private @Nullable Ban find4(int address) {
        boolean indexed = index4.length > 0;
        int part = address >>> 16;
        int from = indexed ? index4[part] : 0;
        // The first range that ends in a later part may begin in this one.
        int to = indexed ? Math.min(index4[part + 1] + 1, ends4.length) : ends4.length;
        int sought = flip(address);
        int last = to;
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (ends4[middle] < sought) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from < last && starts4[from] <= sought ? owners[owner4[from]] : null;
    }

    private @Nullable Ban find6(long high, long low) {
        int size = owner6.length;
        boolean indexed = index6.length > 0;
        int part = (int) (high >>> 48);
        int from = indexed ? index6[part] : 0;
        int to = indexed ? Math.min(index6[part + 1] + 1, size) : size;
        long soughtHigh = flip(high);
        long soughtLow = flip(low);
        int last = to;
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (isBelow(ends6, middle, soughtHigh, soughtLow)) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        boolean begun = from < last && !isAbove(starts6, from, soughtHigh, soughtLow);
        return begun ? owners[owner6[from]] : null;
    }

    private static boolean isBelow(long[] pairs, int index, long high, long low) {
        long pairHigh = pairs[2 * index];
        return pairHigh < high || (pairHigh == high && pairs[2 * index + 1] < low);
    }

    private static boolean isAbove(long[] pairs, int index, long high, long low) {
        long pairHigh = pairs[2 * index];
        return pairHigh > high || (pairHigh == high && pairs[2 * index + 1] > low);
    }

    private static int flip(int unsigned) {
        return unsigned ^ Integer.MIN_VALUE;
    }

    private static long flip(long unsigned) {
        return unsigned ^ Long.MIN_VALUE;
    }
}
