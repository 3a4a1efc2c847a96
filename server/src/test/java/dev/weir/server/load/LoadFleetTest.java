package dev.weir.server.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.RuleLoader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Limits that follow load in a fleet, on virtual time. Reporters tell random servers the load, fall silent and come back;
 * servers restart, and lose their Redis for a while. {@code -Dweir.load.seeds} is how many runs.
 */
class LoadFleetTest {
    private static final int SEEDS = Integer.getInteger("weir.load.seeds", 200);
    private static final int MOST_UNTIL_CAUGHT = 100;
    private static final int SERVERS = 3;
    private static final int REPORTERS = 4;
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final long STEP = 100 * MILLI;
    private static final long TRAFFIC = 120 * SECOND;
    /** Silence, and forty steps of ten seconds. */
    private static final long RECOVERED = TRAFFIC + 430 * SECOND;
    /** A server that Redis answers knows of a report within this time. */
    private static final long SPREAD = 2 * SECOND;

    private static final WrittenRules RULES = RuleLoader.parse("api.yaml", """
                    domain: api
                    rules:
                      - name: orders
                        limit: { requests: 1000, window: 1m, algorithm: fixed_window }
                        follows: { service: payments, at: { 0.5: 1, 0.9: 0.5, 1.0: 0.2 } }
                    """).orThrow();
    private static final Rule ORDERS = RULES.rules().get(0);
    private static final LoadCurve CURVE = Objects.requireNonNull(ORDERS.follows());

    /** A mistake in what a server hears of others, or in the time that it sees. */
    private enum Mistake {
        NONE,
        HEARS_NOTHING,
        TELLS_THE_LAST_REPORTER_ONLY,
        CLOCK_RUNS_TWICE_AS_FAST
    }

