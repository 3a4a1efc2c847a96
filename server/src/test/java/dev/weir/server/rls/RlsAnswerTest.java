package dev.weir.server.rls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.CalendarWindow;
import dev.weir.Cause;
import dev.weir.Limit;
import dev.weir.Verdict.Reason;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.QueueBounds;
import dev.weir.internal.model.Rule;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RlsAnswerTest {
    private static final Limit FIVE_A_MINUTE = Limit.fixedWindow(5, Duration.ofMinutes(1));
    private static final Rule ENVOY = Rule.builder("d", "a")
            .name("a")
            .limit(FIVE_A_MINUTE)
            .countsDenied(true)
            .build();
    private static final Rule SHADOW = Rule.builder("d", "s")
            .limit(FIVE_A_MINUTE)
            .countsDenied(true)
            .shadow(true)
            .build();
    private static final Rule QUOTA = Rule.builder("d", "q")
            .limit(FIVE_A_MINUTE)
            .countsDenied(true)
            .quota(true)
            .build();
    private static final Rule UNLIMITED = Rule.builder("d", "u").name("u").build();

    private final MutableDecision decision = new MutableDecision();
    private final RlsAnswer answer = new RlsAnswer(new RlsSettings(
            new RlsSettings.Headers("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"),
            null,
            false,
            false,
            false));

    RlsAnswerTest() {
        decision.begin(0);
    }

    @Test
    void aDescriptorThatMeetsNoRuleIsOkAndHasNeitherLimitNorRemaining() {
        RlsStatus status = answer.of(decision, 1).status(0);
        assertThat(answer.overallCode()).isEqualTo(RlsCode.OK);
        assertThat(status.code()).isEqualTo(RlsCode.OK);
        assertThat(status.limited()).isFalse();
        assertThat(status.remaining()).isZero();
        assertThat(answer.headersOf()).isEqualTo(-1);
    }

    @Test
    void anUnlimitedRuleLeavesTheLargestNumberAndNamesNoLimit() {
        verdict(UNLIMITED, 0, Reason.UNLIMITED, 0, 0);
        RlsStatus status = answer.of(decision, 1).status(0);
        assertThat(status.code()).isEqualTo(RlsCode.OK);
        assertThat(status.limited()).isFalse();
        assertThat(status.remaining()).isEqualTo(4294967295L);
        assertThat(answer.headersOf()).isEqualTo(-1);
    }

    @Test
    void aStatusTellsLimitUnitNameRemainingAndTheSecondsUntilResetRoundedUp() {
        verdict(ENVOY, 0, Reason.WITHIN_LIMIT, 3, 1_000_001);
        RlsStatus status = answer.of(decision, 1).status(0);
        assertThat(status.requestsPerUnit()).isEqualTo(5);
        assertThat(status.unit()).isEqualTo(RlsUnit.MINUTE);
        assertThat(status.name()).isEqualTo("a");
        assertThat(status.remaining()).isEqualTo(3);
        assertThat(status.resetSeconds()).isEqualTo(2);
    }

    @Test
    void theTimeUntilResetIsNeverZero() {
        verdict(ENVOY, 0, Reason.WITHIN_LIMIT, 5, 0);
        assertThat(answer.of(decision, 1).status(0).resetSeconds()).isEqualTo(1);
    }

    @Test
    void numbersBeyond32BitsAreToldAsTheLargest() {
        Rule huge = Rule.builder("d", "h")
                .limit(Limit.tokenBucket(1L << 40, Duration.ofSeconds(10)))
                .build();
        verdict(huge, 0, Reason.WITHIN_LIMIT, 1L << 39, 1);
        RlsStatus status = answer.of(decision, 1).status(0);
        assertThat(status.requestsPerUnit()).isEqualTo(4294967295L);
        assertThat(status.remaining()).isEqualTo(4294967295L);
        assertThat(status.unit()).isEqualTo(RlsUnit.UNKNOWN);
    }

    @Test
    void aBucketThatHoldsMoreThanItsRequestsTellsNoMoreThanThose() {
        Rule bucket = Rule.builder("d", "b")
                .limit(new Limit(Algorithm.TOKEN_BUCKET, 10, 1_000_000, 20, 1))
                .build();
        verdict(bucket, 0, Reason.WITHIN_LIMIT, 19, 1);
        RlsStatus status = answer.of(decision, 1).status(0);
        assertThat(status.requestsPerUnit()).isEqualTo(10);
        assertThat(status.remaining()).isEqualTo(10);
    }

    @Test
    void whoeverIsOverEnvoysWindowHasNothingLeftEvenIfFewerHitsWouldHaveFitted() {
        verdict(ENVOY, 0, Reason.OVER_LIMIT, 2, 1);
        decision.end(false, 0);
        RlsStatus status = answer.of(decision, 1).status(0);
        assertThat(answer.overallCode()).isEqualTo(RlsCode.OVER_LIMIT);
        assertThat(status.code()).isEqualTo(RlsCode.OVER_LIMIT);
        assertThat(status.remaining()).isZero();
    }

    @Test
    void aShadowRuleThatIsOverIsOkWithNothingLeft() {
        verdict(SHADOW, 0, Reason.OVER_LIMIT, 0, 1);
        RlsStatus status = answer.of(decision, 1).status(0);
        assertThat(status.code()).isEqualTo(RlsCode.OK);
        assertThat(status.limited()).isTrue();
        assertThat(status.remaining()).isZero();
    }

    @Test
    void aQuotaThatIsUsedUpIsOverAlsoWhereAnotherLetsTheRequestPass() {
        verdict(QUOTA, 0, Reason.OVER_LIMIT, 0, 1);
        verdict(QUOTA, 1, Reason.WITHIN_LIMIT, 1, 1);
        assertThat(answer.of(decision, 2).overallCode()).isEqualTo(RlsCode.OK);
        assertThat(answer.of(decision, 2).status(0).code()).isEqualTo(RlsCode.OVER_LIMIT);
        assertThat(answer.of(decision, 2).status(1).code()).isEqualTo(RlsCode.OK);
    }

    @Test
    void headersSpeakOfTheFirstDescriptorWithTheLeastRemaining() {
        verdict(ENVOY, 0, Reason.WITHIN_LIMIT, 3, 1);
        verdict(ENVOY, 2, Reason.WITHIN_LIMIT, 2, 1);
        verdict(ENVOY, 3, Reason.WITHIN_LIMIT, 2, 1);
        assertThat(answer.of(decision, 4).headersOf()).isEqualTo(2);
    }

    @Test
    void headersSpeakOfTheLastOrdinaryDescriptorThatIsOver() {
        verdict(ENVOY, 0, Reason.OVER_LIMIT, 0, 1);
        verdict(ENVOY, 1, Reason.OVER_LIMIT, 0, 1);
        verdict(SHADOW, 2, Reason.OVER_LIMIT, 0, 1);
        verdict(QUOTA, 3, Reason.OVER_LIMIT, 0, 1);
        decision.end(false, 0);
        assertThat(answer.of(decision, 4).headersOf()).isEqualTo(1);
    }

    @Test
    void thereAreNoHeadersUnlessAskedFor() {
        verdict(ENVOY, 0, Reason.OVER_LIMIT, 0, 1);
        assertThat(new RlsAnswer(RlsSettings.defaults()).of(decision, 1).headersOf())
                .isEqualTo(-1);
    }

    @Test
    void ofManyRulesTheOneWithTheLeastShareLeftSpeaksForItsDescriptor() {
        verdict(weir("hour", 1000, false), 0, Reason.WITHIN_LIMIT, 900, 1);
        verdict(weir("second", 10, false), 0, Reason.WITHIN_LIMIT, 5, 1);
        verdict(weir("huge", Long.MAX_VALUE / 2, false), 0, Reason.WITHIN_LIMIT, Long.MAX_VALUE / 3, 1);
        assertThat(answer.of(decision, 1).status(0).name()).isEqualTo("second");
    }

    @Test
    void aDenialSpeaksBeforeAnyShareAndARuleThatOnlyWatchesLast() {
        verdict(weir("watch", 5, true), 0, Reason.OVER_LIMIT, 0, 1);
        verdict(weir("empty", 10, false), 0, Reason.WITHIN_LIMIT, 0, 1);
        assertThat(answer.of(decision, 1).status(0).name()).isEqualTo("empty");
        verdict(weir("denies", 10, false), 0, Reason.NEVER, 10, 1);
        decision.end(false, 2);
        RlsStatus status = answer.of(decision, 1).status(0);
        assertThat(status.name()).isEqualTo("denies");
        assertThat(status.code()).isEqualTo(RlsCode.OVER_LIMIT);
        assertThat(status.remaining()).isEqualTo(10);
    }

    @Test
    void aDenialThatIsNo429TellsItsStatusInAHeaderAndAProblemAsBody() {
        Rule ceiling = Rule.builder("d", "c")
                .name("c")
                .limit(FIVE_A_MINUTE)
                .denyAs(Cause.CAPACITY)
                .build();
        decision.add().set(ceiling, FIVE_A_MINUTE, 0, 1, Reason.OVER_LIMIT, 0, 1, 2_500_000, 0);
        decision.end(false);
        RlsAnswer plain = new RlsAnswer(RlsSettings.defaults()).of(decision, 1);
        assertThat(plain.isPlain()).isFalse();
        assertThat(plain.responseHeaders())
                .isEqualTo(
                        Map.of("x-weir-status", "503", "content-type", "application/problem+json", "retry-after", "3"));
        assertThat(new String(Objects.requireNonNull(plain.denial()).body(), StandardCharsets.UTF_8))
                .contains("\"status\":503", "temporary-reduced-capacity");
        assertThat(plain.status(0).resetSeconds()).isEqualTo(1);
    }

    @Test
    void aDenialThatNoWaitCuresTellsNeitherResetNorRetryAfter() {
        Rule paid = Rule.builder("d", "p")
                .name("p")
                .limit(FIVE_A_MINUTE)
                .denyAs(Cause.NOT_ALLOWED)
                .build();
        decision.add().set(paid, FIVE_A_MINUTE, 0, 1, Reason.OVER_LIMIT, 0, 1, 2_500_000, 0);
        decision.end(false);
        RlsAnswer plain = new RlsAnswer(RlsSettings.defaults()).of(decision, 1);
        assertThat(plain.responseHeaders())
                .isEqualTo(Map.of("x-weir-status", "403", "content-type", "application/problem+json"));
        assertThat(plain.status(0).resetSeconds()).isZero();
    }

    @Test
    void aDenialByARuleWithAQueueTellsHowLongItsCallerWouldHaveWaited() {
        Rule queued = Rule.builder("d", "q")
                .name("q")
                .limit(FIVE_A_MINUTE)
                .queue(new QueueBounds(500_000, 64))
                .build();
        decision.add().set(queued, FIVE_A_MINUTE, 0, 1, Reason.OVER_LIMIT, 0, 1, 20_001, 0);
        decision.end(false);
        RlsAnswer told = new RlsAnswer(RlsSettings.defaults()).of(decision, 1);
        assertThat(told.isPlain()).isFalse();
        assertThat(told.denial()).as("a 429 without a body").isNull();
        assertThat(told.responseHeaders()).isEqualTo(Map.of("retry-after", "1", "x-weir-delay-ms", "21"));
    }

    @Test
    void aDenialByAConcurrencyLimitTellsWhenToTryAgainAndNotWhenItsPermitsExpire() {
        Limit twoAtOnce = Limit.concurrency(2, Duration.ofMinutes(1));
        Rule calls = Rule.builder("d", "c").name("c").limit(twoAtOnce).build();
        decision.add().set(calls, twoAtOnce, 0, 1, Reason.OVER_LIMIT, 0, 60_000_000, 1_000_000, 0);
        decision.end(false);
        RlsAnswer told = new RlsAnswer(RlsSettings.defaults()).of(decision, 1);
        assertThat(told.responseHeaders()).isEqualTo(Map.of("retry-after", "1"));
        assertThat(told.status(0).resetSeconds()).isEqualTo(60);
    }

    @Test
    void a429IsTheReferencesAnswerAndNothingMore() {
        verdict(ENVOY, 0, Reason.OVER_LIMIT, 0, 1);
        decision.end(false);
        assertThat(new RlsAnswer(RlsSettings.defaults()).of(decision, 1).isPlain())
                .isTrue();
    }

    @Test
    void everyUnitHasTheNumberAndTheWindowOfTheProtocol() {
        for (RlsUnit unit : RlsUnit.values()) {
            assertThat(RlsUnit.ofNumber(unit.number())).isEqualTo(unit);
            assertThat(RlsUnit.ofName(unit.name())).isEqualTo(unit);
            Limit limit = unit.limit(7, false);
            assertThat(limit == null ? RlsUnit.UNKNOWN : RlsUnit.of(limit)).isEqualTo(unit);
        }
        assertThat(RlsUnit.of(Limit.fixedWindow(1, Duration.ofDays(30))).number())
                .isEqualTo(5);
        assertThat(RlsUnit.of(Limit.fixedWindow(1, Duration.ofDays(7))).number())
                .isEqualTo(7);
        assertThat(RlsUnit.of(Limit.calendarWindow(1, CalendarWindow.MONTH))).isEqualTo(RlsUnit.MONTH);
        assertThat(RlsUnit.MONTH.limit(3, true)).isEqualTo(Limit.calendarWindow(3, CalendarWindow.MONTH));
        assertThat(RlsUnit.ofNumber(8)).isEqualTo(RlsUnit.UNKNOWN);
        assertThat(RlsUnit.ofNumber(-1)).isEqualTo(RlsUnit.UNKNOWN);
    }

    private static Rule weir(String name, long requests, boolean shadow) {
        return Rule.builder("d", name)
                .name(name)
                .limit(Limit.tokenBucket(requests, Duration.ofSeconds(1)))
                .shadow(shadow)
                .build();
    }

    private void verdict(Rule rule, int descriptor, Reason reason, long remaining, long resetMicros) {
        decision.add().set(rule, rule.limit(), descriptor, 1, reason, remaining, resetMicros, 0, 0);
    }
}
