package dev.weir.server.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The lowest limit is compared with the real limiter, which tries it and every lower one. */
class LimitSearchTest {
    private static final long START = 1_760_000_000_000_000L;

    private record Sent(long micros, String user, long hits) {}

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void theSuggestedLimitDeniesFewEnoughAndNoLowerOneDoes(Algorithm algorithm) {
        SplittableRandom seeds = new SplittableRandom(algorithm.text().hashCode());
        for (int round = 0; round < 60; round++) {
            long seed = seeds.nextLong();
            SplittableRandom random = new SplittableRandom(seed);
            long window = random.nextBoolean() ? 1_000_000 : 60_000_000;
            Limit written = limit(algorithm, 2 + 2 * random.nextInt(20), window, random.nextInt(4));
            List<Sent> traffic = traffic(random, window);
            double percent = new double[] {0, 5, 20, 50}[random.nextInt(4)];

            LimitSearch search = new LimitSearch();
            long callers = play(written, traffic, search).size();
            LimitSearch.Suggestion found = search.suggest(percent).get(0);

            String about = algorithm + " " + written + ", " + percent + " %, seed " + seed + ": " + found.limit();
            assertThat(found.callers()).as(about).isEqualTo(users(traffic));
            Limit best = Objects.requireNonNull(found.limit());
            long most = (long) Math.floor(users(traffic) * percent / 100 + 1e-9);
            assertThat(play(best, traffic, null)).as(about).hasSize((int) found.denied());
            assertThat(found.denied()).as(about).isLessThanOrEqualTo(most);
            assertThat(found.deniedNow()).as(about).isEqualTo(callers);
            for (long lower = best.requests() - 1; lower >= 1; lower--) {
                Limit tried = resized(written, lower);
                assertThat(play(tried, traffic, null).size())
                        .as(about + ", and " + tried)
                        .isGreaterThan((int) most);
            }
        }
    }

    private static Limit limit(Algorithm algorithm, long requests, long window, int kind) {
        int parts = algorithm == Algorithm.SLIDING_WINDOW && kind == 0 ? 4 : 1;
        long burst =
                !algorithm.isBucket() ? requests : kind == 1 ? 2 * requests : kind == 2 ? half(requests) : requests;
        return new Limit(algorithm, requests, window, burst, parts);
    }

    private static long half(long requests) {
        return (requests + 1) / 2;
    }

    private static Limit resized(Limit written, long requests) {
        long burst = written.burst() == written.requests()
                ? requests
                : written.burst() > written.requests() ? 2 * requests : half(requests);
        return new Limit(written.algorithm(), requests, written.windowMicros(), burst, written.subWindows());
    }

    private static List<Sent> traffic(SplittableRandom random, long window) {
        List<Sent> traffic = new ArrayList<>();
        long micros = START + random.nextLong(window);
        int requests = 50 + random.nextInt(150);
        int users = 1 + random.nextInt(30);
        for (int i = 0; i < requests; i++) {
            micros += random.nextInt(3) == 0 ? 0 : random.nextLong(window / 10);
            int user = Math.min(random.nextInt(users), random.nextInt(users));
            traffic.add(new Sent(micros, "u" + user, random.nextInt(5) == 0 ? 3 : 1));
        }
        return traffic;
    }

    private static long users(List<Sent> traffic) {
        return traffic.stream().map(Sent::user).distinct().count();
    }

    /** The users that {@code limit} denies at least once. */
    private static Set<String> play(Limit limit, List<Sent> traffic, @Nullable LimitSearch search) {
        Rule rule = Rule.builder("api", "each").label("each").limit(limit).build();
        WrittenRules rules = WrittenRules.builder()
                .weir("api", List.of(new WeirRule(rule, List.of(), KeyBy.of("user_id"))))
                .build();
        TimeSource time = () -> START;
        MutableDecision decision = new MutableDecision();
        Set<String> denied = new HashSet<>();
        try (MemoryStore store = new MemoryStore(1 << 12)) {
            Limiter limiter = new Limiter(rules, store, time, LimiterSettings.defaults(), new LimiterObserver() {});
            for (Sent each : traffic) {
                Request request = Request.to("api")
                        .with("user_id", each.user())
                        .hits(each.hits())
                        .asAttributes();
                limiter.decide(request, each.micros(), decision);
                if (!decision.allowed()) {
                    denied.add(each.user());
                }
                if (search != null) {
                    search.add(request, decision, each.micros());
                }
            }
        }
        return denied;
    }
}
