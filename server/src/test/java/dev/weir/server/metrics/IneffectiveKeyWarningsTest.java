package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.weir.Limit;
import dev.weir.OnMissing;
import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IneffectiveKeyWarningsTest {
    private static final Limit LIMIT = Limit.fixedWindow(10, Duration.ofMinutes(1));
    /** Of so many requests, more than a thousand are sampled. */
    private static final int MANY = 20_000;

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final List<String> warnings = new ArrayList<>();
    private final RuleMetrics metrics = new RuleMetrics(() -> 1_000_000, false, null);
    private final IneffectiveKeyWarnings keyWarnings = new IneffectiveKeyWarnings(metrics, nanos::get, warnings::add);
    private final MemoryStore store = new MemoryStore(1_024);
    private final Limiter limiter =
            new Limiter(WrittenRules.empty(), store, () -> 1_000_000, LimiterSettings.defaults(), metrics);

    @AfterEach
    void close() {
        store.close();
    }

    @ParameterizedTest
    @CsvSource({"SKIP, were not counted", "DENY, were denied", "SHARE, shared one counter"})
    void aRuleThatMostRequestsLackTheKeyOfIsNamed(OnMissing onMissing, String meaning) {
        load(keyedBy("user_id", onMissing));
        ask(1_200, i -> i % 4 == 0 ? user("u_" + i) : Request.to("api").with("endpoint", "/"));
        assertThat(warnings)
                .singleElement(STRING)
                .startsWith("rule api/writes: 75 % of the last 1200 requests that matched it lacked its key")
                .contains(meaning);
    }

    @Test
    void someRequestsWithoutTheKeyAreOrdinaryAndSoAreFew() {
        load(keyedBy("user_id", OnMissing.SKIP));
        ask(2_000, i -> i % 2 == 0 ? user("u_" + i) : Request.to("api").with("endpoint", "/"));
        ask(900, i -> Request.to("api").with("endpoint", "/"));
        assertThat(warnings).isEmpty();
    }

    @Test
    void aKeyThatStopsComingIsNoticedHoweverLongItCame() {
        load(keyedBy("user_id", OnMissing.SKIP));
        ask(MANY, i -> user("u_" + i));
        ask(1_000, i -> Request.to("api").with("endpoint", "/"));
        assertThat(warnings).hasSize(1);
    }

    @Test
    void aKeyThatBecomesTheSameForNearlyAllIsNoticedAndNotTold() {
        load(keyedBy("user_id", OnMissing.SKIP));
        ask(10 * MANY, i -> user("u_" + i));
        assertThat(warnings).isEmpty();
        ask(10 * MANY, i -> user(i % 33 == 0 ? "u_" + i : "secret"));
        assertThat(warnings)
                .singleElement(STRING)
                .matches("rule api/writes: at least 9\\d % of its requests use one counter; .*")
                .doesNotContain("secret");
        assertThat(ratio()).isBetween(0.9, 0.97);
    }

    @Test
    void aBusyCallerAmongOthersIsOrdinary() {
        load(keyedBy("user_id", OnMissing.SKIP));
        ask(10 * MANY, i -> user(i % 5 == 0 ? "u_" + i : "busy"));
        assertThat(warnings).isEmpty();
        assertThat(ratio()).isBetween(0.55, 0.8);
    }

    @Test
    void aRuleWithOneCounterForAllIsMeantToShareIt() {
        load(new WeirRule(rule(OnMissing.SKIP), List.of(), KeyBy.global()));
        ask(MANY, i -> user("u_" + i));
        load(new WeirRule(rule(OnMissing.SKIP), List.of(Condition.of("user_id", "u_1")), KeyBy.of("user_id")));
        ask(MANY, i -> user("u_1"));
        loadEnvoy(new EnvoyDescriptor("user_id", "u_1", rule(OnMissing.SKIP), false, List.of()));
        ask(MANY, i -> user("u_1"));
        loadEnvoy(new EnvoyDescriptor("user_id", "u_*", rule(OnMissing.SKIP), true, List.of()));
        ask(MANY, i -> user("u_" + i));
        assertThat(warnings).isEmpty();
        assertThat(ratio()).isZero();
    }

    @Test
    void whatEnvoysSpellingTellsApartIsWatchedToo() {
        loadEnvoy(new EnvoyDescriptor("user_id", "u_*", rule(OnMissing.SKIP), false, List.of()));
        ask(MANY, i -> user("u_1"));
        assertThat(warnings).hasSize(1);
        assertThat(ratio()).isEqualTo(1);
        loadEnvoy(new EnvoyDescriptor(
                "user_id",
                "",
                null,
                false,
                List.of(new EnvoyDescriptor("tier", "free", rule(OnMissing.SKIP), false, List.of()))));
        ask(MANY, i -> user("u_1").with("tier", "free"));
        assertThat(warnings).hasSize(2);
    }

    @Test
    void itIsSaidOnceAnHourAndAnewWhenRulesAreLoaded() {
        load(keyedBy("user_id", OnMissing.SKIP));
        ask(MANY, i -> user("u_1"));
        ask(MANY, i -> user("u_1"));
        assertThat(warnings).hasSize(1);
        nanos.addAndGet(TimeUnit.HOURS.toNanos(1));
        ask(MANY, i -> user("u_1"));
        assertThat(warnings).hasSize(2);
        load(keyedBy("user_id", OnMissing.SKIP));
        assertThat(ratio()).isZero();
        ask(MANY, i -> user("u_1"));
        assertThat(warnings).hasSize(3);
    }

    @Test
    void threadsThatEachServeOneCallerAreNotTakenForOneCaller() throws InterruptedException {
        load(keyedBy("user_id", OnMissing.SKIP));
        for (String each : List.of("u_1", "u_2")) {
            Thread thread = new Thread(() -> decide(MANY, i -> user(each)));
            thread.start();
            thread.join();
        }
        keyWarnings.check();
        assertThat(warnings).isEmpty();
        assertThat(ratio()).isZero();
    }

    private static WeirRule keyedBy(String attribute, OnMissing onMissing) {
        return new WeirRule(rule(onMissing), List.of(), KeyBy.of(attribute));
    }

    private static Rule rule(OnMissing onMissing) {
        return Rule.builder("api", "writes")
                .label("writes")
                .limit(LIMIT)
                .onMissing(onMissing)
                .build();
    }

    private static Request user(String id) {
        return Request.to("api").with("user_id", id);
    }

    private void load(WeirRule rule) {
        load(WrittenRules.builder().weir("api", List.of(rule)).build());
    }

    private void loadEnvoy(EnvoyDescriptor descriptor) {
        load(WrittenRules.builder().envoy("api", List.of(descriptor)).build());
    }

    private void load(WrittenRules rules) {
        RuleIndex index = RuleIndex.of(rules);
        metrics.rules(index);
        limiter.index(index);
        keyWarnings.check();
    }

    private void ask(int requests, IntFunction<Request> request) {
        decide(requests, request);
        keyWarnings.check();
    }

    private void decide(int requests, IntFunction<Request> request) {
        for (int i = 0; i < requests; i++) {
            limiter.decide(request.apply(i));
        }
    }

    private double ratio() {
        Exposition out = new Exposition();
        metrics.write(out);
        String series = "ratelimit_busiest_key_ratio{domain=\"api\",rule=\"writes\"} ";
        return out.toString()
                .lines()
                .filter(line -> line.startsWith(series))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
                .sum();
    }
}
