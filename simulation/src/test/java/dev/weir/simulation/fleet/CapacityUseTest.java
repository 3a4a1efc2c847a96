package dev.weir.simulation.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Cause;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.LoadShedder.Priority;
import dev.weir.Request;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.weir.PriorityRule;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.store.HitObserver;
import dev.weir.simulation.store.LinkSettings;
import dev.weir.simulation.store.SimulatedStore;
import dev.weir.simulation.store.StoreLinks;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How much of the capacity of a service a fleet uses in overload, on virtual time and without faults: four calm seconds,
 * then 26 of overload, 4 % of it critical.
 */
class CapacityUseTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final int CAPACITY = 2_000;
    private static final int OVERLOAD = 4;
    /** From here on the share that is shed has settled. */
    private static final int SETTLED = 8;

    private static final int END = 30;
    /** What the compiler of rules sets for a capacity of a second. */
    private static final long REPORT_MICROS = 40_000;

    /**
     * @param use the least part of the capacity that passes once it has settled
     * @param most the most that passes in one second, of the capacity
     */
    @ParameterizedTest
    @CsvSource({
        "EXACT, 4, 2, 0.85, 1.0", "EXACT, 20, 5, 0.85, 1.0",
        "LEASED, 4, 2, 0.85, 1.0", "LEASED, 20, 5, 0.85, 1.0",
        "REPORTED, 4, 2, 0.8, 1.1", "REPORTED, 4, 5, 0.85, 1.3",
        "REPORTED, 20, 2, 0.8, 1.1", "REPORTED, 20, 5, 0.85, 1.4"
    })
    void aServiceIsUsedWhileItSheds(Consistency consistency, int nodes, int overload, double use, double most) {
        Run run = new Run(consistency, nodes, overload);
        run.play();
        long settled = Arrays.stream(run.passed, SETTLED, END).sum();
        assertThat((double) settled / (END - SETTLED) / CAPACITY).as("use").isGreaterThan(use);
        assertThat((double) Arrays.stream(run.passed).max().orElse(0) / CAPACITY)
                .as("most in a second")
                .isLessThan(most);
        assertThat(run.criticalDenied).isZero();
    }

    private static final class Run implements HitObserver {
        private final SplittableRandom random = new SplittableRandom(1);
        private final Timeline timeline = new Timeline();
        private final MachineClock clock = new MachineClock(timeline, 0, 0, 0);
        private final Limiter[] nodes;
        private final int overload;
        final long[] passed = new long[END];
        long criticalDenied;

        Run(Consistency consistency, int size, int overload) {
            this.overload = overload;
            SimulatedStore store = new SimulatedStore(0, timeline, clock, this);
            nodes = new Limiter[size];
            for (int i = 0; i < size; i++) {
                StoreLinks links = new StoreLinks(
                        timeline, new SimulatedNode(i, timeline), clock, List.of(store), LinkSettings.good(), random);
                nodes[i] = new Limiter(
                        rules(consistency),
                        new MemoryStore(64),
                        SharedStores.of(links),
                        clock,
                        LimiterSettings.defaults(),
                        new LimiterObserver() {});
            }
        }

        private static WrittenRules rules(Consistency consistency) {
            Rule rule = Rule.builder("api", "service:payments")
                    .name("service:payments")
                    .limit(Limit.slidingWindow(CAPACITY, Duration.ofSeconds(1)))
                    .reserve(200)
                    .denyAs(Cause.CAPACITY)
                    .consistency(consistency)
                    .reportIntervalMicros(REPORT_MICROS)
                    .build();
            List<PriorityRule> all = Arrays.stream(Priority.values())
                    .map(each -> new PriorityRule(List.of(Condition.of("class", each.name())), each, false))
                    .toList();
            return WrittenRules.builder()
                    .weir("api", List.of(new WeirRule(rule, List.of(), KeyBy.global())))
                    .priorities("api", all)
                    .build();
        }

        void play() {
            timeline.after(0, this::arrive);
            timeline.after(0, this::tick);
            timeline.runUntil((END + 1) * SECOND);
        }

        private void tick() {
            for (Limiter each : nodes) {
                each.tick();
            }
            timeline.after(Limiter.TICK_MILLIS * MILLI, this::tick);
        }

        private void arrive() {
            int second = (int) (timeline.now() / SECOND);
            if (second >= END) {
                return;
            }
            double rate = (double) CAPACITY * (second < OVERLOAD ? 0.5 : overload);
            timeline.after((long) (-Math.log(1 - random.nextDouble()) * SECOND / rate), this::arrive);
            double at = random.nextDouble();
            Priority priority = at < 0.1
                    ? Priority.TEST
                    : at < 0.7 ? Priority.READ : at < 0.96 ? Priority.WRITE : Priority.CRITICAL;
            Request request =
                    Request.to("api").with("class", priority.name()).with("user_id", "u" + random.nextInt(1_000));
            MutableDecision into = new MutableDecision();
            Waiter later = new Waiter() {
                @Override
                public Executor home() {
                    return Runnable::run;
                }

                @Override
                public void decided(Request ignored, MutableDecision decision) {
                    Run.this.decided(second, priority, decision);
                }
            };
            if (nodes[random.nextInt(nodes.length)].decide(request, clock.micros(), into, () -> later)) {
                decided(second, priority, into);
            }
        }

        private void decided(int second, Priority priority, MutableDecision decision) {
            passed[second] += decision.allowed() ? 1 : 0;
            criticalDenied += priority == Priority.CRITICAL && !decision.allowed() ? 1 : 0;
        }

        @Override
        public void storeShows(long micros) {}

        @Override
        public void took(int node, Check check, long hits, Outcome outcome, boolean ahead) {}

        @Override
        public void forgot(long moment) {}
    }
}
