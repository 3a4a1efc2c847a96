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
import dev.weir.internal.shedding.AdmissionGate;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.store.HitObserver;
import dev.weir.simulation.store.LinkSettings;
import dev.weir.simulation.store.SimulatedStore;
import dev.weir.simulation.store.StoreLinks;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A service on 20 nodes at many times its capacity, on virtual time, with both shedders: that of the workers on each
 * node, and that of the fleet by the capacity of the service. In the middle of the overload half of the workers are lost;
 * two seconds later the capacity is lowered to what is left.
 */
class FleetOverloadTest {
    private static final int NODES = 20;
    private static final int WORKERS = 8;
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final double MEAN_NANOS = 10 * MILLI;
    private static final long DEADLINE = 250 * MILLI;
    private static final long CAPACITY = (long) (NODES * WORKERS * SECOND / MEAN_NANOS);
    private static final long OVERLOAD = 4 * SECOND;
    private static final long DROP = 9 * SECOND;
    private static final long DROP_KNOWN = DROP + 2 * SECOND;
    private static final long END = 14 * SECOND;

    /** The shares of test, read, write and critical in the traffic, and in the limit of the worker shedder. */
    private static final double[] MIX = {0.10, 0.60, 0.26, 0.04};

    private static final double[] SHARES = {0.6, 0.8, 0.9, 4.0};
    private static final List<Priority> PRIORITIES =
            List.of(Priority.TEST, Priority.READ, Priority.WRITE, Priority.CRITICAL);
    private static final int CRITICAL = 3;

    @ParameterizedTest
    @ValueSource(ints = {2, 5, 10})
    void bothSheddersTogetherKeepCriticalCallsThroughADrop(int overload) {
        Run run = new Run(overload, true, true);
        run.play();
        assertThat(run.critical()).as("%s", run).isGreaterThanOrEqualTo(0.99);
        assertThat(run.goodput()).as("%s", run).isGreaterThanOrEqualTo(0.9);
    }

    @Test
    void soDoesTheWorkerShedderAloneWhereWorkersAreAllThatIsScarce() {
        Run run = new Run(5, false, true);
        run.play();
        assertThat(run.critical()).as("%s", run).isGreaterThanOrEqualTo(0.99);
    }

    @Test
    void theFleetShedderAloneLosesCriticalCallsUntilTheDropIsKnown() {
        Run run = new Run(2, true, false);
        run.play();
        assertThat(run.critical()).as("%s", run).isLessThan(0.99);
    }

    /** One run of the fleet. */
    private static final class Run implements HitObserver {
        private final SplittableRandom random = new SplittableRandom(1);
        private final Random normal = new Random(1);
        private final Timeline timeline = new Timeline();
        private final int overload;
        private final Backend[] backends = new Backend[NODES];
        private int calls;
        private int inTime;
        private int criticalCalls;
        private int criticalInTime;

        Run(int overload, boolean fleet, boolean workers) {
            this.overload = overload;
            SimulatedStore store = new SimulatedStore(0, timeline, new MachineClock(timeline, 0, 0, 0), this);
            for (int i = 0; i < NODES; i++) {
                SimulatedNode node = new SimulatedNode(i, timeline);
                MachineClock clock = new MachineClock(timeline, 0, 0, 0);
                StoreLinks links = new StoreLinks(timeline, node, clock, List.of(store), LinkSettings.good(), random);
                Limiter limiter = new Limiter(
                        rules(CAPACITY),
                        new MemoryStore(64),
                        SharedStores.of(links),
                        clock,
                        LimiterSettings.defaults(),
                        new LimiterObserver() {});
                backends[i] = new Backend(clock, fleet ? limiter : null, workers ? new AdmissionGate(0, 0) : null);
            }
        }

        private static WrittenRules rules(long capacity) {
            Rule rule = Rule.builder("api", "service:payments")
                    .name("service:payments")
                    .limit(Limit.slidingWindow(capacity, Duration.ofSeconds(1)))
                    .reserve(200)
                    .denyAs(Cause.CAPACITY)
                    .consistency(Consistency.LEASED)
                    .build();
            List<PriorityRule> all = PRIORITIES.stream()
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
            timeline.at(DROP_KNOWN, () -> {
                for (Backend each : backends) {
                    if (each.limiter != null) {
                        each.limiter.rules(rules(CAPACITY / 2));
                    }
                }
            });
            timeline.runUntil(END + SECOND);
        }

