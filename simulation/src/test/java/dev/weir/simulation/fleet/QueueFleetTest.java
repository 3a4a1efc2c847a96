package dev.weir.simulation.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.QueueBounds;
import dev.weir.internal.model.Rule;
import dev.weir.internal.queue.RequestQueues;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.SharedStore;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.store.StoreLinks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/**
 * Queues of a fleet with faults, on virtual time. The requests of three nodes wait for one limit, some callers leave, nodes
 * are killed and paused, connections break and lose messages, the store stalls. {@code -Dweir.queue.seeds} is how many runs.
 */
class QueueFleetTest {
    private static final int SEEDS = Integer.getInteger("weir.queue.seeds", 20);
    private static final int NODES = 3;
    private static final long MILLI = FaultyFleet.MILLI;
    private static final long RATE = 100;
    private static final long BURST = 5;
    private static final long MAX_WAIT = 400 * MILLI;
    private static final long DEADLINE = LimiterSettings.defaults().deadlineMicros() * 1_000;
    private static final long FAULTS_END = 10_000 * MILLI;
    private static final long LONGEST_FAULT = 1_000 * MILLI;
    private static final long CALM = FAULTS_END + 2 * LONGEST_FAULT;
    private static final long TRAFFIC = CALM + 5_000 * MILLI;

