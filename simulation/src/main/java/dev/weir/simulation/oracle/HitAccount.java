package dev.weir.simulation.oracle;

import dev.weir.Algorithm;
import dev.weir.Limit;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The account of the hits of one counter that is asked or leased. It checks these invariants:
 *
 * <ul>
 *   <li>no node admits more hits than it took and did not give back;
 *   <li>whenever a request passes, the algorithm's {@link Bound} holds; except for {@code fixed_window}, the bound
 *       includes hits that were taken but not yet admitted when the span began;
 *   <li>a node gives back to a fixed window no more than it took from that window and did not admit, unless the counter
 *       is leased;
 *   <li>without faults, all hits of a denied request are given back in the end, if enough of the window was left.
 * </ul>
 */
final class HitAccount {
    /** More requests of a node than this do not wait for one counter at a time. */
    private static final int MOST_TAKES = 1_000;

    /** Hits taken from a fixed window, with the time that was left of it, by which a verdict shows where they are from. */
    private record Take(long resetMicros, long window) {}

    private final int nodes;
    private final Bound bound = new Bound();
    private final long[] held;
    /** The hits that each node holds of each fixed window, by the window's start. */
    private final Map<Long, long[]> heldOf = new HashMap<>();
    /** The hits that each node took and has not decided yet, oldest first. */
    private final Map<Integer, ArrayDeque<Take>> takes = new HashMap<>();

    private long outstanding;
    /** Hits that may stay taken although they are never admitted. */
    private long excused;

    private boolean leased;

    HitAccount(int nodes) {
        this.nodes = nodes;
        this.held = new long[nodes];
    }

    /**
     * Records that {@code node} took or gave back hits at {@code micros} by the store's clock, {@code resetMicros}
     * before the counter is as good as new; returns the violation, or null.
     */
    @Nullable
    String took(int node, Limit limit, long hits, long micros, long resetMicros, boolean ahead) {
        leased |= ahead;
        if (hits > 0 && limit.algorithm() == Algorithm.FIXED_WINDOW && !leased) {
            ArrayDeque<Take> ofNode = takes.computeIfAbsent(node, each -> new ArrayDeque<>());
            ofNode.addLast(new Take(resetMicros, Bound.windowOf(limit, micros)));
            if (ofNode.size() > MOST_TAKES) {
                ofNode.removeFirst();
            }
        }
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

    /**
     * Adds {@code hits} to those that {@code node} holds of the window at {@code micros}; returns the sum, 0 if
     * unknown.
     */
    private long addToWindow(int node, Limit limit, long micros, long hits) {
        if (limit.algorithm() != Algorithm.FIXED_WINDOW || leased) {
            return 0;
        }
        long[] ofWindow = heldOf.computeIfAbsent(Bound.windowOf(limit, micros), start -> new long[nodes]);
        ofWindow[node] += hits;
        return ofWindow[node];
    }

    /** The window of the oldest take of {@code node} that left {@code resetMicros}; empty if it took none. */
    OptionalLong windowOf(int node, long resetMicros) {
        Iterator<Take> each = takes.getOrDefault(node, new ArrayDeque<>()).iterator();
        while (each.hasNext()) {
            Take take = each.next();
            if (take.resetMicros() == resetMicros) {
                each.remove();
                return OptionalLong.of(take.window());
            }
        }
        return OptionalLong.empty();
    }

    /**
     * Forgets the oldest take of {@code node} that left {@code resetMicros}: its request was denied, by another limit or
     * by this one, which counts denied hits. Else a later request whose take left as much of its own window would be
     * counted in the window of this one.
     */
    void forgetTake(int node, long resetMicros) {
        windowOf(node, resetMicros);
    }

    /** Excuses {@code hits}: whether they were taken is unknown, or there was too little time to give them back. */
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

    /** The hits that are wrongly still taken after all requests are decided and all give-backs have arrived. */
    long stranded() {
        return leased ? 0 : Math.max(0, outstanding - excused);
    }

    /** Records that a request passed; returns the violation, or null. */
    @Nullable
    String admitted(int node, Limit limit, long hits, long chargedMicros, long nowMicros) {
        if (hits <= 0) {
            return null;
        }
        String broken = bound.passed(limit, hits, chargedMicros, nowMicros, outstanding, 0);
        String spent = spent(node, limit, hits, chargedMicros);
        return spent == null ? broken : spent;
    }

    /** Records that {@code node} admitted hits it took, without checking the bound; returns the violation, or null. */
    @Nullable
    String spent(int node, Limit limit, long hits, long chargedMicros) {
        outstanding -= hits;
        held[node] -= hits;
        addToWindow(node, limit, chargedMicros, -hits);
        return held[node] < 0 ? "let " + hits + " hits pass, " + -held[node] + " more than it held" : null;
    }
}
