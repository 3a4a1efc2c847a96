package dev.weir.simulation.oracle;

import dev.weir.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The account of the hits of one counter that is asked exactly or leased. Two conditions must hold whenever a request
 * passes:
 *
 * <ul>
 *   <li>no node admits more than it took and did not give back;
 *   <li>the algorithm's {@link Bound}; except with {@code fixed_window}, hits that were taken but not yet admitted when
 *       the time span began are added to it.
 * </ul>
 */
final class HitAccount {
    private final Bound bound = new Bound();
    private final long[] held;
    private long outstanding;

    HitAccount(int nodes) {
        this.held = new long[nodes];
    }

    /** Takes note; returns what the node holds now. */
    long took(int node, long hits) {
        outstanding += hits;
        held[node] += hits;
        return held[node];
    }

    void forgot(long storeMicros, long hits) {
        bound.forgot(storeMicros, hits);
    }

    void died(int node) {
        outstanding -= held[node];
        held[node] = 0;
    }

    long outstanding() {
        return outstanding;
    }

    /** Takes note that a request passed; what that broke, or null. */
    @Nullable
    String admitted(int node, Limit limit, long hits, long chargedMicros, long nowMicros) {
        if (hits <= 0) {
            return null;
        }
        String broken = bound.passed(limit, hits, chargedMicros, nowMicros, outstanding, 0);
        outstanding -= hits;
        held[node] -= hits;
        if (held[node] < 0) {
            return "let " + hits + " hits pass, " + -held[node] + " more than it held";
        }
        return broken;
    }
}
