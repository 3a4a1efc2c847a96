package dev.weir.simulation.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.internal.algorithm.PermitLevels;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.model.HeldPermit;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.TakenPermits;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Permits in a fleet with faults, on virtual time. Callers take a permit at one node, hold it, perhaps renew it, and
 * release it at another. Nodes are killed and paused for longer than a permit lasts, connections break and lose messages,
 * the store stalls. {@code -Dweir.permit.seeds} is how many runs.
 */
class PermitFleetTest {
    private static final int SEEDS = Integer.getInteger("weir.permit.seeds", 30);
    private static final int NODES = 4;
    private static final int LIMIT = 10;
    private static final long MILLI = FaultyFleet.MILLI;
    private static final long TTL = 2_000 * MILLI;
    private static final long TRAFFIC = 22_000 * MILLI;
    private static final long FAULTS_END = 12_000 * MILLI;
    private static final long LONGEST_FAULT = 2 * TTL;

    @ParameterizedTest
    @EnumSource(names = {"EXACT", "LEASED"})
    void neverMoreThanTheLimitAreInFlightAndEveryPermitComesBack(Consistency consistency) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            new Run(seed, consistency, FaultyFleet.AS_IT_IS).play();
        }
    }

    @Test
    void reportsThatForgetWhatIsInFlightAreFound() {
        assertThatThrownBy(() -> {
                    for (long seed = 1; seed <= SEEDS; seed++) {
                        new Run(seed, Consistency.LEASED, PermitFleetTest::askForgetfully).play();
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("ms]");
    }

    /** Makes every report tell that nothing is in flight. */
    private static void askForgetfully(SharedStore store, Ask ask) {
        for (int i = 0; i < ask.checks.size(); i++) {
            Check check = ask.checks.get(i);
            long[] told = check.meter instanceof PermitLevels levels ? levels.numbers() : new long[0];
            boolean isReport = told.length > 0 && told[2] == 1 && told[8] == 0;
            if (isReport && check.meter instanceof PermitLevels levels) {
                check.meter = levels.telling(told[3], told[4], 0, 0, 0, 0, told[9]);
            }
        }
        store.decide(ask);
    }

    /** One run of the fleet. */
    private static final class Run extends FaultyFleet {
        private final long seed;
        private final WrittenRules rules;
        private int inFlight;
        private int mostAtTheEnd;
        private int passed;
        private int denied;

        Run(long seed, Consistency consistency, BiConsumer<SharedStore, Ask> asking) {
            super(seed, new Faults(800 * MILLI, LONGEST_FAULT, 1_000 * MILLI, 200 * MILLI, false), asking);
            this.seed = seed;
            this.rules = (WrittenRules) RuleSet.builder("api")
                    .rule("calls", Limit.concurrency(LIMIT, Duration.ofNanos(TTL)))
                    .consistency(consistency)
                    .build();
            addServer(random.nextLong(-5_000_000, 5_000_000), new Unwatched());
            startNodes(NODES);
        }

        @Override
        SimulatedNode.Life process(SimulatedNode node) {
            return process(node, clock(random.nextLong(-2_000_000, 2_000_000)), rules);
        }

        void play() {
            timeline.after(0, this::arrive);
            timeline.after(0, this::tick);
            strike(500 * MILLI, FAULTS_END);
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
                boolean calm = timeline.now() > FAULTS_END + LONGEST_FAULT + TTL;
                mostAtTheEnd = calm ? Math.max(mostAtTheEnd, inFlight) : 0;
                // Permits that are released at another node are on their way for a while, so calls last longer then.
                hold(taken.held(), calm ? TTL / 2 : random.nextLong(TTL / 8));
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
}
