package dev.weir.internal.algorithm;

import dev.weir.Limit;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The permits in flight, each with the moment at which it expires.
 *
 * <pre>
 *   used = permits that expire after now
 *   hits fit  iff  used + hits &lt;= requests
 * </pre>
 *
 * <p>A check names the permits that it takes, releases or renews: see {@link #holding} and {@link #renewing}. So each of
 * these can be sent again, to any process, without another effect. Releasing permits of which none is in flight any more
 * is denied, so that the caller hears it. A check that names none releases the permits that expire first, and cannot take
 * any.
 *
 * <p>Nobody knows when the holder of a permit is done. So a denial says to try again after a second, and the reset is the
 * time in which every permit expires that is not renewed.
 *
 * <p><b>State.</b> Word 0 holds the number of permits. Each permit has two words, its expiry in microseconds and its id.
 * They are sorted by expiry, then by id.
 *
 * <p><b>Clocks.</b> A permit expires by the clock of its store. If that clock steps back, a permit that nobody releases
 * lasts longer by as much; if it steps forward, a permit that nobody renews ends early by as much.
 */
public final class PermitSet extends BlockMeter {
    /** Ids are positive and below this, so that adding the number of permits does not overflow. */
    public static final long LAST_ID = 1L << 62;

    private static final long MAX_REQUESTS = 10_000;
    private static final long RETRY_MICROS = 1_000_000;
    private static final int LEAST_PERMITS = 3;

    private final long requests;
    private final long ttl;
    /** The ids are {@code first} to {@code first + count - 1}. */
    private final long first;

    private final long count;
    private final boolean renews;

    PermitSet(Limit limit) {
        this(limit, 0, 0, false);
    }

    private PermitSet(Limit limit, long first, long count, boolean renews) {
        super(limit);
        this.requests = limit.requests();
        this.ttl = limit.windowMicros();
        this.first = first;
        this.count = count;
        this.renews = renews;
    }

    /** The reason why {@code limit} cannot be counted as permits, or null. */
    static @Nullable String refusal(Limit limit) {
        return limit.requests() <= MAX_REQUESTS
                ? null
                : Meters.expected(
                        "requests",
                        limit.requests(),
                        "<= " + MAX_REQUESTS + " for concurrency, which remembers every permit");
    }

    /** The meter of a check that takes, or with negative hits releases, {@code permits} permits from {@code id} on. */
    public PermitSet holding(long id, long permits) {
        return new PermitSet(limit(), id, permits, false);
    }

    /**
     * The meter of a check that renews {@code permits} permits from {@code id} on. It is denied, and renews nothing, if
     * any of them was released or has expired.
     */
    public PermitSet renewing(long id, long permits) {
        return new PermitSet(limit(), id, permits, true);
    }

    /** The first id of the permits that this meter takes, releases or renews; 0 if it names none. */
    public long firstId() {
        return first;
    }

    /** The number of permits that it names. */
    public long permits() {
        return count;
    }

    /** No permit is owed: a call that did not get one does not run. */
    @Override
    long mostOwed() {
        return 0;
    }

    @Override
    public MeterKind counting() {
        return MeterKind.PERMITS;
    }

    @Override
    public long[] numbers() {
        return new long[] {requests, ttl, first >>> 32, first & 0xFFFF_FFFFL, count, renews ? 1 : 0};
    }

    @Override
    public long tickMicros() {
        return 1;
    }

    @Override
    public void ask(long[] memory, int at, int words, long now, long hits, Outcome out) {
        long moment = ExactMath.moment(now);
        int held = held(memory, at, words);
        int expired = expired(memory, at, held, moment);
        long used = (long) held - expired;
        out.delay = 0;
        long after;
        if (hits > 0 && renews) {
            out.allowed = live(memory, at, expired, held) == count;
            out.retryAfter = out.allowed ? 0 : Outcome.NEVER;
            after = used;
        } else if (hits > 0) {
            out.allowed = hits <= requests - used;
            out.retryAfter = out.allowed ? 0 : hits > requests ? Outcome.NEVER : Math.min(RETRY_MICROS, ttl);
            after = out.allowed ? used + hits : used;
        } else if (hits < 0 && count > 0) {
            int released = live(memory, at, expired, held);
            out.allowed = released > 0;
            out.retryAfter = out.allowed ? 0 : Outcome.NEVER;
            after = used - released;
        } else {
            out.allowed = hits < 0 || used <= requests;
            out.retryAfter = out.allowed ? 0 : Math.min(RETRY_MICROS, ttl);
            after = ExactMath.saturate(used, hits);
        }
        writeUsage(after, out);
        out.reset = after == 0 ? 0 : ttl;
    }

    @Override
    public int wordsToTake(long[] memory, int at, int words, long now, long hits) {
        if (hits <= 0 || renews) {
            return words;
        }
        int held = held(memory, at, words);
        // A check asks for the hits of those before it on the same counter too.
        long needed = held - expired(memory, at, held, ExactMath.moment(now)) + Math.max(hits, count);
        if (1 + 2 * needed <= words) {
            return words;
        }
        return 1 + 2 * (int) Math.max(needed, Math.max(LEAST_PERMITS, Math.min(requests, words)));
    }

    @Override
    public void take(long[] memory, int at, int words, long now, long hits) {
        if (hits == 0 || words == 0) {
            return;
        }
        long moment = ExactMath.moment(now);
        int held = held(memory, at, words);
        held = removeFirst(memory, at, held, expired(memory, at, held, moment));
        if (hits < 0 && count == 0) {
            held = removeFirst(memory, at, held, held - (int) ExactMath.saturate(held, hits));
        } else {
            held = removeNamed(memory, at, held);
        }
        for (long i = 0; hits > 0 && i < count; i++) {
            held = add(memory, at, held, moment + ttl, first + i);
        }
        memory[at] = held;
    }

    @Override
    public long lasts(long[] memory, int at, int words, long now, long reset) {
        int held = held(memory, at, words);
        return held == 0 ? reset : Math.max(reset, memory[at + 1 + 2 * (held - 1)] - ExactMath.moment(now));
    }

    /** The number of named permits among those from {@code from} to before {@code to}. */
    private int live(long[] memory, int at, int from, int to) {
        int found = 0;
        for (int i = from; i < to; i++) {
            found += isNamed(memory[at + 2 + 2 * i]) ? 1 : 0;
        }
        return found;
    }

    private boolean isNamed(long id) {
        return id >= first && id - first < count;
    }

    private int removeNamed(long[] memory, int at, int held) {
        int kept = 0;
        for (int i = 0; i < held; i++) {
            if (!isNamed(memory[at + 2 + 2 * i])) {
                System.arraycopy(memory, at + 1 + 2 * i, memory, at + 1 + 2 * kept++, 2);
            }
        }
        Arrays.fill(memory, at + 1 + 2 * kept, at + 1 + 2 * held, 0);
        return kept;
    }

    /** Removes the first {@code some} permits; returns how many are left. */
    private static int removeFirst(long[] memory, int at, int held, int some) {
        int left = held - some;
        System.arraycopy(memory, at + 1 + 2 * some, memory, at + 1, 2 * left);
        Arrays.fill(memory, at + 1 + 2 * left, at + 1 + 2 * held, 0);
        return left;
    }

    /** Adds a permit in its place, which is mostly the last; returns how many there are. */
    private static int add(long[] memory, int at, int held, long expiry, long id) {
        int index = held;
        while (index > 0 && isAfter(memory, at, index - 1, expiry, id)) {
            index--;
        }
        int place = at + 1 + 2 * index;
        System.arraycopy(memory, place, memory, place + 2, 2 * (held - index));
        memory[place] = expiry;
        memory[place + 1] = id;
        return held + 1;
    }

    private static boolean isAfter(long[] memory, int at, int index, long expiry, long id) {
        long its = memory[at + 1 + 2 * index];
        return its > expiry || (its == expiry && memory[at + 2 + 2 * index] > id);
    }

    private static int held(long[] memory, int at, int words) {
        return words == 0 ? 0 : (int) memory[at];
    }

    /** The number of permits that have expired. */
    private static int expired(long[] memory, int at, int held, long moment) {
        int low = 0;
        int high = held;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (memory[at + 1 + 2 * middle] <= moment) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
