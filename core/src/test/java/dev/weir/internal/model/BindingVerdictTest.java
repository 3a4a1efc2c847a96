package dev.weir.internal.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Cause;
import dev.weir.Limit;
import dev.weir.Verdict.Reason;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BindingVerdictTest {
    private static final Limit LIMIT = Limit.fixedWindow(5, Duration.ofMinutes(1));

    @Test
    void ofSeveralDenialsTheOnesThatNoWaitCuresSpeakFirstThenTheCallersOwnThenCapacity() {
        assertThat(told(Cause.CAPACITY, Cause.QUOTA)).isEqualTo(Cause.QUOTA);
        assertThat(told(Cause.QUOTA, Cause.CAPACITY)).isEqualTo(Cause.QUOTA);
        assertThat(told(Cause.QUOTA, Cause.NOT_ALLOWED, Cause.CAPACITY)).isEqualTo(Cause.NOT_ALLOWED);
        assertThat(told(Cause.CAPACITY)).isEqualTo(Cause.CAPACITY);
    }

    @Test
    void aCapacityWithTheLongerWaitDoesNotSpeakBeforeTheCallersOwnLimit() {
        MutableDecision decision = new MutableDecision();
        decision.begin(0);
        deny(decision, Cause.CAPACITY, Reason.OVER_LIMIT, 60_000_000);
        deny(decision, Cause.QUOTA, Reason.OVER_LIMIT, 1);
        decision.end(false);
        assertThat(decision.cause()).isEqualTo(Cause.QUOTA);
        assertThat(decision.status()).isEqualTo(429);
    }

    @Test
    void aStoreThatDoesNotAnswerSpeaksLast() {
        MutableDecision decision = new MutableDecision();
        decision.begin(0);
        deny(decision, Cause.QUOTA, Reason.STORE_DOWN, 0);
        assertThat(ended(decision).cause()).isEqualTo(Cause.STORE_DOWN);
        assertThat(decision.status()).isEqualTo(503);
        deny(decision, Cause.CAPACITY, Reason.OVER_LIMIT, 1);
        assertThat(ended(decision).cause()).isEqualTo(Cause.CAPACITY);
    }

    @Test
    void aPassHasNoCauseAndTheStatus200() {
        MutableDecision decision = new MutableDecision();
        decision.begin(0);
        decision.add().set(rule(Cause.CAPACITY), LIMIT, 0, 1, Reason.WITHIN_LIMIT, 4, 1, 0, 0);
        decision.end(true);
        assertThat(decision.cause()).isNull();
        assertThat(decision.verdict(0).cause()).isNull();
        assertThat(decision.status()).isEqualTo(200);
    }

    private static @Nullable Cause told(Cause... causes) {
        MutableDecision decision = new MutableDecision();
        decision.begin(0);
        List.of(causes).forEach(each -> deny(decision, each, Reason.OVER_LIMIT, 1_000_000));
        return ended(decision).cause();
    }

    private static MutableDecision ended(MutableDecision decision) {
        decision.end(false);
        return decision;
    }

    private static void deny(MutableDecision into, Cause cause, Reason reason, long retryAfter) {
        into.add().set(rule(cause), LIMIT, 0, 1, reason, 0, 1, retryAfter, 0);
    }

    private static Rule rule(Cause cause) {
        return Rule.builder("d", cause.name()).limit(LIMIT).denyAs(cause).build();
    }
}
