package dev.weir.internal.algorithm;

import dev.weir.Limit;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A sliding window in n parts, each with a count of its own, aligned to the epoch.
 *
 * <pre>
 *   part = window / n        i = now / part
 *   used = count[i - n] + ... + count[i]
 *   hits fit  iff  used + hits <= requests
 * </pre>
 *
 * The n + 1 parts counted cover the window that ends now wholly, so never do more than {@code requests} pass in <em>any</em>
 * window; the price is that a hit counts for up to one part longer than the window.
 *
 * <p><b>State.</b> Moment of the last change, length of a part (microseconds), then the counts from the newest part to the oldest.
 * Where the parts were changed live, each count stands in the new part that its last moment falls into.
 *
 * <p><b>Clocks.</b> A state up to one window ahead stands; one further ahead is moved to now.
 */
final class SubWindows extends BlockMeter {
    private static final int MAX_PARTS = 1_000;
    private static final int COUNTS = 2;

    private final long requests;
    private final long window;
    private final int parts;
    private final long part;

    SubWindows(Limit limit) {
        super(limit);
        this.requests = limit.requests();
        this.window = limit.windowMicros();
        this.parts = limit.subWindows();
        this.part = window / parts;
    }

    /** Why {@code limit} cannot be counted in its sub-windows, or null. */
    static @Nullable String refusal(Limit limit) {
        if (limit.requests() > ExactMath.MAX_COUNT) {
            return Meters.expected("requests", limit.requests(), "<= " + ExactMath.MAX_COUNT);
        }
        if (limit.subWindows() > MAX_PARTS) {
            return Meters.expected("sub_windows", limit.subWindows(), "<= " + MAX_PARTS);
        }
        return limit.windowMicros() % limit.subWindows() == 0
                ? null
                : Meters.expected(
                        "sub_windows",
                        limit.subWindows(),
                        "a number that divides the window of " + limit.windowMicros() + " microseconds");
    }

    @Override
    public MeterKind counting() {
        return MeterKind.SUB_WINDOWS;
    }

    @Override
    public long[] numbers() {
        return new long[] {requests, window, parts};
    }

    @Override
    public long tickMicros() {
        return 1;
    }

    @Override
    public void ask(long[] memory, int at, int words, long now, long hits, Outcome out) {
        long moment = ExactMath.moment(now);
        repair(memory, at, words, moment);
        long used = 0;
        int live = 0;
        int counts = counts(memory, at, words);
        while (live < counts && expiry(memory, at, live) > moment) {
            used = ExactMath.saturate(used, memory[at + COUNTS + live++]);
        }
        out.allowed = hits < 0 || hits <= requests - used;
        out.delay = 0;
        out.retryAfter = out.allowed
                ? 0
                : hits > requests ? Outcome.NEVER : freed(memory, at, live, used + hits - requests) - moment;
        long after = out.allowed ? ExactMath.saturate(used, hits) : used;
        tell(after, out);
        out.reset = reset(memory, at, live, moment, out.allowed ? hits : 0);
    }

    @Override
    public int wordsToTake(long[] memory, int at, int words, long now, long hits) {
        return words == 0 && hits <= 0 ? 0 : Math.max(words, COUNTS + parts + 1);
    }

    @Override
    public void take(long[] memory, int at, int words, long now, long hits) {
        if (hits == 0 || words == 0) {
            return;
        }
        long moment = ExactMath.moment(now);
        repair(memory, at, words, moment);
        if (hits < 0) {
            giveBack(memory, at, words, moment, hits);
        } else {
            advance(memory, at, words, moment);
            memory[at + COUNTS] = ExactMath.saturate(memory[at + COUNTS], hits);
        }
    }

    /** From the newest part to the oldest, and in the parts as they stand: a block of a limit changed live may be short. */
    private void giveBack(long[] memory, int at, int words, long moment, long hits) {
        long back = hits;
        boolean unused = true;
        int counts = counts(memory, at, words);
        for (int i = 0; i < counts && expiry(memory, at, i) > moment; i++) {
            long count = memory[at + COUNTS + i];
            memory[at + COUNTS + i] = Math.max(0, count + back);
            back = Math.min(0, back + count);
            unused &= memory[at + COUNTS + i] == 0;
        }
        if (unused) {
            Arrays.fill(memory, at, at + words, 0);
        }
    }

    /** Makes the part that {@code moment} lies in the newest, in parts of this limit's length. */
    private void advance(long[] memory, int at, int words, long moment) {
        long latest = Math.max(moment, memory[at]);
        int first = at + COUNTS;
        if (memory[at + 1] != 0 && memory[at + 1] != part) {
            redistribute(memory, at, words, moment);
        } else {
            int passed = (int) Math.min(parts + 1, latest / part - memory[at] / part);
            System.arraycopy(memory, first, memory, first + passed, parts + 1 - passed);
            Arrays.fill(memory, first, first + passed, 0);
            Arrays.fill(memory, first + parts + 1, at + words, 0);
        }
        memory[at] = latest;
        memory[at + 1] = part;
    }

    private void redistribute(long[] memory, int at, int words, long moment) {
        long[] counts = new long[parts + 1];
        long newest = Math.max(moment, memory[at]) / part;
        int old = counts(memory, at, words);
        for (int i = 0; i < old && expiry(memory, at, i) > moment; i++) {
            // Where the newest lies ahead of a clock that stepped back, older parts may count still: in the oldest
            // there is.
            int age = (int) Math.min(parts, newest + parts + 1 - expiry(memory, at, i) / part);
            counts[age] = ExactMath.saturate(counts[age], memory[at + COUNTS + i]);
        }
        Arrays.fill(memory, at + COUNTS, at + words, 0);
        System.arraycopy(counts, 0, memory, at + COUNTS, counts.length);
    }

    private void repair(long[] memory, int at, int words, long moment) {
        if (words > COUNTS && memory[at] > moment + window) {
            memory[at] = moment;
        }
    }

    private static int counts(long[] memory, int at, int words) {
        return words <= COUNTS || memory[at + 1] == 0 ? 0 : words - COUNTS;
    }

    /** The moment from which the count at {@code index} does not count any more; earlier, the higher the index. */
    private long expiry(long[] memory, int at, int index) {
        long length = memory[at + 1];
        long start = memory[at] - memory[at] % length;
        if (length == part) {
            return start + (parts + 1 - index) * part;
        }
        long last = index == 0 ? memory[at] : start - (index - 1) * length - 1;
        return (Math.floorDiv(last, part) + parts + 1) * part;
    }

    /** The moment at which {@code need} of the first {@code live} counts will have expired. */
    private long freed(long[] memory, int at, int live, long need) {
        long freed = 0;
        int oldest = live;
        while (freed < need && oldest > 0) {
            freed = ExactMath.saturate(freed, memory[at + COUNTS + --oldest]);
        }
        return expiry(memory, at, oldest);
    }

    /** Microseconds from {@code moment} until nothing counts, once {@code hits} were taken. */
    private long reset(long[] memory, int at, int live, long moment, long hits) {
        if (hits > 0) {
            long newest = live == 0 ? 0 : memory[at];
            long latest = Math.max(newest, moment);
            return latest - latest % part + window + part - moment;
        }
        long back = hits;
        for (int i = 0; i < live; i++) {
            back += memory[at + COUNTS + i];
            if (back > 0) {
                return expiry(memory, at, i) - moment;
            }
        }
        return 0;
    }
}
