package dev.weir.redis.internal.store;

import dev.weir.StoreFailure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The answers to callers that asked in one period. */
public final class AnswerTally {
    /** The answers to callers of one key. */
    private static final class OfKey {
        final LongAdder admitted = new LongAdder();
        final LongAdder denied = new LongAdder();
        final Map<StoreFailure, LongAdder> failed = new ConcurrentHashMap<>();

        long failed() {
            return failed.values().stream().mapToLong(LongAdder::sum).sum();
        }
    }

    private final Map<String, OfKey> keys = new ConcurrentHashMap<>();
    private final LongAdder asked = new LongAdder();
    private final LongAdder answered = new LongAdder();
    private final LongAdder answeredTwice = new LongAdder();
    private final ConcurrentLinkedQueue<Long> failedAfterNanos = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Long> latenessNanos = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Long> timeoutLatenessNanos = new ConcurrentLinkedQueue<>();

    void asked() {
        asked.increment();
    }

    void answered(String key, boolean allowed, @Nullable StoreFailure failure, long waitedNanos, long latenessNanos) {
        OfKey counts = keys.computeIfAbsent(key, any -> new OfKey());
        if (failure != null) {
            counts.failed.computeIfAbsent(failure, any -> new LongAdder()).increment();
            failedAfterNanos.add(waitedNanos);
            if (failure == StoreFailure.TIMEOUT) {
                timeoutLatenessNanos.add(latenessNanos);
            }
        } else {
            (allowed ? counts.admitted : counts.denied).increment();
        }
        this.latenessNanos.add(latenessNanos);
        answered.increment();
    }

    void answeredTwice() {
        answeredTwice.increment();
    }

    long askedCount() {
        return asked.sum();
    }

    public long answeredCount() {
        return answered.sum();
    }

    long answeredTwiceCount() {
        return answeredTwice.sum();
    }

    public long admitted() {
        return sum(counts -> counts.admitted.sum());
    }

    public long admitted(String key) {
        OfKey counts = keys.get(key);
        return counts == null ? 0 : counts.admitted.sum();
    }

    long denied() {
        return sum(counts -> counts.denied.sum());
    }

    public long failed() {
        return sum(OfKey::failed);
    }

    public long failed(StoreFailure failure) {
        return sum(
                counts -> counts.failed.getOrDefault(failure, new LongAdder()).sum());
    }

    public long failed(String key) {
        OfKey counts = keys.get(key);
        return counts == null ? 0 : counts.failed();
    }

    private long sum(ToLongFunction<OfKey> of) {
        return keys.values().stream().mapToLong(of).sum();
    }

    /** Returns how long after its deadline the latest answer came. */
    Duration latest() {
        return Duration.ofNanos(latenessNanos.stream().mapToLong(n -> n).max().orElse(0));
    }

    /** Returns how many answers came more than this after their deadline; a negative value means before it. */
    public long laterThan(Duration lateness) {
        return latenessNanos.stream().filter(n -> n > lateness.toNanos()).count();
    }

    /** Returns how long after its deadline the first timeout came; negative if before. */
    public Duration firstTimeout() {
        return Duration.ofNanos(
                timeoutLatenessNanos.stream().mapToLong(n -> n).min().orElseThrow());
    }

    /** Returns the median wait of failed asks. */
    public Duration medianFailure() {
        List<Long> sorted = failedAfterNanos.stream().sorted().toList();
        return Duration.ofNanos(sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2));
    }

    /** Returns the answers for the message of a failed assertion. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(
                "asked " + asked + ", answered " + answered + ": admitted " + admitted() + ", denied " + denied());
        for (StoreFailure failure : StoreFailure.values()) {
            long count = failed(failure);
            text.append(count == 0 ? "" : ", " + failure.label() + " " + count);
        }
        return text.append("; latest ")
                .append(latest().toMillis())
                .append(" ms after its deadline")
                .toString();
    }
}
