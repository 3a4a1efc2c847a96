package dev.weir.internal.ban;

import dev.weir.internal.match.pattern.Cidr;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds the entry of an address among many blocks.
 *
 * <p><b>Form.</b> The blocks are flattened into sorted, disjoint ranges; where blocks overlap, the one with the highest
 * rank owns the range. A large table has an index by the top 16 bits, of IPv6 those in which the ranges differ, so
 * that a lookup searches only the ranges of one of 65,536 parts. Immutable.
 *
 * <p><b>Marks.</b> Most addresses are in no block. A large table has a bit for each of many smaller parts, which tells
 * whether a range meets that part: about ten bits for each range, so that all bits stay in the processor's cache and few
 * addresses outside of the blocks are searched for.
 *
 * @param <T> what a block belongs to
 */
final class AddressRanges<T> {
    private static final long MAPPED = 0xffff_0000_0000L;
    private static final long MASK = 0xffff_ffffL;
    private static final int PART_BITS = 16;
    private static final int PARTS = 1 << PART_BITS;
    private static final int WORDS = 4;
    /** Tables with fewer ranges are searched whole: the index alone would take 256 KiB. */
    private static final int LEAST_INDEXED = 1 << 10;
    /** A mark's number has as many bits as that of ranges and these: there are eight to sixteen marks for each range. */
    private static final int MORE_MARK_BITS = 3;

    private static final int MOST_MARK_BITS = 24;
    /** The bits of a mark's number inside of one long. */
    private static final int WORD_BITS = 6;

    private final List<T> owners;
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

    /** The distance of the last address in use from {@link #base6}, in the upper half of addresses. */
    private final long width6;

    private final int shift6;

    /** A bit for each part that a range meets; empty for a small table. */
    private final long[] marks4;

    private final int markShift4;
    private final long[] marks6;
    private final int markShift6;

    /** A block, as its first and last address. */
    private record Block<T>(T owner, long high, long low, long lastHigh, long lastLow) {

        static <T> Block<T> of(T owner, Cidr cidr) {
            int prefix = cidr.prefix();
            long hostHigh = prefix >= 64 ? 0 : prefix == 0 ? -1 : -1L >>> prefix;
            long hostLow = prefix >= 128 ? 0 : prefix <= 64 ? -1 : -1L >>> (prefix - 64);
            return new Block<>(owner, cidr.high(), cidr.low(), cidr.high() | hostHigh, cidr.low() | hostLow);
        }

        boolean endsBefore(long otherHigh, long otherLow) {
            int high = Long.compareUnsigned(lastHigh, otherHigh);
            return high < 0 || (high == 0 && Long.compareUnsigned(lastLow, otherLow) < 0);
        }
    }

    private record Range(int owner, long high, long low, long lastHigh, long lastLow) {}

    private AddressRanges(List<T> owners, long[] ranges4, int[] owner4, List<Range> ipv6) {
        this.owners = List.copyOf(owners);
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
        width6 = size == 0 ? 0 : ipv6.get(size - 1).lastHigh - base6;
        int bits6 = Long.SIZE - Long.numberOfLeadingZeros(width6);
        shift6 = Math.max(0, bits6 - PART_BITS);
        index4 = index(ranges4.length, i -> (int) (ranges4[i] & MASK) >>> PART_BITS);
        index6 = index(size, i -> (int) ((flip(ranges6[WORDS * i + 2]) - base6) >>> shift6));
        markShift4 = Math.max(0, Integer.SIZE - markBits(ranges4.length));
        marks4 = marks(ranges4.length);
        for (int i = 0; marks4.length > 0 && i < ranges4.length; i++) {
            mark(marks4, ranges4[i] >>> Integer.SIZE >>> markShift4, (ranges4[i] & MASK) >>> markShift4);
        }
        markShift6 = Math.max(0, bits6 - markBits(size));
        marks6 = marks(size);
        for (int i = 0; marks6.length > 0 && i < size; i++) {
            Range each = ipv6.get(i);
            mark(marks6, (each.high - base6) >>> markShift6, (each.lastHigh - base6) >>> markShift6);
        }
    }

    private static int markBits(int ranges) {
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(ranges) + MORE_MARK_BITS;
        return Math.min(MOST_MARK_BITS, Math.max(WORD_BITS, bits));
    }

    private static long[] marks(int ranges) {
        return ranges < LEAST_INDEXED ? new long[0] : new long[1 << (markBits(ranges) - WORD_BITS)];
    }

    private static void mark(long[] marks, long first, long last) {
        for (long part = first; part <= last; part++) {
            marks[(int) (part >>> WORD_BITS)] |= 1L << part;
        }
    }