    @Test
    void togetherTheyAdmitNoMoreThanTheLimitAndAnswerEveryRequestOnceAndInTime() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            new Run(seed, FaultyFleet.AS_IT_IS).play();
        }
    }

    @Test
    void waitersThatPassWithoutRoomAreFound() {
        assertThatThrownBy(() -> {
                    for (long seed = 1; seed <= SEEDS; seed++) {
                        new Run(seed, QueueFleetTest::askLeniently).play();
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("admitted");
    }

    /** Lets every request pass, and charges what there is no room for as a debt. */
    private static void askLeniently(SharedStore store, Ask ask) {
        for (int i = 0; i < ask.checks.size(); i++) {
            ask.checks.get(i).owed = true;
        }
        store.decide(ask);
    }

    /** One run of the fleet. */
    private static final class Run extends FaultyFleet {
        private final long seed;
        private final WrittenRules rules;
        private int admitted;
        private int admittedBeforeCalm;
        private int denied;
        private int waited;

        Run(long seed, BiConsumer<SharedStore, Ask> asking) {
            super(seed, new Faults(800 * MILLI, LONGEST_FAULT, 1_000 * MILLI, 200 * MILLI, false), asking);
            this.seed = seed;
            Rule rule = Rule.builder("api", "exports")
                    .name("exports")
                    .limit(Limit.tokenBucket(RATE, Duration.ofSeconds(1)).withBurst(BURST))
                    .queue(new QueueBounds(MAX_WAIT / 1_000, 64))
                    .build();
            this.rules = WrittenRules.builder()
                    .weir("api", List.of(new WeirRule(rule, List.of(), KeyBy.global())))
                    .build();
            addServer(random.nextLong(-5_000_000, 5_000_000), new Unwatched());
            startNodes(NODES);
        }

        @Override
        SimulatedNode.Life process(SimulatedNode node) {
            MachineClock clock = clock(random.nextLong(-2_000_000, 2_000_000));
            StoreLinks links = new StoreLinks(timeline, node, clock, servers, link(), random);
            Limiter limiter = limiter(clock, rules, Map.of("default", links));
            QueueNode[] life = new QueueNode[1];
            RequestQueues queues = new RequestQueues(
                    limiter,
                    clock,
                    new LimiterObserver() {},
                    (task, micros) -> schedule(node, life, task, 1_000 * Math.max(0, micros)));
            life[0] = new QueueNode(limiter, queues);
            return new SimulatedNode.Life(clock, List.of(links), life[0]);
        }

        /** Runs {@code task} later, if the process still lives then, and not while its machine is paused. */
        private Runnable schedule(SimulatedNode node, QueueNode[] life, Runnable task, long nanos) {
            boolean[] cancelled = {false};
            timeline.after(nanos, () -> {
                SimulatedNode.Life current = node.life();
                if (cancelled[0] || current == null || current.peer() != life[0]) {
                    return;
                }
                long pause = node.pausedUntil() - timeline.now();
                if (pause > 0) {
                    timeline.after(pause, () -> {
                        if (!cancelled[0]) {
                            task.run();
                        }
                    });
                } else {
                    task.run();
                }
            });
            return () -> cancelled[0] = true;
        }

        void play() {
            timeline.after(0, this::arrive);
            timeline.after(0, this::tick);
            strike(500 * MILLI, FAULTS_END);
            timeline.at(CALM, () -> admittedBeforeCalm = admitted);
            timeline.runUntil(TRAFFIC);
            long seconds = TRAFFIC / (1_000 * MILLI);
            assertThat(admitted).as("seed %d: admitted", seed).isLessThanOrEqualTo((int) (BURST + RATE * seconds));
            assertThat(admitted - admittedBeforeCalm)
                    .as("seed %d: the limit is used in calm times, though messages are lost", seed)
                    .isGreaterThan((int) (0.9 * RATE * (TRAFFIC - CALM) / (1_000 * MILLI)));
            assertThat(waited).as("seed %d: requests that waited", seed).isGreaterThan(500);
            assertThat(denied).as("seed %d", seed).isGreaterThan(100);
            timeline.runUntil(TRAFFIC + 2 * MAX_WAIT + LONGEST_FAULT);
            for (SimulatedNode node : nodes) {
                SimulatedNode.Life life = node.life();
                assertThat(life == null ? 0 : ((QueueNode) life.peer()).queues.waiting())
                        .as("seed %d: nobody is left behind", seed)
                        .isZero();
            }
        }

        /** A request arrives at some node, if that runs; together they want twice the limit. */
        private void arrive() {
            if (timeline.now() >= TRAFFIC) {
                return;
            }
            timeline.after(1 + random.nextLong(1_000 * MILLI / RATE), this::arrive);
            SimulatedNode node = anyNode();
            if (node != null) {
                new Call(node, Objects.requireNonNull(node.life())).start();
            }
        }

        /** One request and the wait of its caller. */
        private final class Call implements Waiter {
            private final SimulatedNode node;
            private final SimulatedNode.Life life;
            private final long start = timeline.now();
            private final long pausedUntil;
            private boolean waits;
            private boolean left;
            private int answers;

            Call(SimulatedNode node, SimulatedNode.Life life) {
                this.node = node;
                this.life = life;
                this.pausedUntil = node.pausedUntil();
            }

            void start() {
                MutableDecision into = new MutableDecision();
                Request request = Request.to("api").with("user_id", "u" + random.nextInt(10));
                long micros = life.clock().micros();
                if (((QueueNode) life.peer()).queues.decide(request, micros, into, () -> this, null)) {
                    decided(request, into);
                }
                timeline.after(MAX_WAIT + 2 * DEADLINE + 2 * MILLI, this::isAnswered);
            }

            /** Whether its process ran all the time. */
            private boolean hasRun() {
                return life.equals(node.life()) && node.pausedUntil() == pausedUntil;
            }

            private void isAnswered() {
                if (!left && hasRun()) {
                    assertThat(answers)
                            .as("seed %d at %d ms: answers, %s", seed, start / MILLI, waits ? "waited" : "did not wait")
                            .isEqualTo(1);
                }
            }

            @Override
            public Executor home() {
                return Runnable::run;
            }

            @Override
            public void waits(Runnable cancel) {
                waited++;
                waits = true;
                if (random.nextInt(8) == 0) {
                    timeline.after(random.nextLong(MAX_WAIT), () -> {
                        left |= answers == 0;
                        cancel.run();
                    });
                }
            }

            @Override
            public void decided(Request request, MutableDecision decision) {
                answers++;
                assertThat(answers)
                        .as("seed %d at %d ms: answers", seed, start / MILLI)
                        .isEqualTo(1);
                if (!decision.allowed()) {
                    denied++;
                } else if (!decision.degraded() && !left) {
                    admitted++;
                }
            }
        }
    }

    /** The real limiter and queues on a node. */
    private record QueueNode(Limiter limiter, RequestQueues queues) implements NodeLimiter {
        @Override
        public boolean decide(Request request, long nowMicros, MutableDecision into, WaiterSupplier later) {
            return queues.decide(request, nowMicros, into, later, null);
        }

        @Override
        public void tick() {
            limiter.tick();
        }

        @Override
        public void stop() {}
    }
}