    @Test
    void limitsFallAtOnceEverywhereAndRiseSlowly() {
        long falls = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            Run run = new Run(seed, Mistake.NONE);
            assertThat(run.play()).as("seed %d", seed).isEmpty();
            falls += run.falls;
        }
        assertThat(falls).as("else nothing was tried").isGreaterThan(3L * SEEDS);
    }

    @Test
    void plantedMistakesAreCaught() {
        for (Mistake each : Mistake.values()) {
            assertThat(each == Mistake.NONE || isCaught(each)).as("%s", each).isTrue();
        }
    }

    private static boolean isCaught(Mistake mistake) {
        for (long seed = 1; seed <= MOST_UNTIL_CAUGHT; seed++) {
            if (!new Run(seed, mistake).play().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** One report, and the server that took it. */
    private record Told(long at, int reporter, int server, double utilisation) {}

    /** One run of the fleet. */
    private static final class Run {
        private final SplittableRandom random;
        private final Mistake mistake;
        private final List<Server> servers = new ArrayList<>();
        private final List<String> posted = new ArrayList<>();
        private final Told[] last = new Told[REPORTERS];
        private final long[] nextReport = new long[REPORTERS];
        private final long[] silentUntil = new long[REPORTERS];
        private final List<String> violations = new ArrayList<>();
        private long now;
        private long redisAwayUntil;
        private long redisBackSince;
        int falls;

        Run(long seed, Mistake mistake) {
            this.random = new SplittableRandom(seed);
            this.mistake = mistake;
            for (int i = 0; i < SERVERS; i++) {
                servers.add(new Server(i));
            }
        }

        List<String> play() {
            for (; now < RECOVERED; now += STEP) {
                if (now < TRAFFIC) {
                    strike();
                    for (int i = 0; i < REPORTERS; i++) {
                        report(i);
                    }
                }
                for (Server each : servers) {
                    each.step();
                }
            }
            for (Server each : servers) {
                if (each.share() != LoadCurve.WHOLE) {
                    violations.add("after a long silence " + each.share() + " thousandths are in force");
                }
            }
            return violations;
        }

        private void strike() {
            if (random.nextInt(300) == 0) {
                redisAwayUntil = now + random.nextLong(8 * SECOND);
            }
            if (now < redisAwayUntil) {
                redisBackSince = redisAwayUntil;
            }
            if (random.nextInt(400) == 0) {
                int victim = random.nextInt(SERVERS);
                servers.get(victim).limits.close();
                servers.set(victim, new Server(victim));
                for (int i = 0; i < REPORTERS; i++) {
                    Told told = last[i];
                    last[i] =
                            told != null && told.server() == victim ? null : told; // it knows nothing of them any more
                }
            }
        }

        private void report(int reporter) {
            if (now < nextReport[reporter] || now < silentUntil[reporter]) {
                return;
            }
            nextReport[reporter] = now + random.nextLong(SECOND, 6 * SECOND);
            if (random.nextInt(12) == 0) {
                silentUntil[reporter] = now + random.nextLong(30 * SECOND);
            }
            // A reporter sticks to a server: what it told another one would count until it is no longer fresh.
            int server = reporter % SERVERS;
            double utilisation = random.nextInt(3) == 0 ? random.nextDouble(0.5, 1) : random.nextDouble(0.6);
            last[reporter] = new Told(now, reporter, server, utilisation);
            servers.get(server).limits.report("payments", "r" + reporter, utilisation);
        }

        /** A server of the fleet, with the real code that follows loads. */
        private final class Server implements LoadChannel {
            private final int number;
            private final LimitsUnderLoad limits = new LimitsUnderLoad(
                    () -> mistake == Mistake.CLOCK_RUNS_TWICE_AS_FAST ? 2 * now : now, () -> now / MILLI);
            private final long startedAt = now;
            private int read = posted.size();
            private int before = LoadCurve.WHOLE;
            private long changedAt = Long.MIN_VALUE / 2;

            Server(int number) {
                this.number = number;
                limits.connect(() -> RULES, () -> {}, this, null);
            }

            int share() {
                return limits.apply(ORDERS).loadShare();
            }

            void step() {
                try {
                    limits.follow();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                check();
            }

            private void check() {
                int share = share();
                if (share > before) {
                    if (share - before > LoadCurve.WHOLE / 40 || now - changedAt < 10 * SECOND) {
                        violations.add("server " + number + " rises from " + before + " to " + share + " at "
                                + now / MILLI + " ms, " + (now - changedAt) / MILLI + " ms after its last change");
                    }
                    changedAt = now;
                } else if (share < before) {
                    falls++;
                    changedAt = now;
                }
                before = share;
                for (Told each : last) {
                    if (each != null && isKnown(each) && share > CURVE.shareAt(each.utilisation())) {
                        violations.add("server " + number + " has " + share + " in force at " + now / MILLI
                                + " ms, after " + each);
                    }
                }
            }

            /** Whether this server must act on {@code told}: it is fresh, and there was time to hear of it. */
            private boolean isKnown(Told told) {
                boolean fresh = now - told.at() < LoadReports.FRESH_NANOS;
                boolean reachable = told.at() > redisBackSince && now > redisAwayUntil;
                boolean heard = reachable && now - told.at() > SPREAD && told.at() > startedAt;
                return fresh && (told.server() == number || heard);
            }

            @Override
            public CompletionStage<Void> post(String text) {
                if (now < redisAwayUntil) {
                    return CompletableFuture.failedFuture(new IOException("Redis is away"));
                }
                if (mistake != Mistake.TELLS_THE_LAST_REPORTER_ONLY) {
                    posted.add(text);
                } else {
                    Told newest = newest();
                    posted.add(
                            newest == null
                                    ? text
                                    : text.replaceAll(
                                            "\"utilisation\":[^}]*", "\"utilisation\":" + newest.utilisation()));
                }
                return CompletableFuture.completedFuture(null);
            }

            private @Nullable Told newest() {
                Told newest = null;
                for (Told each : last) {
                    boolean newer =
                            each != null && each.server() == number && (newest == null || each.at() > newest.at());
                    newest = newer ? each : newest;
                }
                return newest;
            }

            @Override
            public CompletionStage<List<String>> next() {
                if (now < redisAwayUntil) {
                    return CompletableFuture.failedFuture(new IOException("Redis is away"));
                }
                List<String> found = List.copyOf(posted.subList(read, posted.size()));
                read = posted.size();
                return CompletableFuture.completedFuture(mistake == Mistake.HEARS_NOTHING ? List.of() : found);
            }
        }
    }
}
