package dev.weir.redis.internal.node;

import dev.weir.StoreFailure;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** The counts of a store since it was opened. They only go up. */
public final class RedisStats {
    private static final String OTHER = "other";
    /** The error codes that are counted separately. */
    private static final List<String> CODES = List.of(
            "BUSY",
            "CLUSTERDOWN",
            "LOADING",
            "MASTERDOWN",
            "MISCONF",
            "NOAUTH",
            "NOPERM",
            "NOREPLICAS",
            "OOM",
            "READONLY",
            OTHER);

    public final LongAdder asks = new LongAdder();
    final LongAdder batches = new LongAdder();
    final LongAdder answered = new LongAdder();
    final LongAdder expired = new LongAdder();
    final LongAdder late = new LongAdder();
    final LongAdder noScript = new LongAdder();
    final LongAdder redirects = new LongAdder();
    public final LongAdder giveBacks = new LongAdder();
    final LongAdder mismatches = new LongAdder();
    final LongAdder connects = new LongAdder();
    private final Map<StoreFailure, LongAdder> failures = new EnumMap<>(StoreFailure.class);
    private final Map<String, LongAdder> errors = new TreeMap<>();

    public RedisStats() {
        for (StoreFailure each : StoreFailure.values()) {
            failures.put(each, new LongAdder());
        }
        for (String each : CODES) {
            errors.put(each, new LongAdder());
        }
    }

    public void failed(StoreFailure failure, int asks) {
        of(failure).add(asks);
    }

    void error(String code) {
        errors.getOrDefault(code, Objects.requireNonNull(errors.get(OTHER))).increment();
    }

    /** Returns the number of accepted asks. */
    public long asks() {
        return asks.sum();
    }

    /** Returns the number of script calls sent. Asks divided by batches is the average batch size. */
    public long batches() {
        return batches.sum();
    }

    /** Returns the number of asks that a batch decided. */
    public long answered() {
        return answered.sum();
    }

    /** Returns the number of batches that reached Redis after their expiry and charged nothing. */
    public long expired() {
        return expired.sum();
    }

    /** Returns the number of replies that arrived after the deadline. */
    public long late() {
        return late.sum();
    }

    /** Returns the number of batches that were sent again with the script's text, because Redis did not know it. */
    public long noScript() {
        return noScript.sum();
    }

    /** Returns the number of batches that went to the wrong node of a cluster and were redirected. */
    public long redirects() {
        return redirects.sum();
    }

    /** Returns the number of parts of a request that were charged, and given back because another part was denied. */
    public long giveBacks() {
        return giveBacks.sum();
    }

    /**
     * Returns the number of batches in which the script and the Java meters disagreed: a bug, or a server that is not
     * Redis.
     */
    public long mismatches() {
        return mismatches.sum();
    }

    /** Returns the number of connections opened. */
    public long connects() {
        return connects.sum();
    }

    /** Returns the number of asks, or parts of them, with this failure. */
    public long failures(StoreFailure failure) {
        return of(failure).sum();
    }

    /** Returns the number of batches that Redis answered with an error, by its code; rare codes are {@code other}. */
    public Map<String, Long> errors() {
        Map<String, Long> counts = new TreeMap<>();
        errors.forEach((code, count) -> counts.put(code, count.sum()));
        return counts;
    }

    private LongAdder of(StoreFailure failure) {
        return Objects.requireNonNull(failures.get(failure));
    }
}