        private void tick() {
            for (Backend each : backends) {
                if (each.limiter != null) {
                    each.limiter.tick();
                }
            }
            timeline.after(Limiter.TICK_MILLIS * MILLI, this::tick);
        }

        private void arrive() {
            long now = timeline.now();
            if (now >= END) {
                return;
            }
            double rate = (double) CAPACITY * (now < OVERLOAD ? 0.5 : overload);
            timeline.after((long) (-Math.log(1 - random.nextDouble()) * SECOND / rate), this::arrive);
            int priority = priority();
            boolean counts = now >= OVERLOAD;
            calls += counts ? 1 : 0;
            criticalCalls += counts && priority == CRITICAL ? 1 : 0;
            backends[random.nextInt(NODES)].arrive(new Call(now, priority));
        }

        private int priority() {
            double at = random.nextDouble();
            for (int i = 0; i < CRITICAL; i++) {
                at -= MIX[i];
                if (at < 0) {
                    return i;
                }
            }
            return CRITICAL;
        }

        double goodput() {
            double possible = (double) CAPACITY * ((DROP - OVERLOAD) + 0.5 * (END - DROP)) / SECOND;
            return inTime / possible;
        }

        double critical() {
            return (double) criticalInTime / criticalCalls;
        }

        @Override
        public String toString() {
            return overload + " times the capacity: goodput " + goodput() + ", critical " + critical() + ", calls "
                    + calls;
        }

        @Override
        public void storeShows(long micros) {}

        @Override
        public void took(int node, Check check, long hits, Outcome outcome, boolean ahead) {}

        @Override
        public void forgot(long moment) {}

        private record Call(long arrival, int priority) {}

        /** One node: its limiter, its shedder and its workers. */
        private final class Backend {
            private final MachineClock clock;
            final @Nullable Limiter limiter;
            private final @Nullable AdmissionGate gate;
            private final Deque<Call> queue = new ArrayDeque<>();
            private int busy;

            Backend(MachineClock clock, @Nullable Limiter limiter, @Nullable AdmissionGate gate) {
                this.clock = clock;
                this.limiter = limiter;
                this.gate = gate;
            }

            void arrive(Call call) {
                if (gate != null && !gate.tryEnter(SHARES[call.priority], call.arrival)) {
                    return;
                }
                if (limiter == null) {
                    enqueue(call);
                    return;
                }
                Request request = Request.to("api")
                        .with("class", PRIORITIES.get(call.priority).name())
                        .with("user_id", "u" + random.nextInt(1_000));
                MutableDecision into = new MutableDecision();
                if (limiter.decide(request, clock.micros(), into, () -> waiter(call))) {
                    decided(call, into);
                }
            }

            private Waiter waiter(Call call) {
                return new Waiter() {
                    @Override
                    public Executor home() {
                        return Runnable::run;
                    }

                    @Override
                    public void decided(Request request, MutableDecision decision) {
                        Backend.this.decided(call, decision);
                    }
                };
            }

            private void decided(Call call, MutableDecision decision) {
                if (decision.allowed()) {
                    enqueue(call);
                } else if (gate != null) {
                    gate.cancel();
                }
            }

            private void enqueue(Call call) {
                queue.add(call);
                start();
            }

            private void start() {
                long now = timeline.now();
                int workers = now >= DROP ? WORKERS / 2 : WORKERS;
                while (busy < workers && !queue.isEmpty()) {
                    Call call = queue.remove();
                    busy++;
                    // The mean of a lognormal distribution is exp(μ + σ²/2).
                    timeline.after((long) (MEAN_NANOS * Math.exp(normal.nextGaussian() - 0.5)), () -> end(call));
                }
            }

            private void end(Call call) {
                busy--;
                long now = timeline.now();
                boolean late = now - call.arrival > DEADLINE;
                if (gate != null) {
                    gate.leave(call.arrival, now, late);
                }
                if (!late && call.arrival >= OVERLOAD) {
                    inTime++;
                    criticalInTime += call.priority == CRITICAL ? 1 : 0;
                }
                start();
            }
        }
    }
}
