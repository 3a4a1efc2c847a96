package dev.weir.simulation.oracle;

import dev.weir.model.Consistency;
import dev.weir.model.Decision;
import dev.weir.model.Limit;
import dev.weir.model.Rule;
import dev.weir.model.Verdict;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.store.Takings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The books of every shared counter: what each node took from it, gave back and let pass. They show at once when a bound that
 * docs/guarantees.md states does not hold. What a failure policy let pass is marked degraded and stands outside.
 */
public final class Ledger implements Takings {
    private static final int MOST = 20;

    private final Timeline timeline;
    private final int nodes;
    private final long rememberedNanos;
    private final Map<Long, Book> books = new HashMap<>();
    private final ArrayDeque<Taking> recent = new ArrayDeque<>();
    private final List<String> violations = new ArrayList<>();
    private long storeMicros;

    private record Taking(long moment, long storeMicros, long key0, long hits) {}

    /** Books of a fleet whose store may forget the last {@code rememberedNanos}. */
    public Ledger(Timeline timeline, int nodes, long rememberedNanos) {
        this.timeline = timeline;
        this.nodes = nodes;
        this.rememberedNanos = rememberedNanos;
    }

    /** What did not hold, the first of it. */
    public List<String> violations() {
        return List.copyOf(violations);
    }

    /** Hits that were taken and neither let pass nor given back, whoever held them last. */
    public long stranded() {
        return books.values().stream().mapToLong(Book::outstanding).sum();
    }

    @Override
    public void storeShows(long micros) {
        storeMicros = micros;
    }

    @Override
    public void took(int node, long key0, long hits) {
        long held = node == NOBODY ? 0 : book(key0).took(node, hits);
        if (held < 0) {
            violated("node " + node + " gave back " + -hits + " hits, " + -held + " more than it held");
        }
        if (rememberedNanos > 0) {
            recent.addLast(new Taking(timeline.now(), storeMicros, key0, hits));
            while (recent.getFirst().moment() < timeline.now() - rememberedNanos) {
                recent.removeFirst();
            }
        }
    }

    @Override
    public void forgot(long moment) {
        while (!recent.isEmpty() && recent.getLast().moment() > moment) {
            Taking lost = recent.removeLast();
            book(lost.key0()).forgot(lost.storeMicros(), lost.hits());
        }
    }

    /** The process on {@code node} is gone, with all that it held. */
    public void died(int node) {
        books.values().forEach(each -> each.died(node));
    }

    /** {@code node} decided; its hits were taken when the store's clock showed {@code chargedMicros}, and it shows {@code nowMicros}. */
    public void told(int node, Decision decision, long chargedMicros, long nowMicros) {
        if (!decision.allowed()) {
            return;
        }
        for (int i = 0; i < decision.size(); i++) {
            Verdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            Limit limit = verdict.limit();
            if (limit == null || rule == null || !isBounded(rule) || verdict.degraded() || !verdict.allowed()) {
                continue;
            }
            String broken = book(verdict.counter()).admitted(node, limit, verdict.hits(), chargedMicros, nowMicros);
            if (broken != null) {
                violated(rule + " on node " + node + ": " + broken);
            }
        }
    }

    private static boolean isBounded(Rule rule) {
        return rule.consistency() == Consistency.EXACT || rule.consistency() == Consistency.LEASED;
    }

    private Book book(long key0) {
        return books.computeIfAbsent(key0, key -> new Book(nodes));
    }

    private void violated(String what) {
        if (violations.size() < MOST) {
            violations.add("at " + timeline.now() / 1_000 + " us: " + what);
        }
    }
}
