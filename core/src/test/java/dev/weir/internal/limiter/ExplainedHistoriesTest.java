package dev.weir.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.CalendarWindow;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.limiter.shared.ProbedDecision;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.ruleset.EnvoyTrees;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * What {@code explain}, {@code counter} and {@code check} tell is the same over random histories: for every algorithm,
 * with bursts, credit, sub-windows and windows of the calendar, in both formats, in memory and in a shared store.
 */
class ExplainedHistoriesTest {
    private static final int REQUESTS = 50;
    private static final int CALLERS = 3;

    @Property(tries = 1_000)
    void inMemory(@ForAll Algorithm algorithm, @ForAll boolean envoy, @ForAll long seed) {
        Random random = new Random(seed);
        Limit limit = limit(algorithm, random);
        LocalLimiterHarness d = new LocalLimiterHarness(rules(limit, envoy, Consistency.EXACT));
        for (int i = 0; i < REQUESTS; i++) {
            int hits = hits(algorithm, random);
            Request request = request(envoy, hits, random);
            ProbedDecision explained = explain(d.limiter, request);
            MutableDecision checked = d.decide(request);
            String what = limit + ", request " + i + ", hits " + hits;
            assertSame(what, explained.decision(), checked);
            assertCounter(what, counter(d.limiter, request), checked);
            d.now += step(checked.verdict(0), limit, random);
        }
    }

    @Property(tries = 1_000)
    void inASharedStore(
            @ForAll Algorithm algorithm, @ForAll boolean envoy, @ForAll boolean reported, @ForAll long seed) {
        Random random = new Random(seed);
        Limit limit = limit(algorithm, random);
        boolean exact = envoy || !reported;
        SharedLimiterHarness d =
                new SharedLimiterHarness(rules(limit, envoy, exact ? Consistency.EXACT : Consistency.REPORTED));
        d.store().answering();
        for (int i = 0; i < REQUESTS; i++) {
            d.limiter.tick();
            int hits = hits(algorithm, random);
            Request request = request(envoy, hits, random);
            ProbedDecision explained = explain(d.limiter, request);
            MutableDecision checked =
                    d.limiter.decideAsync(request).toCompletableFuture().join();
            String what = limit + ", request " + i + ", hits " + hits;
            assertSame(what, explained.decision(), checked);
            // A cached denial tells what the store said before smaller requests passed.
            boolean stored = explained.origin(explained.decision().verdict(0)) == ProbedDecision.Origin.STORE;
            if (exact && stored) {
                assertCounter(what, counter(d.limiter, request), checked);
            }
            d.now += step(checked.verdict(0), limit, random);
        }
    }

    private static WrittenRules rules(Limit limit, boolean envoy, Consistency consistency) {
        return envoy
                ? EnvoyTrees.rules(EnvoyTrees.limited(
                        "user",
                        EnvoyTrees.rule("r", limit)
                                .countsDenied(limit.algorithm() == Algorithm.FIXED_WINDOW)
                                .build()))
                : WeirRules.rules(WeirRules.rule(
                        WeirRules.rule("r", limit).consistency(consistency).build(), KeyBy.of("user")));
    }

    private static Request request(boolean envoy, int hits, Random random) {
        String user = String.valueOf(random.nextInt(CALLERS));
        return (envoy ? EnvoyTrees.ask("user=" + user) : WeirRules.ask("user", user)).hits(hits);
    }

    private static Limit limit(Algorithm algorithm, Random random) {
        int requests = random.nextInt(13);
        if (algorithm == Algorithm.FIXED_WINDOW && random.nextInt(3) == 0) {
            CalendarWindow[] windows = CalendarWindow.values();
            return Limit.calendarWindow(requests, windows[random.nextInt(windows.length)]);
        }
        int parts = 1 + random.nextInt(10);
        Limit limit = Limit.of(algorithm, requests, Duration.ofMillis(parts * (100L + random.nextInt(700_000))));
        if (algorithm.isBucket() && random.nextBoolean()) {
            limit = limit.withBurst(random.nextInt(2 * requests + 1));
        }
        if (algorithm.lendsCredit() && random.nextBoolean()) {
            limit = limit.withCredit(random.nextInt(5));
        }
        return algorithm == Algorithm.SLIDING_WINDOW ? limit.withSubWindows(parts) : limit;
    }

    /** Returns mostly a few hits; at times none, more than fit, or some that are given back. */
    private static int hits(Algorithm algorithm, Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> 0;
            case 1 -> random.nextInt(40);
            case 2 -> algorithm == Algorithm.CONCURRENCY ? 1 : -random.nextInt(3);
            default -> 1 + random.nextInt(3);
        };
    }

    /** Returns no time, a short or a long time, or the time until {@code last} says that there is room again. */
    private static long step(MutableVerdict last, Limit limit, Random random) {
        long window = limit.windowMicros();
        return switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> random.nextLong(2 * window);
            case 2 -> Math.min(2 * window, Math.max(0, last.retryAfterMicros()));
            case 3 -> Math.min(2 * window, Math.max(0, last.resetMicros()));
            default -> random.nextLong(window / 10 + 1);
        };
    }

    private static ProbedDecision explain(Limiter limiter, Request request) {
        return limiter.probe(request).toCompletableFuture().join();
    }

    private static MutableVerdict counter(Limiter limiter, Request request) {
        return limiter.probeCounters(request, Duration.ofSeconds(1))
                .toCompletableFuture()
                .join()
                .decision()
                .verdict(0);
    }

    private static void assertSame(String what, MutableDecision explained, MutableDecision checked) {
        MutableVerdict told = explained.verdict(0);
        MutableVerdict verdict = checked.verdict(0);
        assertThat(explained.allowed()).as(what).isEqualTo(checked.allowed());
        assertThat(told.reason()).as(what).isEqualTo(verdict.reason());
        assertThat(told.retryAfterMicros()).as(what).isEqualTo(verdict.retryAfterMicros());
        if (!checked.allowed()) {
            // To explain takes nothing; in Envoy's format a denied check counts, so that nothing remains.
            boolean counts = Objects.requireNonNull(verdict.rule()).countsDenied();
            assertThat(told.remaining() == verdict.remaining() || counts)
                    .as(what)
                    .isTrue();
            assertThat(told.resetMicros()).as(what).isEqualTo(verdict.resetMicros());
        }
    }

    private static void assertCounter(String what, MutableVerdict counter, MutableDecision checked) {
        assertThat(counter.remaining()).as(what).isEqualTo(checked.verdict(0).remaining());
        assertThat(counter.resetMicros()).as(what).isEqualTo(checked.verdict(0).resetMicros());
    }
}
