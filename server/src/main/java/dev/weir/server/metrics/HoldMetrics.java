package dev.weir.server.metrics;

import dev.weir.Hold.Settlement;
import dev.weir.internal.limiter.Holds;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts the holds that requests reserved, and how they were settled. */
public final class HoldMetrics {
    private final LongAdder held = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final Map<Settlement, LongAdder> settlements = new EnumMap<>(Settlement.class);
    private final LongAdder debts = new LongAdder();

    HoldMetrics() {
        for (Settlement each : Settlement.values()) {
            settlements.put(each, new LongAdder());
        }
    }

    void reserved(boolean isHeld) {
        (isHeld ? held : refused).increment();
    }

    void settled(Settlement result, boolean debt) {
        count(result).increment();
        if (debt && result == Settlement.DONE) {
            debts.increment();
        }
    }

    private LongAdder count(Settlement result) {
        return Objects.requireNonNull(settlements.get(result));
    }

    /** Adds the counts, and a gauge of the open {@code holds}. */
    public void addTo(ServerMetrics metrics, Holds holds) {
        String reserves = "Requests for a hold, by whether they got one.";
        metrics.counter("ratelimit.reserves", reserves, held::sum, "result", "held")
                .counter("ratelimit.reserves", reserves, refused::sum, "result", "refused");
        for (Settlement each : Settlement.values()) {
            metrics.counter(
                    "ratelimit.settlements",
                    "Attempts to settle a hold, by their result.",
                    count(each)::sum,
                    "result",
                    each.name().toLowerCase(Locale.ROOT));
        }
        metrics.counter("ratelimit.hold.debts", "Settlements that charged more than was reserved.", debts::sum)
                .gauge("ratelimit.open.holds", "Holds on counters in memory that may still be settled.", holds::open);
    }
}
