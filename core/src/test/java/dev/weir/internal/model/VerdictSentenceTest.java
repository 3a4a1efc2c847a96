package dev.weir.internal.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.Verdict.Reason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class VerdictSentenceTest {
    private static final Limit LIMIT = Limit.tokenBucket(5, Duration.ofSeconds(90));

    private static RuleBuilder logins() {
        return Rule.builder("d", "logins").label("logins").limit(LIMIT);
    }

    private static MutableVerdict verdict(
            @Nullable Rule rule, Reason reason, long hits, long remaining, long retryMicros) {
        Limit limit = reason == Reason.UNLIMITED ? null : LIMIT;
        return new MutableVerdict().set(rule, limit, 0, hits, reason, remaining, 0, retryMicros, 0);
    }

    private static String told(Reason reason, long hits, long remaining, long retryMicros) {
        return VerdictSentence.of(verdict(logins().build(), reason, hits, remaining, retryMicros), "user_id=u");
    }

    @Test
    void everyReasonHasItsSentence() {
        String by = "denied by logins (5 per 1m 30s, token_bucket) for user_id=u: ";
        assertThat(told(Reason.WITHIN_LIMIT, 1, 4, 0))
                .isEqualTo("allowed under logins (5 per 1m 30s, token_bucket) for user_id=u: 4 left");
        assertThat(told(Reason.OVER_LIMIT, 1, 0, 11_800_000)).isEqualTo(by + "0 left, passes again in 12s");
        assertThat(told(Reason.OVER_LIMIT, 3, 1, 89_000_001))
                .isEqualTo(by + "1 left, 3 asked for, passes again in 1m 30s");
        assertThat(told(Reason.NEVER, 6, 5, MutableVerdict.NEVER)).isEqualTo(by + "6 hits can never fit");
        assertThat(told(Reason.MISSING_KEY, 1, 0, MutableVerdict.NEVER))
                .isEqualTo(by + "the request lacks the attribute that the rule counts by");
        assertThat(told(Reason.STORE_DOWN, 1, 0, 0))
                .isEqualTo(by + "its store does not answer, and the rule says on_fail: allow");
        assertThat(VerdictSentence.of(verdict(logins().build(), Reason.UNLIMITED, 1, 9, 0)))
                .isEqualTo("allowed under logins: unlimited");
    }

    @Test
    void aLimitWithoutARuleSaysItsNumbers() {
        assertThat(verdict(null, Reason.OVER_LIMIT, 1, 0, 250_000))
                .hasToString("denied (5 per 1m 30s, token_bucket): 0 left, passes again in 250ms");
    }

    @Test
    void whatOnlyWatchesWouldDeny() {
        assertThat(verdict(logins().shadow(true).build(), Reason.OVER_LIMIT, 1, 0, 1_000_000))
                .hasToString("would be denied by logins (5 per 1m 30s, token_bucket): 0 left, passes again in 1s;"
                        + " only watched: the rule says shadow");
    }

    @Test
    void aNameForgesNoLineAndIsCutShort() {
        Rule rule = Rule.builder("d", "x")
                .label("a\r\n\u202e" + "b".repeat(100))
                .limit(LIMIT)
                .build();
        assertThat(verdict(rule, Reason.WITHIN_LIMIT, 1, 4, 0))
                .asString()
                .startsWith("allowed under a???bbb")
                .contains("bbb… (5 per");
    }
}
