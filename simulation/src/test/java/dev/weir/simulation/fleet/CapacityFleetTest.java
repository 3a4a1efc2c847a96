package dev.weir.simulation.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Cause;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.LoadShedder.Priority;
import dev.weir.Request;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.weir.PriorityRule;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import dev.weir.simulation.store.HitObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * The capacity of a service in a fleet with faults, on virtual time: three times the capacity for ten seconds, a tenth of
 * it critical, then calm. Nodes are killed, paused and suspended, connections break and lose messages, the store stalls.
 * {@code -Dweir.capacity.seeds} is how many runs.
 */
class CapacityFleetTest {
    private static final int SEEDS = Integer.getInteger("weir.capacity.seeds", 30);
    private static final int MOST_UNTIL_CAUGHT = 12;
    private static final int NODES = 4;
    private static final long CAPACITY = 400;
    /** The share that is always kept free: 2 %, rounded up to a step of 2.5 %. */
    private static final long ROOM = CAPACITY * 975 / 1_000;

    private static final long MILLI = FaultyFleet.MILLI;
    private static final long OVERLOAD_END = 10_000 * MILLI;
    private static final long FAULTS_END = 9_000 * MILLI;
    /** Five calm seconds, four until all are restored, and one more. */
    private static final long RESTORED = OVERLOAD_END + 11_000 * MILLI;

    private static final long END = RESTORED + 2_000 * MILLI;
    private static final Consistency[] CONSISTENCIES = {Consistency.EXACT, Consistency.LEASED, Consistency.REPORTED};

    @Test
    void theReserveStaysFreeCriticalRequestsPassAndAllComesBack() {
        long shed = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            Run run = new Run(seed, FaultyFleet.AS_IT_IS);
            assertThat(run.play()).as("seed %d, %s", seed, run.consistency).isEmpty();
            shed += run.shed;
        }
        assertThat(shed).as("else nothing was tried").isGreaterThan(500L * SEEDS);
    }

    @Test
    void aNodeThatForgetsTheReserveIsCaught() {
        Meter whole = Meters.of(Limit.slidingWindow(CAPACITY, Duration.ofSeconds(1)));
        assertThat(caught((store, ask) -> {
                    for (int i = 0; i < ask.checks.size(); i++) {
                        ask.checks.get(i).meter = whole;
                    }
                    store.decide(ask);
                }))
                .isPositive();
    }

    @Test
    void aNodeThatDoesNotCountCriticalRequestsIsCaught() {
        assertThat(caught((store, ask) -> {
                    for (int i = 0; i < ask.checks.size(); i++) {
                        Check check = ask.checks.get(i);
                        check.hits = check.owed ? 0 : check.hits;
                        check.owed = false;
                    }
                    store.decide(ask);
                }))
                .isPositive();
    }

    /** The first seed that shows a mistake in how the store is asked; 0 if none does. */
    private static long caught(BiConsumer<SharedStore, Ask> mistake) {
        for (long seed = 1; seed <= MOST_UNTIL_CAUGHT; seed++) {
            if (!new Run(seed, mistake).play().isEmpty()) {
                return seed;
            }
        }
        return 0;
    }

    /** One run of the fleet. */
    private static final class Run extends FaultyFleet implements HitObserver {
        private final List<String> violations = new ArrayList<>();
        /** Hits by the second of the store's clock in which they were taken: of others, and of all. */
        private final Map<Long, Long> others = new HashMap<>();

        private final Map<Long, Long> all = new HashMap<>();
        private long second;
        private long criticalCharged;
        private long criticalPassed;
        final Consistency consistency;
        private final WrittenRules rules;
        long shed;

        Run(long seed, BiConsumer<SharedStore, Ask> asking) {
            super(seed, new Faults(1_500 * MILLI, 800 * MILLI, 800 * MILLI, 200 * MILLI, true), asking);
            this.consistency = CONSISTENCIES[(int) (seed % 3)];
            this.rules = rules();
            addServer(random.nextLong(-5_000_000, 5_000_000), this);
            startNodes(NODES);
        }

        private WrittenRules rules() {
            Rule rule = Rule.builder("api", "service:p")
                    .name("service:p")
                    .limit(Limit.slidingWindow(CAPACITY, Duration.ofSeconds(1)))
                    .reserve(200)
                    .denyAs(Cause.CAPACITY)
                    .consistency(consistency)
                    .build();
            return WrittenRules.builder()
                    .weir("api", List.of(new WeirRule(rule, List.of(), KeyBy.global())))
                    .priorities(
                            "api",
                            List.of(new PriorityRule(List.of(Condition.of("class", "gold")), Priority.CRITICAL, false)))
                    .build();
        }

        @Override
        SimulatedNode.Life process(SimulatedNode node) {
            return process(node, clock(random.nextLong(-200_000, 200_000)), rules);
        }

        /** Plays the run, and returns what went wrong. */
        List<String> play() {
            timeline.after(0, this::arrive);
            timeline.after(0, this::tick);
            strike(500 * MILLI, FAULTS_END);
            timeline.runUntil(END);
            if (consistency == Consistency.EXACT && criticalCharged < criticalPassed) {
                violations.add(criticalPassed + " critical requests passed, " + criticalCharged + " were counted");
            }
            return violations;
        }

        private void arrive() {
            double rate = CAPACITY * (timeline.now() < OVERLOAD_END ? 3 : 0.4);
            timeline.after((long) (-Math.log(1 - random.nextDouble()) * 1_000 * MILLI / rate), this::arrive);
            SimulatedNode.Life life = someLife();
            if (life == null) {
                return;
            }
            boolean critical = random.nextInt(10) == 0;
            Request request = Request.to("api")
                    .with("class", critical ? "gold" : "silver")
                    .with("method", random.nextBoolean() ? "GET" : "POST")
                    .with("user_id", "u" + random.nextInt(200));
            MutableDecision into = new MutableDecision();
            Consumer<MutableDecision> then = decision -> decided(critical, decision);
            if (life.peer().decide(request, life.clock().micros(), into, () -> new Caller(then))) {
                then.accept(into);
            }
        }

        private void decided(boolean critical, MutableDecision decision) {
            if (critical && !decision.allowed()) {
                violations.add("a critical request was denied at " + timeline.now() / MILLI + " ms");
            }
            if (critical && !decision.degraded()) {
                criticalPassed++;
            }
            shed += decision.allowed() ? 0 : 1;
            if (!decision.allowed() && timeline.now() >= RESTORED) {
                violations.add("a request was still denied at " + timeline.now() / MILLI + " ms");
            }
        }

        @Override
        public void storeShows(long micros) {
            second = micros / 1_000_000;
        }

        @Override
        public void took(int node, Check check, long hits, Outcome outcome, boolean ahead) {
            long total = all.merge(second, hits, Long::sum);
            if (check.owed && !ahead) {
                criticalCharged += hits;
                return;
            }
            long own = others.merge(second, hits, Long::sum);
            if (hits > 0 && (total > ROOM || own > ROOM)) {
                violations.add("others took the reserve at " + timeline.now() / MILLI + " ms: " + own + " of " + total);
            }
        }

        @Override
        public void forgot(long moment) {}
    }
}
