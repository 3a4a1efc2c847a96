package dev.weir.server.metrics;

import dev.weir.StoreFailure;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts the failures of shared stores as the limiter sees them: check by check, over all stores. */
final class StoreFailureCounts {
    private final Map<StoreFailure, LongAdder> byReason = new EnumMap<>(StoreFailure.class);
    private volatile @Nullable StoreFailure last;
    private final LongAdder givenBack = new LongAdder();
    private final LongAdder keysNotKept = new LongAdder();

    StoreFailureCounts() {
        for (StoreFailure each : StoreFailure.values()) {
            byReason.put(each, new LongAdder());
        }
    }

    void failed(StoreFailure failure) {
        Objects.requireNonNull(byReason.get(failure)).increment();
        last = failure;
    }

    @Nullable
    StoreFailure last() {
        return last;
    }

    void gaveBack(int checks) {
        givenBack.add(checks);
    }

    void keyNotKept() {
        keysNotKept.increment();
    }

    void write(Exposition out) {
        out.metric(
                "ratelimit_store_failures_total",
                "counter",
                "Checks without an answer from their store, by reason: on_fail decided them.");
        byReason.forEach((reason, count) ->
                out.sample("ratelimit_store_failures_total", Exposition.labels("reason", reason.label()), count.sum()));
        out.metric(
                "ratelimit_give_backs_total",
                "counter",
                "Checks charged in one store and given back because another one denied.");
        out.sample("ratelimit_give_backs_total", "", givenBack.sum());
        out.metric(
                "ratelimit_idempotency_not_kept_total",
                "counter",
                "Charged requests whose Idempotency-Key was not stored, because idempotency_total was reached.");
        out.sample("ratelimit_idempotency_not_kept_total", "", keysNotKept.sum());
    }
}
