package dev.weir.simulation.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.model.HeldPermit;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.TakenPermits;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.store.Latency;
import dev.weir.simulation.store.LinkSettings;
import dev.weir.simulation.store.SimulatedStore;
import dev.weir.simulation.store.StoreLinks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * How much of a leased concurrency limit is in use, on virtual time: three nodes and callers that want more permits than
 * there are, and release each at a random node. {@code -Dweir.permit.use.seeds} is how many runs.
 */
class PermitUseTest {
    private static final int SEEDS = Integer.getInteger("weir.permit.use.seeds", 1);
    private static final int NODES = 3;
    private static final int LIMIT = 5_000;
    private static final int CALLERS = 200;
    /** Each caller keeps so many calls going, so that they want a fifth more than the limit. */
    private static final int CALLS_OF_EACH = 20;

    private static final int MOST_HITS = 2;
    private static final long MILLI = 1_000_000;
    private static final long TTL = 10_000 * MILLI;
    private static final long CALL = 2_000 * MILLI;
    private static final long WARM = 5_000 * MILLI;
    private static final long CALM = 5_000 * MILLI;

    @Test
    void nearlyAllPermitsAreInUseThoughTheyAreReleasedAnywhere() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            new Run(seed).play();
        }
    }

    /** One run of the fleet. */
    private static final class Run {
        private final long seed;
        private final SplittableRandom random;
        private final Timeline timeline = new Timeline();
        private final SimulatedStore store;
        private final WrittenRules rules;
        private final List<SimulatedNode> nodes = new ArrayList<>();
        private long inFlight;
        private long acquires;
        private long storeCalls;
        /** Permits in flight times nanoseconds, since the last measurement began. */
        private double used;

        private long usedUntil;

        Run(long seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.rules = (WrittenRules) RuleSet.builder("api")
                    .rule("calls", Limit.concurrency(LIMIT, Duration.ofNanos(TTL)))
                    .consistency(Consistency.LEASED)
                    .build();
            MachineClock clock = new MachineClock(timeline, 0, 0, 0);
            this.store = new SimulatedStore(0, timeline, clock, new FaultyFleet.Unwatched());
            for (int i = 0; i < NODES; i++) {
                nodes.add(new SimulatedNode(i, timeline));
                start(nodes.get(i));
            }
        }

        private void start(SimulatedNode node) {
            MachineClock clock = new MachineClock(timeline, random.nextLong(1_000), random.nextLong(1L << 40), 0);
            LinkSettings link = new LinkSettings(new Latency(MILLI / 4, MILLI), 0, 200 * MILLI, 50 * MILLI, 1);
            StoreLinks links = new StoreLinks(timeline, node, clock, List.of(store), link, random);
            Limiter limiter = new Limiter(
                    rules,
                    new MemoryStore(64),
                    SharedStores.of(new Counted(links)),
                    clock,
                    LimiterSettings.defaults(),
                    new LimiterObserver() {});
            node.start(new SimulatedNode.Life(clock, List.of(links), new FaultyFleet.LimiterNode(limiter)));
        }

        /** Counts every ask as a call, though asks that wait for a connection share one. */
        private final class Counted implements SharedStore {
            private final SharedStore store;

            Counted(SharedStore store) {
                this.store = store;
            }

            @Override
            public void decide(Ask ask) {
                storeCalls++;
                store.decide(ask);
            }

            @Override
            public int slot(Check check) {
                return store.slot(check);
            }

            @Override
            public void close() {
                store.close();
            }
        }

        void play() {
            timeline.after(0, this::tick);
            for (int i = 0; i < CALLERS * CALLS_OF_EACH; i++) {
                timeline.after(random.nextLong(CALL), this::call);
            }
            measure(WARM);
            long acquiresBefore = acquires;
            long callsBefore = storeCalls;
            double use = measure(CALM);
            double calls = (double) (storeCalls - callsBefore) / (acquires - acquiresBefore);
            assertThat(use).as("seed %d: permits in flight", seed).isGreaterThan(0.95 * LIMIT);
            assertThat(calls)
                    .as("seed %d: calls of the store for each acquire", seed)
                    .isLessThan(0.1);

            nodes.get(0).kill();
            start(nodes.get(0));
            measure(TTL);
            double after = measure(100 * MILLI);
            assertThat(after)
                    .as("seed %d: permits in flight a TTL after a kill", seed)
                    .isGreaterThan(0.95 * LIMIT);
        }

        /** Runs for so long; returns how many permits were in flight on average. */
        private double measure(long nanos) {
            used = 0;
            usedUntil = timeline.now();
            timeline.runUntil(timeline.now() + nanos);
            add(0);
            return used / nanos;
        }

        private void add(long permits) {
            used += (double) inFlight * (timeline.now() - usedUntil);
            usedUntil = timeline.now();
            inFlight += permits;
            assertThat(inFlight)
                    .as("seed %d at %d ms", seed, timeline.now() / MILLI)
                    .isLessThanOrEqualTo(LIMIT);
        }

        private void tick() {
            for (SimulatedNode node : nodes) {
                SimulatedNode.Life life = node.life();
                if (life != null) {
                    life.peer().tick();
                }
            }
            timeline.after(Limiter.TICK_MILLIS * MILLI, this::tick);
        }

        private Limiter someLimiter() {
            SimulatedNode.Life life = nodes.get(random.nextInt(NODES)).life();
            return ((FaultyFleet.LimiterNode) Objects.requireNonNull(life).peer()).limiter();
        }

        private void call() {
            acquires++;
            Limiter limiter = someLimiter();
            MutableDecision into = new MutableDecision();
            Request request = Request.to("api").with("user", "u").hits(1 + random.nextInt(MOST_HITS));
            if (limiter.decide(request, timeline.now() / 1_000, into, () -> new FaultyFleet.Caller(this::decided))) {
                decided(into);
            }
        }

        private void decided(MutableDecision decision) {
            TakenPermits taken = decision.permits();
            if (!decision.allowed() || taken == null || taken.held().isEmpty()) {
                timeline.after(100 * MILLI + random.nextLong(400 * MILLI), this::call);
                return;
            }
            List<HeldPermit> held = taken.held();
            add(held.get(0).count());
            timeline.after(CALL / 2 + random.nextLong(CALL), () -> {
                add(-held.get(0).count());
                var unused = someLimiter().permits().release(held);
                call();
            });
        }
    }
}
