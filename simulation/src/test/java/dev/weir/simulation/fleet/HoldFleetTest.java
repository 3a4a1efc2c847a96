package dev.weir.simulation.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Consistency;
import dev.weir.Hold.Settlement;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.limiter.Holds;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.RuleCounter;
import dev.weir.internal.model.HeldHits;
import dev.weir.internal.model.HeldRequest;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.store.HitObserver;
import dev.weir.simulation.store.Latency;
import dev.weir.simulation.store.LinkSettings;
import dev.weir.simulation.store.StoreLinks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Holds in a fleet with faults, on virtual time. Callers reserve at one node and settle at another, again and again until
 * they are answered. The limits live in two stores and several hash slots. Nodes are killed, paused and suspended between
 * a reserve and its settlement, connections break and lose answers, stores stall. {@code -Dweir.hold.seeds} is how many
 * runs.
 */
class HoldFleetTest {
    private static final int SEEDS = Integer.getInteger("weir.hold.seeds", 60);
    private static final int MOST_UNTIL_CAUGHT = 50;
    private static final int NODES = 3;
    private static final long MILLI = FaultyFleet.MILLI;
    private static final long TRAFFIC = 12_000 * MILLI;
    private static final long FAULTS_END = 10_000 * MILLI;
    /** When every caller has been answered, or has given up. */
    private static final long END = 40_000 * MILLI;

    private static final long LONGEST_FAULT = 2_500 * MILLI;
    private static final Duration LONG_TTL = Duration.ofSeconds(60);
    private static final Duration SHORT_TTL = Duration.ofSeconds(2);
    private static final long FIRST_ESTIMATE = 10_000;
    private static final long HALF_A_WINDOW_MICROS = 12 * 3_600_000_000L;
    private static final String[] KEYS = {"user", "team", "plan"};

