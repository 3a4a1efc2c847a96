package dev.weir.simulation.oracle;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the same limits in one place and at once. It keeps two counts beside the fleet's. The <em>ideal</em> one
 * decides for itself, and shows how much could have passed. The <em>witness</em> counts what the fleet admitted, and
 * shows for each denial whether there was room after all.
 *
 * <p>A decision with only its denial (a cached one) is checked by that check alone.
 */
public final class Oracle {
    private final CentralCounters ideal = new CentralCounters();
    private final CentralCounters witness = new CentralCounters();
    private final Map<Limit, Meter> meters = new HashMap<>();
    private Limit lastLimit = Limit.fixedWindow(1, Duration.ofSeconds(1));
    private Meter lastMeter = Meters.of(lastLimit);

    private long idealAdmitted;
    private long falseDenials;
    private long beyond;

    /** The number of requests that the ideal limiter admitted. */
    public long idealAdmitted() {
        return idealAdmitted;
    }

    /** The number of requests that the fleet denied although there was room. */
    public long falseDenials() {
        return falseDenials;
    }

    /** The number of requests that passed although there was no room, without those that a failure policy admitted. */
    public long beyond() {
        return beyond;
    }

    /**
     * Records a decided request, whose hits were taken at {@code micros}; returns whether the ideal limiter admitted
     * it.
     */
    public boolean told(MutableDecision decision, long micros) {
        boolean passes = passes(ideal, decision, micros);
        if (passes) {
            take(ideal, decision, micros);
            idealAdmitted++;
        }
        if (decision.allowed()) {
            // Requests that a failure policy admitted are counted only as degraded.
            beyond += take(witness, decision, micros) || decision.degraded() ? 0 : 1;
        } else if (!decision.degraded() && passes(witness, decision, micros)) {
            falseDenials++;
        }
        return passes;
    }

    private boolean passes(CentralCounters gauge, MutableDecision decision, long micros) {
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            Limit limit = verdict.limit();
            if (limit != null
                    && !isShadow(verdict)
                    && !gauge.fits(meter(limit), verdict.counter(), verdict.hits(), micros)) {
                return false;
            }
        }
        return true;
    }

    private boolean take(CentralCounters gauge, MutableDecision decision, long micros) {
        boolean fitted = true;
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            Limit limit = verdict.limit();
            if (limit != null) {
                fitted &= gauge.take(meter(limit), verdict.counter(), verdict.hits(), micros) || isShadow(verdict);
            }
        }
        return fitted;
    }

    private static boolean isShadow(MutableVerdict verdict) {
        return verdict.rule() != null && verdict.rule().shadow();
    }

    private Meter meter(Limit limit) {
        if (!limit.equals(lastLimit)) {
            lastLimit = limit;
            lastMeter = meters.computeIfAbsent(limit, Meters::of);
        }
        return lastMeter;
    }
}
