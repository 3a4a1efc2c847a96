package dev.weir.redis.internal.node;

import dev.weir.StoreFailure;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** What a store has done since it was opened. Counts only go up. */
public final class RedisStats {
    private static final String OTHER = "other";
    /** The first words of errors that are told apart. */
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

    /** Asks that were taken up. */
    public long asks() {
        return asks.sum();
    }

    /** Script calls that were sent. Asks over batches is how well it coalesces. */
    public long batches() {
        return batches.sum();
    }

    /** Asks that a batch decided. */
    public long answered() {
        return answered.sum();
    }

    /** Batches that came to Redis too late and charged nothing. */
    public long expired() {
        return expired.sum();
    }

    /** Replies that came when nobody waited for them any more. */
    public long late() {
        return late.sum();
    }

    /** Batches that were sent again with the script's text, because Redis did not know it. */
    public long noScript() {
        return noScript.sum();
    }

    /** Batches that went to the wrong node of a cluster, and were sent on. */
    public long redirects() {
        return redirects.sum();
    }

    /** Parts of a request that were taken, and given back because another part was denied. */
    public long giveBacks() {
        return giveBacks.sum();
    }

    /** Batches in which script and meters did not agree: a bug, or a Redis that is none. */
    public long mismatches() {
        return mismatches.sum();
    }

    /** Connections that were made. */
    public long connects() {
        return connects.sum();
    }

    /** Asks, or parts of them, that failed in this way. */
    public long failures(StoreFailure failure) {
        return of(failure).sum();
    }

    /** Batches that Redis answered with an error, by its first word; those that it is not known for are {@code other}. */
    public Map<String, Long> errors() {
        Map<String, Long> counts = new TreeMap<>();
        errors.forEach((code, count) -> counts.put(code, count.sum()));
        return counts;
    }

    private LongAdder of(StoreFailure failure) {
        return Objects.requireNonNull(failures.get(failure));
    }
}
