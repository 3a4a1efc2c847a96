package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.Cause;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.LoadShedder.Priority;
import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.weir.PriorityRule;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The capacity of a service: all requests count, critical ones pass, and others are shed by priority and caller. */
class CapacityDecisionTest {
    private static final Limit CAPACITY = Limit.slidingWindow(100, Duration.ofSeconds(1));
    private static final List<PriorityRule> PRIORITIES = List.of(
            new PriorityRule(List.of(Condition.of("class", "gold")), Priority.CRITICAL, false),
            new PriorityRule(List.of(Condition.of("class", "batch", "gold")), Priority.TEST, false));

    private static RuleBuilder capacity() {
        return WeirRules.rule("service:p", CAPACITY).reserve(200).denyAs(Cause.CAPACITY);
    }

    private static WrittenRules rules(WeirRule... rules) {
        return WrittenRules.builder()
                .weir("d", Arrays.asList(rules))
                .priorities("d", PRIORITIES)
                .build();
    }

    private static LocalLimiterHarness harness(WeirRule... rules) {
        return new LocalLimiterHarness(rules(rules));
    }

    private static WeirRule service(RuleBuilder builder) {
        return rule(builder.build(), KeyBy.global());
    }

    private static Request of(String method, String user) {
        return ask("method", method, "user_id", user);
    }

    private static Request critical() {
        return ask("class", "gold", "method", "POST");
    }

    private static Rule only(Limiter limiter) {
        return limiter.index().rules().get(0);
    }

    @Test
    void othersPassUpToTheCapacityWithoutTheReserve() {
        LocalLimiterHarness process = harness(service(capacity()));
        int passed = 0;
        for (int i = 0; i < 200; i++) {
            passed += process.decide(of("POST", "u" + i)).allowed() ? 1 : 0;
        }
        // Nothing is known of critical traffic, so all but 2.5 % of the capacity is lent.
        assertThat(passed).isEqualTo(97);
        MutableDecision denied = process.decide(of("POST", "u"));
        assertThat(Objects.requireNonNull(denied.binding()).cause()).isEqualTo(Cause.CAPACITY);
    }

    @Test
    void criticalRequestsAlwaysPassAndCount() {
        LocalLimiterHarness process = harness(service(capacity()));
        for (int i = 0; i < 300; i++) {
            MutableDecision decision = process.decide(critical());
            assertThat(decision.allowed()).isTrue();
            assertThat(decision.verdict(0).shadow()).isFalse();
        }
        assertThat(process.decide(of("GET", "u")).allowed()).isFalse();
    }

    @Test
    void roomStaysFreeForCriticalTrafficThatMayComeBack() {
        LocalLimiterHarness process = harness(service(capacity()));
        for (int i = 0; i < 600; i++) { // six seconds; critical requests, a fifth of all, only in the first four
            process.now += 10_000;
            Request request = i % 5 == 0 && i < 400 ? critical() : of("POST", "u" + i);
            assertThat(i % 5 != 0 || i >= 400 || process.decide(request).allowed())
                    .isTrue();
        }
        for (int i = 0; i < 4_000; i++) { // four seconds of as many others as fit
            process.now += 1_000;
            process.decide(of("POST", "v" + i));
        }
        int passed = 0;
        while (process.decide(critical()).verdict(0).remaining() > 0) {
            passed++;
        }
        assertThat(passed).as("others nearly filled their room").isLessThan(20);
        assertThat(Objects.requireNonNull(process.limiter.capacity().find(only(process.limiter)))
                        .reservedSteps())
                .as("1.5 times the 16 %% that critical traffic had, or all of the reserve")
                .isGreaterThanOrEqualTo(6);
    }

    @Test
    void theFirstPriorityThatMatchesHoldsAndACallerCanOnlyLowerIt() {
        assertThat(priority(ask("method", "GET"))).isEqualTo(Priority.READ);
        assertThat(priority(ask("method", "HEAD"))).isEqualTo(Priority.READ);
        assertThat(priority(ask("endpoint", "GET /a"))).isEqualTo(Priority.READ);
        assertThat(priority(ask("endpoint", "POST /a"))).isEqualTo(Priority.WRITE);
        assertThat(priority(ask("user_id", "u"))).isEqualTo(Priority.WRITE);
        assertThat(priority(ask("class", "gold"))).isEqualTo(Priority.CRITICAL);
        assertThat(priority(ask("class", "batch"))).isEqualTo(Priority.TEST);
        assertThat(priority(ask("method", "GET", "priority", "critical"))).isEqualTo(Priority.READ);
        assertThat(priority(ask("method", "GET", "priority", "test"))).isEqualTo(Priority.TEST);
        assertThat(priority(ask("class", "gold", "priority", "read"))).isEqualTo(Priority.READ);
        assertThat(priority(ask("method", "GET", "priority", "urgent"))).isEqualTo(Priority.READ);
    }

