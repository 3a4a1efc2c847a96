package dev.weir.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.CalendarWindow;
import dev.weir.Limit;
import dev.weir.RateAlgorithms;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.match.override.LimitOverride;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A caller's overrides take precedence over its tier, and the tier over the rules. */
class OverrideDecisionTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final String ORDERS = "endpoint:POST /api/v1/orders";

    private final Map<String, CallerOverrides> quotas = new HashMap<>();
    private final MemoryStore store = new MemoryStore(1024);
    private final List<String> ignored = new ArrayList<>();

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void theTierSetForACallerReplacesTheOneInTheRequest() {
        Limiter limiter = weir(
                rule("tier:free", 5, KeyBy.of("api_key"), Condition.of("tier", "free")),
                rule("tier:enterprise", 5000, KeyBy.of("api_key"), Condition.of("tier", "enterprise")));
        assertThat(limit(limiter.decide(ask("k").with("tier", "free")), "tier:free"))
                .isEqualTo(5);
        quotas.put("k", new CallerOverrides("enterprise", List.of()));
        assertThat(limit(limiter.decide(ask("k").with("tier", "free")), "tier:enterprise"))
                .isEqualTo(5000);
        assertThat(limit(limiter.decide(ask("k")), "tier:enterprise")).isEqualTo(5000);
        assertThat(limiter.decide(ask("other")).size()).isZero();
    }

    @Test
    void anOverrideTakesTheNumbersOfTheRuleAndLeavesItsCount() {
        Limiter limiter = weir(rule("orders", 2, KeyBy.of("api_key"), Condition.of("endpoint", "POST /api/v1/orders")));
        limiter.decide(order("k"));
        limiter.decide(order("k"));
        assertThat(limiter.decide(order("k")).allowed()).isFalse();
        quotas.put("k", new CallerOverrides(null, List.of(override(ORDERS, 500))));
        MutableVerdict verdict =
                Objects.requireNonNull(limiter.decide(order("k")).binding());
        assertThat(verdict.allowed()).isTrue();
        assertThat(Objects.requireNonNull(verdict.rule()).name()).isEqualTo("orders");
        assertThat(verdict.remaining()).isEqualTo(497);
        quotas.clear();
        assertThat(limiter.decide(order("k")).allowed()).isFalse();
    }

    @Test
    void anOverrideThatItsRuleCannotCountIsIgnoredAndObserved() {
        RuleBuilder orders = Rule.builder("api", "orders").name("orders");
        Limit log = Limit.of(Algorithm.SLIDING_WINDOW_LOG, 2, MINUTE);
        quotas.put("k", new CallerOverrides(null, List.of(override("orders", 50_000))));
        Limiter limiter = weir(rule("orders", 2, KeyBy.of("api_key")));
        assertThat(limit(limiter.decide(ask("k")), "orders")).isEqualTo(50_000);
        WrittenRules changed = WrittenRules.builder()
                .weir("api", List.of(new WeirRule(orders.limit(log).build(), List.of(), KeyBy.of("api_key"))))
                .build();
        limiter.index(RuleIndex.of(changed, quotas::get, RuleSwitches.NONE));
        for (int i = 0; i < 2; i++) {
            assertThat(limiter.decide(ask("k")).allowed()).isTrue();
        }
        MutableDecision third = limiter.decide(ask("k"));
        assertThat(third.allowed()).isFalse();
        assertThat(limit(third, "orders")).isEqualTo(2);
        assertThat(ignored).containsExactly("orders 50000", "orders 50000", "orders 50000");
    }

    @Test
    void aRequestLimitThatCannotBeCountedIsIgnored() {
        Limiter limiter = weir(rule("orders", 2, KeyBy.of("api_key")));
        Request request = ask("k").override(Limit.of(Algorithm.SLIDING_WINDOW_LOG, 50_000, MINUTE));
        MutableVerdict verdict = limiter.decide(request).verdict(0);
        assertThat(verdict.reason()).isEqualTo(MutableVerdict.Reason.UNLIMITED);
        assertThat(verdict.limit()).isNull();
    }

    @Test
    void anOverrideLeavesTheOthersOfASharedCounterTheirLimit() {
        long start = 1_800_001_800_000_000L; // of an hour
        for (Algorithm algorithm : RateAlgorithms.ALL) {
            quotas.clear();
            assertThat(passedInAMinute("ceiling" + algorithm, algorithm, start + 600_000_000L))
                    .as("%s, with no override", algorithm)
                    .isLessThanOrEqualTo(20);
            for (long window : new long[] {1_000_000, 60_000_000, 3_600_000_000L}) {
                String name = "ceiling" + algorithm + window;
                quotas.put("k", new CallerOverrides(null, List.of(new LimitOverride(name, 5000, window, null))));
                assertThat(passedInAMinute(name, algorithm, start + 600_000_000L))
                        .as("%s, beside 5000 in %d us", algorithm, window)
                        .isLessThanOrEqualTo(20);
            }
        }
    }

    @Test
    void anOverrideByTheCalendarCountsInItsWindowWhateverTheRulesAlgorithm() {
        long day = 86_400_000_000L;
        long evening = 20_000 * day - 3_600_000_000L;
        MutableDecision decision = new MutableDecision();
        for (Algorithm algorithm : Algorithm.values()) {
            quotas.clear();
            String name = "daily" + algorithm;
            Rule rule = Rule.builder("api", name)
                    .name(name)
                    .limit(Limit.of(algorithm, 2, MINUTE))
                    .build();
            Limiter limiter = weir(new WeirRule(rule, List.of(), KeyBy.of("api_key")));
            limiter.decide(ask("k"), evening, decision);
            LimitOverride daily = new LimitOverride(name, 3, CalendarWindow.DAY);
            quotas.put("k", new CallerOverrides(null, List.of(daily)));
            for (long now : new long[] {evening, 20_000 * day}) { // midnight begins another day
                for (int i = 0; i < 4; i++) {
                    limiter.decide(ask("k"), now + i, decision);
                    assertThat(decision.allowed()).as("%s, %d", algorithm, i).isEqualTo(i < 3);
                }
            }
            quotas.put("k", new CallerOverrides(null, List.of(new LimitOverride(name, 3, CalendarWindow.MONTH))));
            limiter.decide(ask("k"), 20_000 * day + 10, decision);
            assertThat(decision.allowed())
                    .as("%s, a month counts apart from a day", algorithm)
                    .isTrue();
        }
    }

    /** How many of a thousand pass of those without a quota, where every other request has one. */
    private int passedInAMinute(String name, Algorithm algorithm, long from) {
        Rule rule = Rule.builder("api", name)
                .name(name)
                .limit(Limit.of(algorithm, 10, MINUTE))
                .build();
        Limiter limiter = weir(new WeirRule(rule, List.of(), KeyBy.of("path")));
        MutableDecision decision = new MutableDecision();
        int passed = 0;
        for (int i = 0; i < 1000; i++) {
            long now = from + i * 60_000L;
            limiter.decide(ask("k").with("path", "/"), now, decision);
            assertThat(decision.allowed() || !quotas.containsKey("k")).isTrue();
            limiter.decide(ask("other").with("path", "/"), now, decision);
            passed += decision.allowed() ? 1 : 0;
        }
        return passed;
    }

    @Test
    void anOverrideFindsItsRuleByNameAndTheTiersAsDefault() {
        Limiter limiter = weir(
                rule("tier:pro", 10, KeyBy.of("api_key"), Condition.of("tier", "pro")),
                rule("writes", 3, KeyBy.of("api_key"), Condition.of("endpoint", "POST *")));
        quotas.put("k", new CallerOverrides("pro", List.of(override("writes", 30), override("default", 100))));
        MutableDecision decision = limiter.decide(order("k"));
        assertThat(limit(decision, "writes")).isEqualTo(30);
        assertThat(limit(decision, "tier:pro")).isEqualTo(100);
        assertThat(decision.size()).isEqualTo(2);
    }

    @Test
    void whereNoRuleMatchesAnOverrideIsALimitOfItsOwn() {
        Limiter limiter = weir(rule("other", 1, KeyBy.of("api_key"), Condition.of("endpoint", "GET /x")));
        quotas.put("k", new CallerOverrides(null, List.of(override(ORDERS, 2))));
        assertThat(limiter.decide(order("k")).allowed()).isTrue();
        assertThat(limiter.decide(order("k")).allowed()).isTrue();
        MutableDecision third = limiter.decide(order("k"));
        assertThat(third.allowed()).isFalse();
        MutableVerdict verdict = Objects.requireNonNull(third.binding());
        assertThat(Objects.requireNonNull(verdict.rule()).label()).isEqualTo("override");
        assertThat(limiter.explain(order("k"), verdict).counter())
                .isEqualTo("api_key=k, descriptor=endpoint:POST /api/v1/orders");
        assertThat(limiter.decide(order("unknown")).size()).isZero();
        assertThat(limiter.decide(ask("k").with("endpoint", "GET /api/v1/orders"))
                        .size())
                .isZero();
    }

    @Test
    void theSameHoldsInEnvoysFormat() {
        Rule perKey = Rule.builder("api", "api_key")
                .limit(Limit.fixedWindow(100, MINUTE))
                .build();
        Rule orders = Rule.builder("api", "orders")
                .limit(Limit.fixedWindow(20, MINUTE))
                .build();
        EnvoyDescriptor endpoint = new EnvoyDescriptor("endpoint", "POST /api/v1/orders", orders, false, List.of());
        WrittenRules rules = WrittenRules.builder()
                .envoy("api", List.of(new EnvoyDescriptor("api_key", "", perKey, false, List.of(endpoint))))
                .build();
        quotas.put("abc123", new CallerOverrides(null, List.of(override(ORDERS, 500))));
        Limiter limiter = limiter(rules);
        Request request = Request.to("api").with("api_key", "abc123").with("endpoint", "POST /api/v1/orders");
        MutableVerdict verdict = Objects.requireNonNull(limiter.decide(request).binding());
        assertThat(Objects.requireNonNull(verdict.limit()).requests()).isEqualTo(500);
        assertThat(verdict.remaining()).isEqualTo(499);
        Request other = Request.to("api").with("api_key", "other").with("endpoint", "POST /api/v1/orders");
        assertThat(Objects.requireNonNull(limiter.decide(other).binding()).remaining())
                .isEqualTo(19);
    }

    @Test
    void aRuleInWeirsFormatOverridesADomainInEnvoysFormat() {
        Rule path = Rule.builder("api", "path")
                .label("path")
                .limit(Limit.fixedWindow(7, MINUTE))
                .build();
        WrittenRules files = WrittenRules.builder()
                .envoy("api", List.of(new EnvoyDescriptor("path", "/a", path, false, List.of())))
                .build();
        WrittenRules layered =
                files.toBuilder().over(rule("over", 5, KeyBy.of("user"))).build();
        MutableDecision decision = limiter(layered)
                .decide(Request.to("api").with("path", "/a").descriptor().with("user", "u"));
        assertThat(decision.size()).isEqualTo(2);
        assertThat(Objects.requireNonNull(decision.verdict(0).rule()).label()).isEqualTo("path");
        assertThat(decision.verdict(1).descriptor()).isEqualTo(1);
        assertThat(limit(decision, "over")).isEqualTo(5);
        assertThat(layered.domains()).containsExactly("api");
    }

    private static LimitOverride override(String descriptor, long requests) {
        return new LimitOverride(descriptor, requests, 60_000_000, null);
    }

    private static WeirRule rule(String name, long requests, KeyBy key, Condition... match) {
        Rule rule = Rule.builder("api", name)
                .name(name)
                .label(name)
                .limit(Limit.slidingWindow(requests, MINUTE))
                .build();
        return new WeirRule(rule, List.of(match), key);
    }

    private Limiter weir(WeirRule... rules) {
        return limiter(WrittenRules.builder().weir("api", List.of(rules)).build());
    }

    private Limiter limiter(WrittenRules rules) {
        TimeSource time = () -> 1_000_000_000L;
        RuleIndex index = RuleIndex.of(rules, quotas::get, RuleSwitches.NONE);
        return new Limiter(index, store, SharedStores.none(), time, LimiterSettings.defaults(), new LimiterObserver() {
            @Override
            public void agreementIgnored(Rule rule, Limit agreed) {
                ignored.add(rule.name() + " " + agreed.requests());
            }
        });
    }

    private static Request ask(String apiKey) {
        return Request.to("api").with("api_key", apiKey).asAttributes();
    }

    private static Request order(String apiKey) {
        return ask(apiKey).with("endpoint", "/api/v1/orders").with("method", "POST");
    }

    private static long limit(MutableDecision decision, String rule) {
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            if (Objects.requireNonNull(verdict.rule()).name().equals(rule)) {
                return Objects.requireNonNull(verdict.limit()).requests();
            }
        }
        throw new AssertionError("no verdict of " + rule);
    }
}
