package dev.weir.simulation.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.model.HeldPermit;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.TakenPermits;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.store.HitObserver;
import dev.weir.simulation.store.Latency;
import dev.weir.simulation.store.LinkSettings;
import dev.weir.simulation.store.SimulatedStore;
import dev.weir.simulation.store.StoreLinks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Permits in a fleet with faults, on virtual time. Callers take a permit at one node, hold it, perhaps renew it, and
 * release it at another. Nodes are killed and paused for longer than a permit lasts, connections break and lose messages,
 * the store stalls. {@code -Dweir.permit.seeds} is how many runs.
 */
class PermitFleetTest {
    private static final int SEEDS = Integer.getInteger("weir.permit.seeds", 60);
    private static final int NODES = 4;
    private static final int LIMIT = 10;
    private static final long MILLI = 1_000_000;
    private static final long TTL = 2_000 * MILLI;
    private static final long TRAFFIC = 22_000 * MILLI;
    private static final long FAULTS_END = 12_000 * MILLI;
    private static final long LONGEST_FAULT = 2 * TTL;

    @Test
    void neverMoreThanTheLimitAreInFlightAndEveryPermitComesBack() {
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
        private final WrittenRules rules = (WrittenRules) RuleSet.builder("api")
                .rule("calls", Limit.concurrency(LIMIT, Duration.ofNanos(TTL)))
                .build();
        private final List<SimulatedNode> nodes = new ArrayList<>();
        private int inFlight;
        private int mostAtTheEnd;
        private int passed;
        private int denied;

        Run(long seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            MachineClock clock = new MachineClock(timeline, random.nextLong(-5_000_000, 5_000_000), 0, 0);
            this.store = new SimulatedStore(0, timeline, clock, new Unwatched());
            for (int i = 0; i < NODES; i++) {
                nodes.add(new SimulatedNode(i, timeline));
                start(nodes.get(i));
            }
        }

        private void start(SimulatedNode node) {
            if (node.isUp()) {
                return;
            }
            MachineClock clock = new MachineClock(
                    timeline, random.nextLong(-2_000_000, 2_000_000), random.nextLong(1L << 40), random.nextLong(200));
            LinkSettings link = new LinkSettings(new Latency(MILLI / 4, MILLI), 0.002, 200 * MILLI, 50 * MILLI, 1);
            StoreLinks links = new StoreLinks(timeline, node, clock, List.of(store), link, random);
            Limiter limiter = new Limiter(
                    rules,
                    new MemoryStore(64),
                    SharedStores.of(links),
                    clock,
                    LimiterSettings.defaults(),
                    new LimiterObserver() {});
            node.start(new SimulatedNode.Life(clock, List.of(links), new PermitNode(limiter)));
        }

        void play() {
            timeline.after(0, this::arrive);
            for (long at = 500 * MILLI; at < FAULTS_END; at += 1 + random.nextLong(800 * MILLI)) {
                timeline.at(at, this::strike);
            }
            timeline.runUntil(TRAFFIC);
            assertThat(mostAtTheEnd)
                    .as("seed %d: full use a TTL after the faults", seed)
                    .isEqualTo(LIMIT);
            assertThat(passed).as("seed %d", seed).isGreaterThan(200);
            assertThat(denied).as("seed %d", seed).isGreaterThan(100);
            timeline.runUntil(TRAFFIC + 3 * TTL);
            assertThat(inFlight).isZero();
            assertThat(live()).as("seed %d: every permit came back", seed).isZero();
        }

        private void strike() {
            SimulatedNode node = nodes.get(random.nextInt(NODES));
            switch (random.nextInt(5)) {
                case 0 -> {
                    node.kill();
                    timeline.after(random.nextLong(LONGEST_FAULT), () -> start(node));
                }
                case 1 -> node.pause(random.nextLong(LONGEST_FAULT));
                case 2 -> onLinks(node, links -> links.cut(0, random.nextLong(1_000 * MILLI)));
                case 3 -> onLinks(node, links -> links.breakOff(0));
                default -> store.pause(random.nextLong(200 * MILLI));
            }
        }

        private static void onLinks(SimulatedNode node, Consumer<StoreLinks> harm) {
            SimulatedNode.Life life = node.life();
            if (life != null) {
                life.stores().forEach(harm);
            }
        }

        private @Nullable Limiter someLimiter() {
            int first = random.nextInt(NODES);
            for (int i = 0; i < NODES; i++) {
                SimulatedNode node = nodes.get((first + i) % NODES);
                SimulatedNode.Life life = node.life();
                if (life != null && timeline.now() >= node.pausedUntil()) {
                    return ((PermitNode) life.peer()).limiter;
                }
            }
            return null;
        }

        private void arrive() {
            if (timeline.now() >= TRAFFIC) {
                return;
            }
            timeline.after(1 + random.nextLong(8 * MILLI), this::arrive);
            Limiter limiter = someLimiter();
            if (limiter != null) {
                ask(limiter, 1, this::decided);
            }
        }

        private void ask(Limiter limiter, long hits, Consumer<MutableDecision> then) {
            MutableDecision into = new MutableDecision();
            Request request = Request.to("api").with("user", "u").hits(hits);
            if (limiter.decide(request, timeline.now() / 1_000, into, () -> new Caller(then))) {
                then.accept(into);
            }
        }

        private void decided(MutableDecision decision) {
            TakenPermits taken = decision.permits();
            if (!decision.allowed()) {
                denied++;
            } else if (taken != null && !taken.held().isEmpty() && !decision.degraded()) {
                passed++;
                inFlight++;
                assertThat(inFlight)
                        .as("seed %d at %d ms", seed, timeline.now() / MILLI)
                        .isLessThanOrEqualTo(LIMIT);
                if (timeline.now() > FAULTS_END + LONGEST_FAULT + TTL) {
                    mostAtTheEnd = Math.max(mostAtTheEnd, inFlight);
                }
                hold(taken.held(), random.nextLong(TTL / 8));
            }
        }

        /** Holds the permits; a call in sixteen lasts longer, and renews them meanwhile. */
        private void hold(List<HeldPermit> held, long nanos) {
            if (random.nextInt(16) > 0) {
                timeline.after(nanos, () -> end(held));
                return;
            }
            timeline.after(TTL / 3, () -> {
                Limiter limiter = someLimiter();
                if (limiter != null) {
                    var unused = limiter.permits().renew(held);
                }
                timeline.after(TTL / 3, () -> end(held));
            });
        }

        private void end(List<HeldPermit> held) {
            inFlight--;
            Limiter limiter = someLimiter();
            if (limiter != null) {
                var unused = limiter.permits().release(held);
            }
        }

        /** The permits that are live in the store; -1 if it did not answer. */
        private long live() {
            long[] used = {-1};
            Limiter limiter = someLimiter();
            if (limiter != null) {
                ask(
                        limiter,
                        0,
                        decision -> used[0] = decision.degraded()
                                ? -1
                                : LIMIT - decision.verdict(0).remaining());
            }
            timeline.runUntil(timeline.now() + 1_000 * MILLI);
            return used[0];
        }
    }

    /** Waits for a decision. */
    private record Caller(Consumer<MutableDecision> then) implements Waiter {
        @Override
        public Executor home() {
            return Runnable::run;
        }

        @Override
        public void decided(Request request, MutableDecision decision) {
            then.accept(decision);
        }
    }

    /** The real limiter on a node. */
    private record PermitNode(Limiter limiter) implements NodeLimiter {
        @Override
        public boolean decide(Request request, long nowMicros, MutableDecision into, WaiterSupplier later) {
            return limiter.decide(request, nowMicros, into, later);
        }

        @Override
        public void tick() {
            limiter.tick();
        }

        @Override
        public void stop() {}
    }

    /** Nobody looks at what the store takes. */
    private static final class Unwatched implements HitObserver {
        @Override
        public void storeShows(long micros) {}

        @Override
        public void took(int node, Check check, long hits, Outcome outcome, boolean ahead) {}

        @Override
        public void forgot(long moment) {}
    }
}
