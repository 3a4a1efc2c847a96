package dev.weir.simulation.oracle;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Check;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.oracle.UnreportedHits.Patience;
import dev.weir.simulation.store.HitObserver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps an account of every shared counter: the hits that each node took, gave back and admitted. It detects at once
 * when a bound of docs/guarantees.md is broken. Hits that a failure policy admitted are marked degraded and are not
 * counted.
 */
public final class BoundChecker implements HitObserver {
    private static final int MOST = 20;
    private static final long TICK_NANOS = Limiter.TICK_MILLIS * 1_000_000L;

    private final Timeline timeline;
    private final int nodes;
    private final long rememberedNanos;
    private final long deadlineNanos;
    private final Map<Long, ReportedHitAccount> reported = new HashMap<>();
    private final Map<Long, HitAccount> books = new HashMap<>();
    private final ArrayDeque<Taking> recent = new ArrayDeque<>();
    private final List<String> violations = new ArrayList<>();
    private long storeMicros;

    private record Taking(long moment, long storeMicros, long key0, long hits) {}

    /** Books of a fleet whose store may forget the last {@code rememberedNanos}, and which waits for it for {@code deadlineNanos}. */
    public BoundChecker(Timeline timeline, int nodes, long rememberedNanos, long deadlineNanos) {
        this.timeline = timeline;
        this.nodes = nodes;
        this.rememberedNanos = rememberedNanos;
        this.deadlineNanos = deadlineNanos;
    }

    /** What did not hold, the first of it. */
    public List<String> violations() {
        return List.copyOf(violations);
    }

    /** Hits that were taken and neither let pass nor given back, whoever held them last. */
    public long stranded() {
        return books.values().stream().mapToLong(HitAccount::outstanding).sum();
    }

    @Override
    public void storeShows(long micros) {
        storeMicros = micros;
    }

    @Override
    public void took(int node, long key0, long hits) {
        long held =
                node == NOBODY || reported.containsKey(key0) ? 0 : book(key0).took(node, hits);
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
            ReportedHitAccount book = reported.get(lost.key0());
            if (book == null) {
                book(lost.key0()).forgot(lost.storeMicros(), lost.hits());
            } else {
                book.forgot(lost.storeMicros(), lost.hits());
            }
        }
    }

    /** The process on {@code node} is gone, with all that it held. */
    public void died(int node) {
        books.values().forEach(each -> each.died(node));
        started(node);
    }

    /** A process begins on {@code node}: what the one before had not told, nobody will. */
    public void started(int node) {
        reported.values().forEach(each -> each.died(node));
    }

    /** {@code node}, whose clock shows {@code ownMicros}, reports something, or asks for a lease. */
    public void asked(int node, Check check, long ownMicros) {
        ReportedHitAccount book = reported.get(check.key0);
        if (book != null) {
            book.sent(node, ownMicros, timeline.now());
        }
    }

    /** That was answered, or failed; the store's clock shows {@code nowMicros}. */
    public void answered(int node, Check check, long storeMicros) {
        ReportedHitAccount book = reported.get(check.key0);
        if (book != null && check.failure != null) {
            book.failed(node);
        } else if (book != null) {
            book.answered(node, check.ahead - check.granted, storeMicros);
        }
    }

    /**
     * {@code node} decided; its hits were taken when the store's clock showed {@code chargedMicros}, and it shows
     * {@code nowMicros}. The node stood still until {@code resumedNanos}.
     */
    public void told(int node, MutableDecision decision, long chargedMicros, long nowMicros, long resumedNanos) {
        if (!decision.allowed()) {
            return;
        }
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            Limit limit = verdict.limit();
            if (limit == null || rule == null || verdict.degraded() || !verdict.allowed()) {
                continue;
            }
            String broken = switch (rule.consistency()) {
                case EXACT ->
                    decision.degraded()
                            ? null
                            : book(verdict.counter())
                                    .admitted(
                                            node,
                                            limit,
                                            verdict.hits(),
                                            charged(limit, verdict, chargedMicros),
                                            nowMicros);
                case LEASED -> book(verdict.counter()).admitted(node, limit, verdict.hits(), chargedMicros, nowMicros);
                case REPORTED ->
                    reported.computeIfAbsent(
                                    verdict.counter(), key -> new ReportedHitAccount(nodes, limit, patience(rule)))
                            .admitted(
                                    node,
                                    verdict.hits(),
                                    nowMicros,
                                    decision.nowMicros(),
                                    timeline.now(),
                                    resumedNanos);
                case LOCAL -> null;
            };
            if (broken != null) {
                violated(rule + " on node " + node + ": " + broken);
            }
        }
    }

    /**
     * A moment in the window that the hits of {@code verdict} were taken from: parts of a request are charged one after
     * the other, the last of them at {@code lastMicros}, and when the window ends is counted from the moment of its own
     * part.
     */
    private static long charged(Limit limit, MutableVerdict verdict, long lastMicros) {
        return limit.algorithm() == Algorithm.FIXED_WINDOW
                ? Bound.windowOf(limit, lastMicros + verdict.resetMicros()) - limit.windowMicros()
                : lastMicros;
    }

    /** A report leaves an interval after the first that it tells of, and a tick; a fixed window's not so late that it would arrive in the next one. */
    private Patience patience(Rule rule) {
        long interval = rule.reportIntervalMicros() * 1_000;
        return new Patience(interval + TICK_NANOS + deadlineNanos, deadlineNanos, 2 * interval);
    }

    private HitAccount book(long key0) {
        return books.computeIfAbsent(key0, key -> new HitAccount(nodes));
    }

    private void violated(String what) {
        if (violations.size() < MOST) {
            violations.add("at " + timeline.now() / 1_000 + " us: " + what);
        }
    }
}
