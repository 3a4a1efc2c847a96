package dev.weir.simulation.oracle;

import dev.weir.Algorithm;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Outcome;
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
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Keeps an account of every shared counter: the hits that each node took, gave back and admitted. It detects at once
 * when a bound of docs/guarantees.md is broken. Hits that a failure policy admitted are marked degraded and are not
 * counted.
 */
public final class BoundChecker {
    private static final int MOST = 20;
    /** Hits with at least this much time left must be given back, unless a fault occurs. */
    private static final long SURELY_RETURNABLE_NANOS = 400_000_000L;

    private static final long TICK_NANOS = Limiter.TICK_MILLIS * 1_000_000L;

    private final Timeline timeline;
    private final int nodes;
    private final long rememberedNanos;
    private final long deadlineNanos;
    private final Map<Long, ReportedHitAccount> reported = new HashMap<>();
    private final Map<Long, HitAccount> books = new HashMap<>();
    /** The bound on the hits that each node admits by itself, by counter. */
    private final List<Map<Long, Bound>> local = new ArrayList<>();
    /** The server of each counter. */
    private final Map<Long, Integer> servers = new HashMap<>();

    private final List<String> violations = new ArrayList<>();

    private record Taking(long moment, long storeMicros, long key0, long hits) {}

    /**
     * Creates the accounts of a fleet whose store may lose the last {@code rememberedNanos} of writes, and whose nodes
     * wait {@code deadlineNanos} for it.
     */
    public BoundChecker(Timeline timeline, int nodes, long rememberedNanos, long deadlineNanos) {
        this.timeline = timeline;
        this.nodes = nodes;
        this.rememberedNanos = rememberedNanos;
        this.deadlineNanos = deadlineNanos;
        for (int i = 0; i < nodes; i++) {
            local.add(new HashMap<>());
        }
    }

    /** The violations found; only the first ones are kept. */
    public List<String> violations() {
        return List.copyOf(violations);
    }

    /** The hits that were taken and neither admitted nor given back, on any node. */
    public long stranded() {
        return books.values().stream().mapToLong(HitAccount::outstanding).sum();
    }

    /** Returns the observer that records the hits of the server with this number. */
    public HitObserver of(int server) {
        return new OfServer(server);
    }

    /** Records the hits of one server. */
    private final class OfServer implements HitObserver {
        private final int server;
        private final ArrayDeque<Taking> recent = new ArrayDeque<>();
        private long storeMicros;

        OfServer(int server) {
            this.server = server;
        }

        @Override
        public void storeShows(long micros) {
            storeMicros = micros;
        }

        @Override
        public void took(int node, Check check, long hits, Outcome outcome, boolean ahead) {
            long key0 = check.key0;
            servers.put(key0, server);
            if (node != NOBODY && !reported.containsKey(key0)) {
                Meter meter = Objects.requireNonNull(check.meter, "meter");
                String broken = book(key0).took(node, meter.limit(), hits, storeMicros, outcome.reset, ahead);
                if (broken != null) {
                    violated("node " + node + ": " + broken);
                }
                if (meter.returnableNanos(outcome) < SURELY_RETURNABLE_NANOS) {
                    book(key0).excuse(hits);
                }
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
    }

    /**
     * Checks, after all requests are decided, that {@code calm} servers got back all hits that denied requests took.
     */
    public void settled(IntPredicate calm) {
        books.forEach((key0, book) -> {
            if (book.stranded() > 0 && calm.test(servers.getOrDefault(key0, 0))) {
                violated("requests that were denied took " + book.stranded() + " hits and did not give them back");
            }
        });
    }

    /** Records that the process on {@code node} ended, with all hits that it held. */
    public void died(int node) {
        books.values().forEach(each -> each.died(node));
        started(node);
    }

    /** Records that a process starts on {@code node}: the unreported hits of the one before are lost. */
    public void started(int node) {
        local.get(node).clear();
        reported.values().forEach(each -> each.died(node));
    }

    /** Records that {@code node}, whose clock shows {@code ownMicros}, sends a report or asks for a lease. */
    public void asked(int node, Check check, long ownMicros) {
        ReportedHitAccount book = reported.get(check.key0);
        if (book != null) {
            book.sent(node, ownMicros, timeline.now());
        }
    }

    /** Records that such an ask was answered or failed, when the store's clock showed {@code storeMicros}. */
    public void answered(int node, Check check, long storeMicros) {
        ReportedHitAccount book = reported.get(check.key0);
        if (book != null && check.failure != null) {
            book.failed(node);
        } else if (book != null) {
            book.answered(node, check.ahead - check.granted, storeMicros);
        }
    }

    /**
     * Records a decision of {@code node}.
     *
     * @param heardMicros each server's time of the last decision that the node received from it
     * @param nowMicros the time of the server's clock now
     * @param resumedNanos when the last pause of the node ended
     */
    public void told(
            int node,
            MutableDecision decision,
            IntToLongFunction heardMicros,
            IntToLongFunction nowMicros,
            long resumedNanos) {
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            Limit limit = verdict.limit();
            if (limit == null || rule == null) {
                continue;
            }
            boolean counted = rule.countsDenied() && !decision.allowed();
            boolean took = verdict.allowed() || rule.countsDenied();
            boolean passed = verdict.allowed() && decision.allowed();
            if (took && !passed && books.containsKey(verdict.counter())) {
                book(verdict.counter()).forgetTake(node, verdict.resetMicros());
            }
            if (verdict.degraded() || !verdict.allowed() || counted) {
                excuse(rule, verdict);
            } else if (decision.allowed()) {
                int server = servers.getOrDefault(verdict.counter(), 0);
                String broken = passed(
                        node,
                        decision,
                        verdict,
                        rule,
                        limit,
                        heardMicros.applyAsLong(server),
                        nowMicros.applyAsLong(server),
                        resumedNanos);
                if (broken != null) {
                    violated(rule + " on node " + node + ": " + broken);
                }
            }
        }
    }

