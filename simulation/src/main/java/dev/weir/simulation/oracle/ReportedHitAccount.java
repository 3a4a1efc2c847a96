package dev.weir.simulation.oracle;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.simulation.oracle.UnreportedHits.Lost;
import dev.weir.simulation.oracle.UnreportedHits.Patience;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The account of the hits of one counter that is reported. Whenever a request passes, the algorithm's {@link Bound}
 * must hold, plus the {@link UnreportedHits} of each node, and hits that nodes admitted and could never report.
 */
final class ReportedHitAccount {
    private final Bound bound = new Bound();
    private final Limit limit;
    private final UnreportedHits[] nodes;
    /** Lost hits by the start of their fixed window. */
    private final Map<Long, Long> lost = new HashMap<>();

    ReportedHitAccount(int nodes, Limit limit, Patience patience) {
        this.limit = limit;
        this.nodes = new UnreportedHits[nodes];
        for (int i = 0; i < nodes; i++) {
            this.nodes[i] = new UnreportedHits(limit, patience);
        }
    }

    void forgot(long storeMicros, long hits) {
        bound.forgot(storeMicros, hits);
    }

    void died(int node) {
        lose(nodes[node].died());
    }

    void sent(int node, long ownMicros, long nowNanos) {
        lose(nodes[node].sent(ownMicros, nowNanos));
    }

    void failed(int node) {
        nodes[node].failed();
    }

    void answered(int node, long refused, long storeMicros) {
        lose(nodes[node].answered(refused, storeMicros));
    }

    private void lose(List<Lost> all) {
        for (Lost each : all) {
            lost.merge(each.window(), each.hits(), Long::sum);
            bound.excuse(each.hits());
        }
    }

    /** Records that a request passed; returns the violation, or null. */
    @Nullable
    String admitted(int node, long hits, long storeMicros, long ownMicros, long nowNanos, long resumedNanos) {
        nodes[node].passed(hits, storeMicros, ownMicros, nowNanos, resumedNanos);
        long window = Bound.windowOf(limit, storeMicros);
        long excused = 0;
        for (UnreportedHits each : nodes) {
            excused += each.hits(window);
        }
        boolean windowed = limit.algorithm() == Algorithm.FIXED_WINDOW;
        return bound.passed(
                limit, hits, storeMicros, storeMicros, 0, excused + (windowed ? lost.getOrDefault(window, 0L) : 0));
    }
}
