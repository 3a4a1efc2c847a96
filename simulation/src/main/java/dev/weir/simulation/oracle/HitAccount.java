package dev.weir.simulation.oracle;

import dev.weir.Algorithm;
import dev.weir.Limit;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of the hits of one counter that is asked or leased. These must hold:
 *
 * <ul>
 *   <li>no node lets more pass than it took and did not give back;
 *   <li>whenever a request passes, the algorithm's {@link Bound}; but for {@code fixed_window}, with what was taken and not let pass yet
 *       when a time began;
 *   <li>a fixed window gets back no more than a node took from that window and did not let pass; unless the counter is leased;
 *   <li>where nothing went wrong, all that a denied request took is given back in the end, if its window was long enough to.
 * </ul>
 */
final class HitAccount {
    private final int nodes;
    private final Bound bound = new Bound();
    private final long[] held;
    /** What each node holds of each fixed window, by the window's start. */
    private final Map<Long, long[]> heldOf = new HashMap<>();

    private long outstanding;
    /** Hits that may stay taken although nobody lets them pass. */
    private long excused;

    private boolean leased;

    HitAccount(int nodes) {
        this.nodes = nodes;
        this.held = new long[nodes];
    }

    /** Takes note that {@code node} took hits, or gave them back, when the store's clock showed {@code micros}; what that broke, or null. */
    @Nullable
    String took(int node, Limit limit, long hits, long micros, boolean ahead) {
        leased |= ahead;
        outstanding += hits;
        held[node] += hits;
        long ofWindow = addToWindow(node, limit, micros, hits);
        if (hits < 0 && held[node] < 0) {
            return "gave back " + -hits + " hits, " + -held[node] + " more than it held";
        }
        if (hits < 0 && ofWindow < 0) {
            return "gave back " + -hits + " hits, of which " + -ofWindow + " were taken from another window";
        }
        return null;
    }

    /** What {@code node} holds of the window that {@code micros} lies in, once {@code hits} are added; 0 where that is not known. */
    private long addToWindow(int node, Limit limit, long micros, long hits) {
        if (limit.algorithm() != Algorithm.FIXED_WINDOW || leased) {
            return 0;
        }
        long[] ofWindow = heldOf.computeIfAbsent(Bound.windowOf(limit, micros), start -> new long[nodes]);
        ofWindow[node] += hits;
        return ofWindow[node];
    }

    /** So many hits may stay taken: nobody knows whether they were, or they may not be given back for long enough. */
    void excuse(long hits) {
        excused += Math.max(0, hits);
    }

    void forgot(long storeMicros, long hits) {
        bound.forgot(storeMicros, hits);
    }

    void died(int node) {
        outstanding -= held[node];
        held[node] = 0;
        heldOf.values().forEach(each -> each[node] = 0);
    }

    long outstanding() {
        return outstanding;
    }

    /** How many hits are still taken, when all is decided and given back, that should not be. */
    long stranded() {
        return leased ? 0 : Math.max(0, outstanding - excused);
    }

    /** Takes note that a request passed; what that broke, or null. */
    @Nullable
    String admitted(int node, Limit limit, long hits, long chargedMicros, long nowMicros) {
        if (hits <= 0) {
            return null;
        }
        String broken = bound.passed(limit, hits, chargedMicros, nowMicros, outstanding, 0);
        String spent = spent(node, limit, hits, chargedMicros);
        return spent == null ? broken : spent;
    }

    /** Takes note that {@code node} let pass what it took, whatever the bound says; what that broke, or null. */
    @Nullable
    String spent(int node, Limit limit, long hits, long chargedMicros) {
        outstanding -= hits;
        held[node] -= hits;
        addToWindow(node, limit, chargedMicros, -hits);
        return held[node] < 0 ? "let " + hits + " hits pass, " + -held[node] + " more than it held" : null;
    }
}
