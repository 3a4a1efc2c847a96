package dev.weir.internal.algorithm;

import dev.weir.Limit;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A sliding window in n sub-windows, each with its own count, aligned to the epoch.
 *
 * <pre>
 *   length = window / n        i = now / length
 *   used = count[i - n] + ... + count[i]
 *   hits fit  iff  used + hits <= requests
 * </pre>
 *
 * <p>The n + 1 sub-windows that are counted cover the window that ends now completely. So at most {@code requests} hits
 * pass in <em>any</em> window; the price is that a hit counts for up to one sub-window longer than the window.
 *
 * <p><b>State.</b> Moment of the last change, length of a sub-window (microseconds), then the counts from the newest
 * sub-window to the oldest. If the sub-windows are changed live, each count moves to the new sub-window that contains
 * its last moment.
 *
 * <p><b>Clocks.</b> A state up to one window ahead is kept; one further ahead is moved to now.
 */
final class SubWindows extends BlockMeter {
    private static final int MAX_SUB_WINDOWS = 1_000;
    private static final int COUNTS = 2;

    private final long requests;
    private final long window;
    private final int subWindows;
    private final long subWindowMicros;

    SubWindows(Limit limit) {
        super(limit);
        this.requests = limit.requests();
        this.window = limit.windowMicros();
        this.subWindows = limit.subWindows();
        this.subWindowMicros = window / subWindows;
    }

    /** The reason why {@code limit} cannot be counted in its sub-windows, or null. */
    static @Nullable String refusal(Limit limit) {
        if (limit.requests() > ExactMath.MAX_COUNT) {
            return Meters.expected("requests", limit.requests(), "<= " + ExactMath.MAX_COUNT);
        }
        if (limit.subWindows() > MAX_SUB_WINDOWS) {
            return Meters.expected("sub_windows", limit.subWindows(), "<= " + MAX_SUB_WINDOWS);
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
        return new long[] {requests, window, subWindows};
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
        writeUsage(after, out);
        out.reset = reset(memory, at, live, moment, out.allowed ? hits : 0);
    }

    @Override
    long mostOwed() {
        return ExactMath.MAX_COUNT;
    }

    @Override
    public int wordsToTake(long[] memory, int at, int words, long now, long hits) {
        return words == 0 && hits <= 0 ? 0 : Math.max(words, COUNTS + subWindows + 1);
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

    /**
     * Subtracts from the newest sub-window to the oldest, with the lengths as stored: after a live change the block may
     * be short.
     */
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

    /** Makes the sub-window that contains {@code moment} the newest, in sub-windows of this limit's length. */
    private void advance(long[] memory, int at, int words, long moment) {
        long latest = Math.max(moment, memory[at]);
        int first = at + COUNTS;
        if (memory[at + 1] != 0 && memory[at + 1] != subWindowMicros) {
            redistribute(memory, at, words, moment);
        } else {
            int passed = (int) Math.min(subWindows + 1, latest / subWindowMicros - memory[at] / subWindowMicros);
            System.arraycopy(memory, first, memory, first + passed, subWindows + 1 - passed);
            Arrays.fill(memory, first, first + passed, 0);
            Arrays.fill(memory, first + subWindows + 1, at + words, 0);
        }
        memory[at] = latest;
        memory[at + 1] = subWindowMicros;
    }

    private void redistribute(long[] memory, int at, int words, long moment) {
        long[] counts = new long[subWindows + 1];
        long newest = Math.max(moment, memory[at]) / subWindowMicros;
        int old = counts(memory, at, words);
        for (int i = 0; i < old && expiry(memory, at, i) > moment; i++) {
            // If the newest lies ahead of a clock that stepped back, sub-windows older than the oldest may still count.
            // They are added to the oldest.
            int age = (int) Math.min(subWindows, newest + subWindows + 1 - expiry(memory, at, i) / subWindowMicros);
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

    /** The moment at which the count at {@code index} expires; the higher the index, the earlier. */
    private long expiry(long[] memory, int at, int index) {
        long length = memory[at + 1];
        long start = memory[at] - memory[at] % length;
        if (length == subWindowMicros) {
            return start + (subWindows + 1 - index) * subWindowMicros;
        }
        long last = index == 0 ? memory[at] : start - (index - 1) * length - 1;
        return (Math.floorDiv(last, subWindowMicros) + subWindows + 1) * subWindowMicros;
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
            return latest - latest % subWindowMicros + window + subWindowMicros - moment;
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