    private static boolean isMarked(long[] marks, long part) {
        return (marks[(int) (part >>> WORD_BITS)] & 1L << part) != 0;
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

    /**
     * Builds the table of blocks; null without blocks.
     *
     * @param owners what each of {@code blocks} belongs to
     * @param rank decides who owns an address that is in several blocks
     */
    static <T> @Nullable AddressRanges<T> of(List<Cidr> blocks, List<T> owners, ToLongFunction<T> rank) {
        if (blocks.isEmpty()) {
            return null;
        }
        List<Block<T>> ipv4 = new ArrayList<>();
        List<Block<T>> ipv6 = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++) {
            Cidr each = blocks.get(i);
            (each.isIpv4() ? ipv4 : ipv6).add(Block.of(owners.get(i), each));
        }
        Map<T, Integer> numbers = new HashMap<>();
        List<T> numbered = new ArrayList<>();
        List<Range> ranges4 = flatten(ipv4, rank, numbers, numbered);
        List<Range> ranges6 = flatten(ipv6, rank, numbers, numbered);
        int size = ranges4.size();
        long[] packed = new long[size];
        int[] numbersOf = new int[size];
        for (int i = 0; i < size; i++) {
            Range each = ranges4.get(i);
            packed[i] = each.low << Integer.SIZE | (each.lastLow & MASK);
            numbersOf[i] = each.owner;
        }
        return new AddressRanges<>(numbered, packed, numbersOf, ranges6);
    }

    /** Builds the table of a list, whose blocks all belong to {@code owner}. */
    static <T> AddressRanges<T> of(AddressList list, T owner) {
        long[] ipv4 = list.joinedIpv4();
        List<Block<T>> ipv6 = new ArrayList<>();
        list.ipv6().forEach(each -> ipv6.add(Block.of(owner, each)));
        List<T> owners = new ArrayList<>(List.of(owner));
        Map<T, Integer> numbers = new HashMap<>();
        numbers.put(owner, 0);
        List<Range> ranges6 = flatten(ipv6, same -> 0, numbers, owners);
        return new AddressRanges<>(owners, ipv4, new int[ipv4.length], ranges6);
    }

    /** Cuts the blocks, each of which contains another or is apart from it, into disjoint ranges. */
    private static <T> List<Range> flatten(
            List<Block<T>> blocks, ToLongFunction<T> rank, Map<T, Integer> numbers, List<T> numbered) {
        List<Block<T>> sorted = new ArrayList<>(blocks);
        sorted.sort(Comparator.<Block<T>>comparingLong(each -> flip(each.high))
                .thenComparingLong(each -> flip(each.low))
                .thenComparing(Comparator.<Block<T>>comparingLong(each -> flip(each.lastHigh))
                        .thenComparingLong(each -> flip(each.lastLow))
                        .reversed()));
        List<Range> ranges = new ArrayList<>();
        Deque<Block<T>> open = new ArrayDeque<>();
        long nextHigh = 0;
        long nextLow = 0;
        for (Block<T> each : sorted) {
            while (!open.isEmpty() && open.peek().endsBefore(each.high, each.low)) {
                Block<T> done = open.pop();
                add(ranges, number(done, numbers, numbered), nextHigh, nextLow, done.lastHigh, done.lastLow);
                nextLow = done.lastLow + 1;
                nextHigh = done.lastHigh + (nextLow == 0 ? 1 : 0);
            }
            Block<T> outer = open.peek();
            boolean gap = nextHigh != each.high || nextLow != each.low;
            if (outer != null && gap) {
                long beforeLow = each.low - 1;
                long beforeHigh = each.high - (each.low == 0 ? 1 : 0);
                add(ranges, number(outer, numbers, numbered), nextHigh, nextLow, beforeHigh, beforeLow);
            }
            nextHigh = each.high;
            nextLow = each.low;
            boolean outlasts = outer == null || rank.applyAsLong(each.owner) > rank.applyAsLong(outer.owner);
            open.push(outlasts ? each : new Block<>(outer.owner, each.high, each.low, each.lastHigh, each.lastLow));
        }
        while (!open.isEmpty()) {
            Block<T> done = open.pop();
            add(ranges, number(done, numbers, numbered), nextHigh, nextLow, done.lastHigh, done.lastLow);
            if (done.lastHigh == -1 && done.lastLow == -1) {
                break; // the last address there is; the blocks around this one end here too
            }
            nextLow = done.lastLow + 1;
            nextHigh = done.lastHigh + (nextLow == 0 ? 1 : 0);
        }
        return ranges;
    }

    private static <T> int number(Block<T> block, Map<T, Integer> numbers, List<T> numbered) {
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
    T find(long high, long low) {
        return high == 0 && (low & ~MASK) == MAPPED ? findIpv4(low & MASK) : findIpv6(high, low);
    }

    /** The entry of an IPv4 address; null if no block has it. */
    @Nullable
    T findIpv4(long address) {
        if (marks4.length > 0 && !isMarked(marks4, address >>> markShift4)) {
            return null;
        }
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
        return from < last && ranges4[from] >>> Integer.SIZE <= address ? owners.get(owner4[from]) : null;
    }

    private @Nullable T findIpv6(long high, long low) {
        int size = owner6.length;
        int from = 0;
        int to = size;
        if (index6.length > 0) {
            long distance = high - base6;
            if (Long.compareUnsigned(distance, width6) > 0 || !isMarked(marks6, distance >>> markShift6)) {
                return null;
            }
            long part = distance >>> shift6;
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
        return found ? owners.get(owner6[from]) : null;
    }

    private boolean isBelow(int index, long high, long low) {
        return ranges6[index] < high || (ranges6[index] == high && ranges6[index + 1] < low);
    }

    private static long flip(long unsigned) {
        return unsigned ^ Long.MIN_VALUE;
    }
}