    /**
     * Excuses a check that may have taken its hits: it had no answer, was denied without asking, or counts denied hits.
     */
    private void excuse(Rule rule, MutableVerdict verdict) {
        if (rule.consistency() == Consistency.EXACT || rule.consistency() == Consistency.LEASED) {
            book(verdict.counter()).excuse(verdict.hits());
        }
    }

    private @Nullable String passed(
            int node,
            MutableDecision decision,
            MutableVerdict verdict,
            Rule rule,
            Limit limit,
            long heardMicros,
            long nowMicros,
            long resumedNanos) {
        long hits = verdict.hits();
        long waited = decision.nowMicros() - decision.askedMicros();
        long charged = charged(node, limit, verdict, heardMicros);
        return switch (rule.consistency()) {
            case EXACT ->
                decision.degraded()
                        ? book(verdict.counter()).spent(node, limit, hits, charged)
                        : book(verdict.counter()).admitted(node, limit, hits, charged, nowMicros);
            case LEASED ->
                book(verdict.counter())
                        .admitted(node, limit, hits, verdict.leased() ? nowMicros - waited : charged, nowMicros);
            case REPORTED ->
                reported.computeIfAbsent(verdict.counter(), key -> new ReportedHitAccount(nodes, limit, patience(rule)))
                        .admitted(node, hits, nowMicros, decision.nowMicros(), timeline.now(), resumedNanos);
            case LOCAL ->
                decision.degraded()
                        ? null
                        : local.get(node)
                                .computeIfAbsent(verdict.counter(), key -> new Bound())
                                .passed(
                                        limit,
                                        hits,
                                        inferred(limit, verdict, decision.nowMicros()),
                                        decision.nowMicros(),
                                        0,
                                        0);
        };
    }

    /**
     * Returns a time in the window from which the hits of {@code verdict} were taken. A fixed window is that of the take
     * itself: a node may be suspended for a whole window between the parts of a request.
     */
    private long charged(int node, Limit limit, MutableVerdict verdict, long lastMicros) {
        HitAccount book = books.get(verdict.counter());
        long inferred = inferred(limit, verdict, lastMicros);
        return book == null
                ? inferred
                : book.windowOf(node, verdict.resetMicros()).orElse(inferred);
    }

    /**
     * The same for hits that were not taken from a store for this request alone. The parts of a request are charged one
     * after the other, the last at {@code lastMicros}; each part's reset counts from its own charge.
     */
    private static long inferred(Limit limit, MutableVerdict verdict, long lastMicros) {
        return limit.algorithm() == Algorithm.FIXED_WINDOW
                ? Bound.windowOf(limit, Bound.windowOf(limit, lastMicros + verdict.resetMicros()) - 1)
                : lastMicros;
    }

    /**
     * Returns the patience for a rule. A report leaves one interval and one tick after its first hit; for a fixed
     * window it leaves early enough to arrive before the window ends.
     */
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
