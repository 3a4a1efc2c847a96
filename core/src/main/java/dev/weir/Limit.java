package dev.weir;

import java.math.BigInteger;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An algorithm and its numbers.
 *
 * @param requests hits per window, or in flight at once for {@code concurrency}; 0 is legal and denies every hit
 * @param windowMicros length of the window in microseconds; of a window of the calendar, of the longest one; for
 *     {@code concurrency}, how long a permit lasts that is neither released nor renewed
 * @param burst capacity of a bucket, or of a leaky bucket's queue; {@code requests} by default
 * @param subWindows number of sub-windows that a {@code sliding_window} counts separately; 1 is the plain counter
 * @param calendar the window of the calendar that a {@code fixed_window} counts in; null for windows of equal length
 * @param credit hits that a {@code token_bucket} or {@code gcra} lets pass beyond its burst, as a debt that the refill
 *     repays; 0 for none
 */
public record Limit(
        Algorithm algorithm,
        long requests,
        long windowMicros,
        long burst,
        int subWindows,
        @Nullable CalendarWindow calendar,
        long credit) {

    /** More than a century, in microseconds; sums of it still do not overflow a timestamp. */
    private static final long FOREVER = 1L << 52;

    public Limit {
        require(requests >= 0, "requests", requests, ">= 0");
        require(windowMicros > 0, "window", windowMicros, "> 0 microseconds");
        require(burst >= 0, "burst", burst, ">= 0");
        require(subWindows >= 1, "sub_windows", subWindows, ">= 1");
        require(credit >= 0 && credit <= Long.MAX_VALUE - burst, "burst_credit", credit, ">= 0, and countable");
        require(
                credit == 0 || algorithm.lendsCredit(),
                "burst_credit",
                credit,
                "none, for " + algorithm + " lends none");
        if (calendar != null) {
            require(
                    algorithm == Algorithm.FIXED_WINDOW && windowMicros == calendar.longestMicros(),
                    "window",
                    windowMicros,
                    calendar.text() + " of a fixed_window");
        }
    }

    /** A limit whose windows have equal length. */
    public Limit(Algorithm algorithm, long requests, long windowMicros, long burst, int subWindows) {
        this(algorithm, requests, windowMicros, burst, subWindows, null, 0);
    }

    /** Lets {@code requests} pass in each {@code window} of the calendar. */
    public static Limit calendarWindow(long requests, CalendarWindow window) {
        return new Limit(Algorithm.FIXED_WINDOW, requests, window.longestMicros(), requests, 1, window, 0);
    }

    /** The start of the aligned window that contains {@code micros} since the Unix epoch. */
    public long windowStart(long micros) {
        return calendar == null ? micros - Math.floorMod(micros, windowMicros) : calendar.start(micros);
    }

    /** The end of the aligned window that contains {@code micros} since the Unix epoch. */
    public long windowEnd(long micros) {
        return calendar == null ? windowStart(micros) + windowMicros : calendar.end(micros);
    }

    /** A limit that counts by {@code algorithm}, with a burst of {@code requests}. */
    public static Limit of(Algorithm algorithm, long requests, Duration window) {
        return new Limit(algorithm, requests, TimeUnit.MICROSECONDS.convert(window), requests, 1);
    }

    /** Lets {@code requests} pass at once, and refills that many over each {@code window}. */
    public static Limit tokenBucket(long requests, Duration window) {
        return of(Algorithm.TOKEN_BUCKET, requests, window);
    }

    /** Admits the same hits as {@link #tokenBucket}; its state is the theoretical arrival time of the next hit. */
    public static Limit gcra(long requests, Duration window) {
        return of(Algorithm.GCRA, requests, window);
    }

    /**
     * Queues at most {@code requests}, and releases them evenly over each {@code window}: admitted hits may have to
     * wait.
     */
    public static Limit leakyBucket(long requests, Duration window) {
        return of(Algorithm.LEAKY_BUCKET, requests, window);
    }

    /** Lets {@code requests} pass in each window aligned to the Unix epoch. */
    public static Limit fixedWindow(long requests, Duration window) {
        return of(Algorithm.FIXED_WINDOW, requests, window);
    }

    /** Lets about {@code requests} pass in any window; it estimates from two counters. */
    public static Limit slidingWindow(long requests, Duration window) {
        return of(Algorithm.SLIDING_WINDOW, requests, window);
    }

    /**
     * Lets exactly {@code requests} pass in any window; it stores the time of each hit. For limits of 10,000 or less.
     */
    public static Limit slidingWindowLog(long requests, Duration window) {
        return of(Algorithm.SLIDING_WINDOW_LOG, requests, window);
    }

    /**
     * Lets {@code requests} be in flight at once. Each takes a permit, which ends when it is {@linkplain Permit#close
     * released}, or {@code permitTtl} after it was taken. For limits of 10,000 or less.
     */
    public static Limit concurrency(long requests, Duration permitTtl) {
        return of(Algorithm.CONCURRENCY, requests, permitTtl);
    }

    /**
     * Returns this limit with a burst of {@code hits}.
     *
     * @throws IllegalArgumentException if the algorithm is not a bucket, because it would ignore the burst
     */
    public Limit withBurst(long hits) {
        require(algorithm.isBucket(), "burst", hits, "none, for " + algorithm + " has no bucket");
        return new Limit(algorithm, requests, windowMicros, hits, subWindows, calendar, credit);
    }

    /**
     * Returns this limit with a credit of {@code hits}: they pass beyond the burst, and the refill repays them before
     * anything remains again.
     *
     * @throws IllegalArgumentException if the algorithm is neither {@code token_bucket} nor {@code gcra}
     */
    public Limit withCredit(long hits) {
        return new Limit(algorithm, requests, windowMicros, burst, subWindows, calendar, hits);
    }

    /**
     * Returns this limit with its window counted in {@code parts} sub-windows.
     *
     * @throws IllegalArgumentException if the algorithm is not {@code sliding_window}, the only one with sub-windows
     */
    public Limit withSubWindows(int parts) {
        require(
                algorithm == Algorithm.SLIDING_WINDOW,
                "sub_windows",
                parts,
                "none, for " + algorithm + " counts in none");
        return new Limit(algorithm, requests, windowMicros, burst, parts);
    }

    /** The hits that remain of an idle counter, credit not included. */
    public long size() {
        return algorithm.isBucket() ? burst : requests;
    }

    /** The most hits that an idle counter lets pass at once, on credit included. */
    public long capacity() {
        return size() + credit;
    }

    /** Microseconds, rounded up, in which {@code hits} refill: a century or two at most, and 0 if nothing refills. */
    public long inflowMicros(long hits) {
        if (!algorithm.isBucket() || requests == 0) {
            return 0;
        }
        if (hits > Long.MAX_VALUE / 2 / windowMicros) {
            BigInteger product = BigInteger.valueOf(hits).multiply(BigInteger.valueOf(windowMicros));
            BigInteger micros = product.add(BigInteger.valueOf(requests - 1)).divide(BigInteger.valueOf(requests));
            return micros.min(BigInteger.valueOf(FOREVER)).longValue();
        }
        return Math.min(FOREVER, (hits * windowMicros + requests - 1) / requests);
    }

    private static void require(boolean holds, String what, long value, String expected) {
        if (!holds) {
            throw new IllegalArgumentException(what + ": " + value + " (expected: " + expected + ")");
        }
    }
}