    @Test
    void everyHoldIsChargedOnceAndReservesNeverExceedALimit() {
        long settled = 0;
        long repeated = 0;
        long expired = 0;
        long denied = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            Run run = new Run(seed, FaultyFleet.AS_IT_IS);
            assertThat(run.play()).as("seed %d", seed).isEmpty();
            settled += run.settled;
            repeated += run.repeated;
            expired += run.expired;
            denied += run.denied;
        }
        // Else nothing was tried.
        assertThat(settled).isGreaterThan(200L * SEEDS);
        assertThat(repeated).isGreaterThan(SEEDS);
        assertThat(expired).isGreaterThan(SEEDS);
        assertThat(denied).isGreaterThan(10L * SEEDS);
    }

    @Test
    void aSettlementThatNoPlaceRemembersIsCaught() {
        assertThat(caught((store, ask) -> {
                    ask.idempotency = null;
                    store.decide(ask);
                }))
                .isPositive();
    }

    @Test
    void aSettlementThatGivesNothingBackIsCaught() {
        assertThat(caught((store, ask) -> {
                    for (int i = 0; ask.idempotency != null && i < ask.checks.size(); i++) {
                        Check check = ask.checks.get(i);
                        check.hits = Math.max(0, check.hits);
                    }
                    store.decide(ask);
                }))
                .isPositive();
    }

    @Test
    void aReserveThatIsGrantedWithoutRoomIsCaught() {
        assertThat(caught((store, ask) -> {
                    for (int i = 0; ask.idempotency == null && i < ask.checks.size(); i++) {
                        ask.checks.get(i).owed = ask.checks.get(i).hits > 0;
                    }
                    store.decide(ask);
                }))
                .isPositive();
    }

    /** The first seed that shows a mistake in how stores are asked; 0 if none does. */
    private static long caught(BiConsumer<SharedStore, Ask> mistake) {
        for (long seed = 1; seed <= MOST_UNTIL_CAUGHT; seed++) {
            if (!new Run(seed, mistake).play().isEmpty()) {
                return seed;
            }
        }
        return 0;
    }

    /** One call, and what each limit may have been charged for it. */
    private static final class Call {
        final long estimate;
        final long cost;
        final long[] least = new long[KEYS.length];
        final long[] most = new long[KEYS.length];
        /** Whether the node that reserved heard what each limit took. */
        final boolean[] known = new boolean[KEYS.length];
        /** Whether each limit took the estimate, as the store knows. */
        final boolean[] took = new boolean[KEYS.length];

        @Nullable
        HeldRequest hold;

        boolean ended;

        Call(long estimate, long cost) {
            this.estimate = estimate;
            this.cost = cost;
            Arrays.fill(most, estimate);
        }
    }

    /** One run of the fleet. */
    private static final class Run extends FaultyFleet {
        private final long seed;
        private final List<Call> calls = new ArrayList<>();
        private final Map<Long, Long> taken = new HashMap<>();
        /** The position of each limit, by its counter. */
        private final Map<Long, Integer> positions = new HashMap<>();

        private final List<String> violations = new ArrayList<>();
        private final boolean exact;
        private final long limit;
        private final WrittenRules rules;
        long settled;
        long repeated;
        long expired;
        long denied;

        Run(long seed, BiConsumer<SharedStore, Ask> asking) {
            super(seed, new Faults(500 * MILLI, LONGEST_FAULT, LONGEST_FAULT / 3, LONGEST_FAULT / 10, true), asking);
            this.seed = seed;
            // Either nobody is denied, and every hit is accounted for; or what is held may not exceed the limit.
            this.exact = seed % 2 == 0;
            this.limit = exact ? 1_000_000_000 : 3_000;
            this.rules = rules();
            for (int i = 0; i < 3; i++) {
                addServer(skew(), new Ledger());
            }
            startNodes(NODES);
        }

        /** Half a second at most, in the middle of a window: every limit remembers all hits of a run. */
        private long skew() {
            return HALF_A_WINDOW_MICROS + random.nextLong(-500_000, 500_000);
        }

        private WrittenRules rules() {
            Consistency[] consistencies = {Consistency.EXACT, Consistency.LEASED, Consistency.REPORTED};
            RuleSet.Builder builder = RuleSet.builder("llm");
            for (int i = 0; i < KEYS.length; i++) {
                builder.rule(KEYS[i], Limit.fixedWindow(limit, Duration.ofDays(1)))
                        .counts("tokens")
                        .keyBy(KEYS[i])
                        .consistency(consistencies[random.nextInt(3)])
                        .onFail(random.nextBoolean() ? OnFail.ALLOW : OnFail.LOCAL);
            }
            return (WrittenRules) builder.store("other").build();
        }

        @Override
        SimulatedNode.Life process(SimulatedNode node) {
            MachineClock clock = clock(skew());
            LinkSettings slots = new LinkSettings(new Latency(MILLI / 4, MILLI), 0.01, 200 * MILLI, 50 * MILLI, 16, 2);
            LinkSettings single = new LinkSettings(new Latency(MILLI / 4, MILLI), 0.01, 200 * MILLI, 50 * MILLI, 1);
            StoreLinks first = new StoreLinks(timeline, node, clock, servers.subList(0, 2), slots, random);
            StoreLinks other = new StoreLinks(timeline, node, clock, servers.subList(2, 3), single, random);
            Limiter limiter = limiter(clock, rules, Map.of("default", first, "other", other));
            return new SimulatedNode.Life(clock, List.of(first, other), new LimiterNode(limiter));
        }

        /** Plays the run, and returns what went wrong. */
        List<String> play() {
            timeline.after(0, this::arrive);
            strike(300 * MILLI, FAULTS_END);
            Limiter limiter = someLimiter();
            List<RuleCounter> counters = limiter == null ? List.of() : limiter.counters(request(1));
            assertThat(counters).hasSize(KEYS.length);
            for (int i = 0; i < KEYS.length; i++) {
                positions.put(counters.get(i).check().key0, i);
            }
            timeline.runUntil(END);
            positions.forEach((counter, index) -> account(index, taken.getOrDefault(counter, 0L)));
            return violations;
        }

        /** Compares what a limit took with what it should have taken for all calls. */
        private void account(int index, long total) {
            long least = 0;
            long most = 0;
            for (Call each : calls) {
                boolean untouched = exact && !each.known[index]; // no settlement changes what nobody heard of
                long reserved = each.took[index] ? each.estimate : 0;
                least += untouched ? reserved : each.least[index];
                most += untouched ? reserved : each.most[index];
            }
            if (total < least || total > most) {
                violations.add(KEYS[index] + " took " + total + " (expected: " + least + " to " + most + ")");
            }
        }

        private static Request request(long tokens) {
            return Request.to("llm")
                    .with("user", "u")
                    .with("team", "t")
                    .with("plan", "p")
                    .hits("tokens", tokens);
        }

        private void arrive() {
            if (timeline.now() >= TRAFFIC) {
                return;
            }
            timeline.after(1 + random.nextLong(30 * MILLI), this::arrive);
            Limiter limiter = someLimiter();
            if (limiter == null) {
                return;
            }
            // Where every hit is accounted for, an estimate tells which call it is of.
            Call call = exact
                    ? new Call(FIRST_ESTIMATE + calls.size(), random.nextLong(3 * FIRST_ESTIMATE / 2))
                    : new Call(random.nextLong(1, 200), random.nextLong(0, 300));
            calls.add(call);
            Duration ttl = random.nextInt(8) == 0 ? SHORT_TTL : LONG_TTL;
            var unused = limiter.holds()
                    .reserve(request(call.estimate), ttl)
                    .thenAccept(reserved -> reserved(call, reserved));
        }

        private void reserved(Call call, Holds.Reserved reserved) {
            HeldRequest hold = reserved.hold();
            if (hold == null) {
                denied++;
                return;
            }
            call.hold = hold;
            for (int i = 0; i < KEYS.length; i++) {
                HeldHits held = hold.held().get(i);
                call.known[i] = held.hits() != HeldHits.UNKNOWN;
                call.least[i] = call.known[i] ? held.hits() : 0;
            }
            checkRoom();
            if (random.nextInt(8) > 0) { // else the caller dies, and the hold expires
                timeline.after(random.nextLong(4_000 * MILLI), () -> settle(call));
            }
        }

        /** The hits that are surely held, less those that settlements charged beyond them, fit into the limit. */
        private void checkRoom() {
            for (int i = 0; i < KEYS.length; i++) {
                long held = 0;
                for (Call each : calls) {
                    held += Math.min(each.least[i], each.estimate);
                }
                if (held > limit) {
                    violations.add(KEYS[i] + " holds " + held + " at " + timeline.now() / MILLI + " ms");
                }
            }
        }

        /** Settles until it is answered: again after a while, at any node. */
        private void settle(Call call) {
            if (call.ended || timeline.now() > END - 2_000 * MILLI) {
                return;
            }
            timeline.after(random.nextLong(300 * MILLI, 1_000 * MILLI), () -> settle(call));
            Limiter limiter = someLimiter();
            HeldRequest hold = call.hold;
            if (limiter == null || hold == null) {
                return;
            }
            for (int i = 0; i < KEYS.length; i++) {
                if (call.known[i]) {
                    call.least[i] = Math.min(call.least[i], call.cost);
                    call.most[i] = Math.max(call.most[i], call.cost);
                }
            }
            CompletableFuture<Settlement> answer = limiter.holds()
                    .settle(hold, Request.to("").hits("tokens", call.cost))
                    .toCompletableFuture();
            var unused = answer.thenAccept(result -> settled(call, result));
        }

        private void settled(Call call, Settlement result) {
            switch (result) {
                case DONE, BEFORE -> {
                    settled += call.ended ? 0 : 1;
                    repeated += result == Settlement.BEFORE ? 1 : 0;
                    call.ended = true;
                    for (int i = 0; i < KEYS.length; i++) {
                        call.least[i] = call.known[i] ? call.cost : 0;
                        call.most[i] = call.known[i] ? call.cost : call.estimate;
                    }
                }
                case EXPIRED -> {
                    expired++;
                    call.ended = true;
                }
                case ELSEWHERE -> violations.add("a hold on shared counters is of one process, in seed " + seed);
                case UNANSWERED -> {}
            }
        }

        /** Adds up what each counter took. */
        private final class Ledger implements HitObserver {
            @Override
            public void storeShows(long micros) {}

            @Override
            public void took(int node, Check check, long hits, Outcome outcome, boolean ahead) {
                taken.merge(check.key0, hits, Long::sum);
                Integer index = positions.get(check.key0);
                if (exact && index != null && hits > 0 && !check.owed) {
                    calls.get((int) (hits - FIRST_ESTIMATE)).took[index] = true;
                }
            }

            @Override
            public void forgot(long moment) {}
        }
    }
}
