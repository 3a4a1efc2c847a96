package dev.weir.simulation.fleet;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.Verdict.Reason;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The textbook limiter: it borrows ten hits from the shared counter, spends them locally, lets them lapse after five
 * seconds, and gives nothing back. Weir is compared with it, for requests of one hit that match one rule.
 */
final class ChunkNodeLimiter implements NodeLimiter {
    static final long CHUNK = 10;
    static final long TTL_NANOS = 5_000_000_000L;

    private final RuleIndex rules;
    private final SharedStore store;
    private final TimeSource clock;
    private final long deadlineNanos;
    private final Matches matches = Matches.named();
    private final Map<Limit, Meter> meters = new HashMap<>();
    private final Map<Long, Chunk> chunks = new HashMap<>();

    ChunkNodeLimiter(RuleIndex rules, SharedStore store, TimeSource clock, long deadlineMicros) {
        this.rules = rules;
        this.store = store;
        this.clock = clock;
        this.deadlineNanos = deadlineMicros * 1_000;
    }

    @Override
    public void tick() {}

    @Override
    public void stop() {}

    @Override
    public boolean decide(Request request, long nowMicros, MutableDecision into, WaiterSupplier later) {
        rules.match(request, matches);
        Match match = matches.get(0);
        Rule rule = Objects.requireNonNull(match.rule(), "a rule");
        Chunk chunk = chunks.computeIfAbsent(match.key0(), key -> new Chunk(rule, match));
        if (chunk.spend()) {
            chunk.write(into, Reason.WITHIN_LIMIT, false);
            return true;
        }
        chunk.waiters.add(later.waiter());
        chunk.borrow();
        return false;
    }

    /** The borrowed hits of one counter. */
    private final class Chunk extends Ask {
        private final Rule rule;
        private final Limit limit;
        private final List<Waiter> waiters = new ArrayList<>();
        private final Check order = new Check();
        private boolean borrowing;
        private long left;
        private long lapses;

        Chunk(Rule rule, Match match) {
            this.rule = rule;
            this.limit = Objects.requireNonNull(rule.limit(), "a limit");
            order.key0 = match.key0();
            order.key1 = match.key1();
            order.meter = meters.computeIfAbsent(limit, Meters::of);
            order.hits = CHUNK;
        }

        boolean spend() {
            if (left > 0 && clock.nanos() < lapses) {
                left--;
                return true;
            }
            return false;
        }

        void borrow() {
            if (!borrowing) {
                borrowing = true;
                checks.clear();
                checks.add().set(order);
                ChunkNodeLimiter.this.ask(this);
            }
        }

        @Override
        public void answered() {
            borrowing = false;
            Check check = checks.get(0);
            if (check.failure == null && check.outcome.allowed) {
                left = CHUNK;
                lapses = clock.nanos() + TTL_NANOS;
            }
            boolean failed = check.failure != null;
            List<Waiter> told = new ArrayList<>(waiters);
            waiters.clear();
            MutableDecision decision = new MutableDecision();
            for (Waiter each : told) {
                if (failed) {
                    write(decision, Reason.WITHIN_LIMIT, true); // fails open
                } else if (spend()) {
                    write(decision, Reason.WITHIN_LIMIT, false);
                } else if (check.outcome.allowed) {
                    waiters.add(each);
                    continue;
                } else {
                    write(decision, Reason.OVER_LIMIT, false);
                }
                each.decided(Request.to(rule.domain()), decision);
            }
            if (!waiters.isEmpty()) {
                borrow();
            }
        }

        void write(MutableDecision into, Reason reason, boolean degraded) {
            Check check = checks.size() == 0 ? order : checks.get(0);
            into.begin(clock.micros());
            into.add()
                    .set(rule, limit, 0, 1, reason, left, check.outcome.reset, check.outcome.retryAfter, 0)
                    .counter(order.key0)
                    .degraded(degraded);
            into.end(reason == Reason.WITHIN_LIMIT);
        }
    }

    private void ask(Ask ask) {
        ask.deadlineNanos = clock.nanos() + deadlineNanos;
        store.decide(ask);
    }
}
