package dev.weir.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.ruleset.EnvoyTrees;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.RequestCost;
import dev.weir.internal.store.RequestTooCostlyException;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RequestCostTest {
    private static final WrittenRules PLAIN = WeirRules.rules(WeirRules.rule(
            WeirRules.rule("plain", Limit.tokenBucket(10, Duration.ofMinutes(1)))
                    .build(),
            KeyBy.of("user")));
    private static final WrittenRules LOG = WeirRules.rules(WeirRules.rule(
            WeirRules.rule("log", Limit.slidingWindowLog(10_000, Duration.ofMinutes(1)))
                    .build(),
            KeyBy.of("user")));
    private static final EnvoyDescriptor COUNTS_DENIED = EnvoyTrees.limited("user");

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void aSingleCheckIsNeverRefusedWhateverItsHits(Algorithm algorithm) {
        Limit limit = Limit.of(algorithm, 10_000, Duration.ofSeconds(1));
        assertThat(RequestCost.of(Meters.of(limit), Long.MAX_VALUE)).isLessThanOrEqualTo(RequestCost.LEAST_MAX);
        assertThat(RequestCost.of(Meters.of(limit), Long.MIN_VALUE)).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"1, 2", "40, 3", "1000, 27"})
    void subWindowsCostByTheirNumber(int parts, long cost) {
        Limit limit = Limit.slidingWindow(10, Duration.ofSeconds(1)).withSubWindows(parts);
        assertThat(RequestCost.of(Meters.of(limit), 1)).isEqualTo(parts == 1 ? 1 : cost);
    }

    @Test
    void aHundredAndTwentyEightPlainChecksPassWithTheLeastBound() {
        LimiterSettings least = LimiterSettings.defaults().withMaxRequestCost(RequestCost.LEAST_MAX);
        assertThat(new LocalLimiterHarness(PLAIN, least)
                        .limiter
                        .decide(users(128))
                        .allowed())
                .isTrue();
        SharedLimiterHarness shared = new SharedLimiterHarness(PLAIN, least);
        shared.store().answering();
        assertThat(shared.ask(users(128)).decision.allowed()).isTrue();
    }

    @Test
    void aRequestAboveTheBoundIsRefusedAndChargesNothing() {
        LocalLimiterHarness memory = new LocalLimiterHarness(PLAIN);
        assertThatThrownBy(() -> memory.limiter.decide(users(129)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("request cost: 129 units (expected: <= 128, which is max_request_cost; send fewer"
                        + " descriptors or hits in one request)");
        assertThat(memory.limiter.decide(users(128)).verdict(0).remaining()).isEqualTo(9);
        SharedLimiterHarness shared = new SharedLimiterHarness(PLAIN);
        assertThatThrownBy(() -> shared.ask(users(129))).isInstanceOf(RequestTooCostlyException.class);
        assertThat(shared.store().asked).isEmpty();
    }

    @Test
    void hitsOnALogCount() {
        LocalLimiterHarness memory = new LocalLimiterHarness(LOG);
        assertThat(memory.limiter.decide(users(4).hits(10_000)).allowed()).isTrue();
        assertThatThrownBy(() -> memory.limiter.decide(users(5).hits(10_000)))
                .hasMessageContaining("request cost: 130 units");
    }

    @Test
    void checksThatAreTakenAllOrNoneMustFitInOneStepOfASharedStore() {
        LimiterSettings more = LimiterSettings.defaults().withMaxRequestCost(1_000);
        SharedLimiterHarness shared = new SharedLimiterHarness(PLAIN, more);
        assertThatThrownBy(() -> shared.ask(users(257)))
                .hasMessage("request cost: 257 units in one step of a shared store (expected: <= 256, because its"
                        + " checks are taken all or none; send fewer descriptors or hits in one request)");
        assertThat(shared.store().asked).isEmpty();
        shared.ask(users(256));
        assertThat(shared.store().waiting).hasSize(1);
        assertThat(new LocalLimiterHarness(PLAIN, more)
                        .limiter
                        .decide(users(1_000))
                        .allowed())
                .as("memory alone")
                .isTrue();
    }

    @Test
    void checksThatCountApartAreSplitOverSeveralCalls() {
        SharedLimiterHarness shared = new SharedLimiterHarness(
                EnvoyTrees.rules(COUNTS_DENIED), LimiterSettings.defaults().withMaxRequestCost(1_000));
        SharedLimiterHarness.Answer answer = shared.ask(users(1_000));
        assertThat(shared.store().waiting)
                .hasSize(4)
                .allSatisfy(ask -> assertThat(cost(ask)).isLessThanOrEqualTo(RequestCost.MAX_STEP));
        shared.store().answerAll();
        assertThat(answer.decision.allowed()).isTrue();
        assertThat(answer.decision.size()).isEqualTo(1_000);
        assertThat(shared.store().asked).hasSize(1_000).doesNotHaveDuplicates();
        for (int i = 0; i < answer.decision.size(); i++) {
            assertThat(answer.decision.verdict(i).remaining()).isEqualTo(9);
        }
    }

    @Test
    void oneOverItsLimitAmongManyCallsDeniesTheRequestAndAllAreCounted() {
        SharedLimiterHarness shared = new SharedLimiterHarness(
                EnvoyTrees.rules(COUNTS_DENIED), LimiterSettings.defaults().withMaxRequestCost(1_000));
        shared.store().answering();
        Request request = users(600);
        request.descriptorHits(599, 11);
        SharedLimiterHarness.Answer answer = shared.ask(request);
        assertThat(answer.decision.allowed()).isFalse();
        assertThat(shared.store().asked).hasSize(600);
        assertThat(answer.decision.verdict(0).remaining()).isEqualTo(9);
    }

    private static long cost(Ask ask) {
        return IntStream.range(0, ask.checks.size())
                .mapToLong(i -> RequestCost.of(ask.checks.get(i)))
                .sum();
    }

    private static Request users(int count) {
        Request request = Request.to("d");
        for (int i = 0; i < count; i++) {
            request.descriptor().with("user", "u" + i);
        }
        return request;
    }
}