    private static Priority priority(Request request) {
        return Objects.requireNonNull(
                harness(service(capacity())).decide(request).verdict(0).priority());
    }

    @ParameterizedTest
    @EnumSource(Consistency.class)
    void inOverloadTheSameCallersPassAndWritesComeFirst(Consistency consistency) {
        SharedLimiterHarness process =
                new SharedLimiterHarness(rules(service(capacity().consistency(consistency))));
        process.store().answering();
        int[][] passed = new int[3][100];
        int[][] asked = new int[3][100];
        int all = 0;
        for (int tick = 0; tick < 15_000; tick++) { // 15 seconds, three times the capacity
            process.now += 1_000;
            if (tick % 50 == 0) {
                process.limiter.tick();
            }
            if (tick % 10 < 3) {
                int user = (tick * 7) % 100;
                int kind = user % 3;
                Request request = kind == 0
                        ? ask("class", "batch", "user_id", "u" + user)
                        : of(kind == 1 ? "GET" : "POST", "u" + user);
                boolean allowed = process.ask(request).decision.allowed();
                if (tick >= 8_000) {
                    asked[kind][user]++;
                    passed[kind][user] += allowed ? 1 : 0;
                    all += allowed ? 1 : 0;
                }
            }
        }
        // A node that reports charges its hits later than they came, so that a window of a second is not used up.
        double least = consistency == Consistency.REPORTED ? 65 : 90;
        assertThat(all / 7.0).as("a second").isBetween(least, 101.0);
        assertThat(part(passed[0], asked[0])).as("tests").isLessThan(0.05);
        assertThat(part(passed[1], asked[1])).as("reads").isLessThan(0.25);
        assertThat(part(passed[2], asked[2])).as("writes").isGreaterThan(0.75);
        int torn = 0;
        for (int user = 0; user < 100; user++) {
            double own = asked[user % 3][user] == 0 ? 0 : (double) passed[user % 3][user] / asked[user % 3][user];
            torn += own > 0.1 && own < 0.9 ? 1 : 0;
        }
        assertThat(torn).as("callers that are now served and now refused").isLessThan(15);
    }

    private static double part(int[] passed, int[] asked) {
        return (double) Arrays.stream(passed).sum() / Arrays.stream(asked).sum();
    }

    /** Three times the capacity for three seconds. */
    private static void overload(LocalLimiterHarness process) {
        for (int i = 0; i < 900; i++) {
            process.now += 3_333;
            process.decide(of("GET", "u" + i % 97));
        }
    }

    @Test
    void aShedCallerIsToldWhyAndTriesAgainInOneToThreeSeconds() {
        LocalLimiterHarness process = harness(service(capacity()));
        overload(process);
        MutableDecision shed = firstShed(process);
        assertThat(shed.verdict(0).retryAfterMicros()).isBetween(1_000_000L, 3_000_000L);
        assertThat(Objects.requireNonNull(shed.binding()).cause()).isEqualTo(Cause.CAPACITY);
        assertThat(shed.verdict(0).toString())
                .contains("denied by service:p")
                .contains("some callers of priority read are shed");
    }

    private static MutableDecision firstShed(LocalLimiterHarness process) {
        for (int i = 0; i < 1_000; i++) {
            MutableDecision decision = process.decide(of("GET", "v" + i));
            if (decision.verdict(0).isShed()) {
                return decision;
            }
        }
        throw new AssertionError("nobody is shed");
    }

    @Test
    void anonymousRequestsAreShedInPart() {
        LocalLimiterHarness process = harness(service(capacity()));
        overload(process);
        int shed = 0;
        for (int i = 0; i < 300; i++) {
            shed += process.decide(ask("method", "GET")).verdict(0).isShed() ? 1 : 0;
        }
        assertThat(shed / 300.0).isEqualTo(2.0 / 3, within(0.15));
    }

    @Test
    void theCallersOwnLimitSpeaksBeforeTheCapacity() {
        WeirRule own = rule(
                WeirRules.rule("own", Limit.fixedWindow(1, Duration.ofHours(1))).build(), KeyBy.of("user_id"));
        LocalLimiterHarness process = harness(service(capacity()), own);
        overload(process);
        MutableDecision decision = process.decide(of("GET", "u1"));
        assertThat(decision.allowed()).isFalse();
        assertThat(Objects.requireNonNull(decision.binding()).ruleName()).isEqualTo("own");
        assertThat(Objects.requireNonNull(decision.binding()).cause()).isEqualTo(Cause.QUOTA);
    }

