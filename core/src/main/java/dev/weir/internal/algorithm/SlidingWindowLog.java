package dev.weir.internal.algorithm;

import dev.weir.Limit;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The moment of every hit, kept for one window.
 *
 * <pre>
 *   used = hits in (now - window, now]
 *   hits fit  iff  used + hits <= requests
 * </pre>
 *
 * <p>It is exact: at most {@code requests} hits pass in any window, and no request is denied that would fit.
 *
 * <p><b>State.</b> A ring. Word 0 holds its length, the index of its oldest hit, and the number of hits. Each other
 * word holds the microseconds of one hit, in order. The ring doubles as it fills, up to {@code requests}.
 *
 * <p><b>Clocks.</b> Hits up to one window in the future are kept, and later hits are stamped with the newest moment. If
 * any hit is further ahead, all hits that lie ahead are moved to now.
 */
final class SlidingWindowLog extends BlockMeter {
    private static final long MAX_REQUESTS = 10_000;
    private static final int BITS = 20;
    private static final long MASK = (1L << BITS) - 1;
    private static final int LEAST_ROOM = 7;

    private final long requests;
    private final long window;

    SlidingWindowLog(Limit limit) {
        super(limit);
        this.requests = limit.requests();
        this.window = limit.windowMicros();
    }

    /** The reason why {@code limit} cannot be a log, or null. */
    static @Nullable String refusal(Limit limit) {
        return limit.requests() <= MAX_REQUESTS
                ? null
                : Meters.expected(
                        "requests",
                        limit.requests(),
                        "<= " + MAX_REQUESTS
                                + " for sliding_window_log, which remembers every hit; sliding_window takes more");
    }

    @Override
    public MeterKind counting() {
        return MeterKind.LOG;
    }

    @Override
    public long[] numbers() {
        return new long[] {requests, window};
    }

    @Override
    public long tickMicros() {
        return 1;
    }

    @Override
    public void ask(long[] memory, int at, int words, long now, long hits, Outcome out) {
        long moment = ExactMath.moment(now);
        int count = count(memory, at, words);
        repair(memory, at, count, moment);
        int expired = expired(memory, at, count, moment);
        long used = (long) count - expired;
        out.allowed = hits < 0 || hits <= requests - used;
        out.delay = 0;
        if (out.allowed) {
            out.retryAfter = 0;
        } else if (hits > requests) {
            out.retryAfter = Outcome.NEVER;
        } else {
            long need = used + hits - requests;
            out.retryAfter = hit(memory, at, expired + (int) need - 1) + window - moment;
        }
        long after = out.allowed ? ExactMath.saturate(used, hits) : used;
        writeUsage(after, out);
        if (after == 0) {
            out.reset = 0;
        } else if (after > used) {
            out.reset = stamp(memory, at, count, moment) + window - moment;
        } else {
            out.reset = hit(memory, at, expired + (int) after - 1) + window - moment;
        }
    }

    /** As many as the log holds: the oldest hits make room, which changes no later answer. */
    @Override
    long mostOwed() {
        return requests;
    }

    @Override
    public int wordsToTake(long[] memory, int at, int words, long now, long hits) {
        if (hits <= 0) {
            return words;
        }
        int count = count(memory, at, words);
        long live = (long) count - expired(memory, at, count, ExactMath.moment(now));
        long needed = Math.max(live, Math.min(requests, live + hits));
        if (needed < words) {
            return words;
        }
        long doubled = Math.max(LEAST_ROOM, Math.min(requests, 2L * words));
        return 1 + (int) Math.max(needed, doubled);
    }

    @Override
    public void take(long[] memory, int at, int words, long now, long hits) {
        if (hits == 0 || words == 0) {
            return;
        }
        long moment = ExactMath.moment(now);
        int count = count(memory, at, words);
        repair(memory, at, count, moment);
        int expired = expired(memory, at, count, moment);
        long stamp = stamp(memory, at, count, moment);
        int first = count == 0 ? 0 : (first(memory, at) + expired) % room(memory, at);
        int live = count - expired;
        if (hits < 0) {
            write(memory, at, room(memory, at), first, (int) Math.max(0, live + hits));
            return;
        }
        int dropped = (int) Math.min(live, Math.max(0, live + hits - requests));
        first = live == 0 ? 0 : (first + dropped) % room(memory, at);
        live -= dropped;
        int room = words - 1;
        if (live == 0) {
            first = 0;
        } else if (room != room(memory, at)) {
            first = unroll(memory, at, first, live);
        }
        for (int i = live; i < live + hits; i++) {
            memory[at + 1 + (first + i) % room] = stamp;
        }
        write(memory, at, room, first, live + (int) hits);
    }

    /** Straightens a ring that wraps, so that it can become longer; returns its new start. */
    private static int unroll(long[] memory, int at, int first, int live) {
        int room = room(memory, at);
        if (first + live <= room) {
            return first;
        }
        long[] ring = Arrays.copyOfRange(memory, at + 1, at + 1 + room);
        System.arraycopy(ring, first, memory, at + 1, room - first);
        System.arraycopy(ring, 0, memory, at + 1 + room - first, first);
        return 0;
    }

    private static void write(long[] memory, int at, int room, int first, int count) {
        memory[at] = count == 0 ? 0 : (long) room << (2 * BITS) | (long) first << BITS | count;
    }

    private static int count(long[] memory, int at, int words) {
        return words == 0 || memory[at] == 0 ? 0 : (int) (memory[at] & MASK);
    }

    private static int first(long[] memory, int at) {
        return (int) (memory[at] >>> BITS & MASK);
    }

    private static int room(long[] memory, int at) {
        return (int) (memory[at] >>> (2 * BITS));
    }

    /** The moment of the hit at {@code index}, counted from the oldest. */
    private static long hit(long[] memory, int at, int index) {
        return memory[at + 1 + (first(memory, at) + index) % room(memory, at)];
    }

    /** The number of hits that have left the window. */
    private int expired(long[] memory, int at, int count, long moment) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (hit(memory, at, middle) <= moment - window) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The moment that new hits are stored with: never before the newest, so that the ring stays in order. */
    private static long stamp(long[] memory, int at, int count, long moment) {
        return count == 0 ? moment : Math.max(moment, hit(memory, at, count - 1));
    }

    private void repair(long[] memory, int at, int count, long moment) {
        if (count == 0 || hit(memory, at, count - 1) <= moment + window) {
            return;
        }
        for (int i = count - 1; i >= 0 && hit(memory, at, i) > moment; i--) {
            memory[at + 1 + (first(memory, at) + i) % room(memory, at)] = moment;
        }
    }
}