    @Test
    void aRequestThatItsOwnLimitDeniesIsNoDemandOnTheService() {
        WeirRule own = rule(
                WeirRules.rule("own", Limit.fixedWindow(1, Duration.ofHours(1))).build(), KeyBy.of("user_id"));
        LocalLimiterHarness process = harness(service(capacity()), own);
        for (int i = 0; i < 3_000; i++) {
            process.now += 1_000;
            process.decide(of("GET", "u1"));
        }
        assertThat(process.decide(of("GET", "u2")).allowed()).isTrue();
    }

    @Test
    void inShadowNobodyIsDenied() {
        LocalLimiterHarness process = harness(service(capacity().shadow(true)));
        for (int i = 0; i < 900; i++) {
            process.now += 3_333;
            assertThat(process.decide(of("GET", "u" + i % 97)).allowed()).isTrue();
        }
        MutableDecision shed = firstShed(process);
        assertThat(shed.allowed()).isTrue();
        assertThat(shed.verdict(0).shadow()).isTrue();
    }

    @Test
    void aCapacityThatIsNotRolledOutDeniesNobody() {
        LocalLimiterHarness process = harness(service(capacity().rollout(0)));
        for (int i = 0; i < 900; i++) {
            process.now += 3_333;
            assertThat(process.decide(of("GET", "u" + i % 97)).allowed()).isTrue();
        }
    }

    @Test
    void aReloadForgetsNoOverload() {
        LocalLimiterHarness process = harness(service(capacity()));
        overload(process);
        process.limiter.index(RuleIndex.of(rules(service(capacity()), service(WeirRules.rule("other")))));
        firstShed(process);
        process.limiter.index(RuleIndex.of(rules(service(WeirRules.rule("other")))));
        process.limiter.index(RuleIndex.of(rules(service(capacity()))));
        assertThat(Objects.requireNonNull(process.limiter.capacity().find(only(process.limiter)))
                        .isShedding())
                .as("of a service that was removed nothing is left")
                .isFalse();
    }

    @Test
    void aProbeSaysThatTheCallerIsShedAndCountsNothing() {
        LocalLimiterHarness process = harness(service(capacity()));
        overload(process);
        String shed = "";
        for (int i = 0; shed.isEmpty(); i++) {
            shed = process.decide(of("GET", "v" + i)).verdict(0).isShed() ? "v" + i : "";
        }
        long before = Objects.requireNonNull(process.limiter.capacity().find(only(process.limiter)))
                .shed(Priority.READ);
        MutableDecision probed = process.limiter
                .probe(of("GET", shed))
                .toCompletableFuture()
                .join()
                .decision();
        assertThat(probed.allowed()).isFalse();
        assertThat(probed.verdict(0).isShed()).isTrue();
        assertThat(Objects.requireNonNull(process.limiter.capacity().find(only(process.limiter)))
                        .shed(Priority.READ))
                .isEqualTo(before);
        assertThat(process.limiter.counters(of("GET", shed))).hasSize(1);
    }

    @Test
    void aShedRequestAsksNoStore() {
        SharedLimiterHarness process = new SharedLimiterHarness(rules(service(capacity())));
        process.store().answering();
        for (int i = 0; i < 900; i++) {
            process.now += 3_333;
            process.ask(of("GET", "u" + i % 97));
        }
        int asked = process.store().asked.size();
        for (int i = 0; i < 1_000; i++) {
            SharedLimiterHarness.Answer answer = process.ask(of("GET", "v" + i));
            if (answer.decision.verdict(0).isShed()) {
                assertThat(answer.atOnce).isTrue();
                assertThat(process.store().asked).hasSize(asked);
                return;
            }
            asked = process.store().asked.size();
        }
        throw new AssertionError("nobody is shed");
    }

    @Test
    void withoutItsStoreOnFailDecidesAboutOthersAndCriticalOnesPass() {
        SharedLimiterHarness process =
                new SharedLimiterHarness(rules(service(capacity().onFail(OnFail.DENY))));
        process.store().answering().fail(StoreFailure.TIMEOUT);
        assertThat(process.ask(of("GET", "u")).decision.allowed()).isFalse();
        assertThat(process.ask(critical()).decision.allowed()).isTrue();
    }
}
