package dev.weir.server.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Request;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Idempotency;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RememberedAnswersTest {
    private static final HttpAnswer ANSWER = new HttpAnswer(200, HttpAnswer.JSON, new byte[0], List.of());

    private static final long PLENTY = 1L << 40;

    private final AtomicInteger decisions = new AtomicInteger();

    @Test
    void aCallerThatFloodsPushesOutItsOwnOldestAnswerAndNobodyElses() {
        RememberedAnswers answers = answers(10, 100);
        ask(answers, "quiet", "k");
        for (int i = 0; i < 1_000; i++) {
            ask(answers, "loud", "k" + i);
        }
        assertThat(answers.size()).isEqualTo(11);
        assertThat(charges(answers, "quiet", "k")).isFalse();
        assertThat(charges(answers, "loud", "k999")).isFalse();
        assertThat(charges(answers, "loud", "k0")).isTrue();
    }

    @Test
    void whenAllIsFullTheCallerThatAskedLeastRecentlyGivesWay() {
        RememberedAnswers answers = answers(10, 100);
        ask(answers, "old", "k");
        ask(answers, "used", "k");
        for (int i = 0; i < 98; i++) {
            ask(answers, "c" + i, "k");
        }
        assertThat(charges(answers, "used", "k")).isFalse();
        ask(answers, "new", "k");
        assertThat(answers.size()).isEqualTo(100);
        assertThat(charges(answers, "used", "k")).isFalse();
        assertThat(charges(answers, "old", "k")).isTrue();
    }

    @Test
    void callersWithoutNumberCannotOutgrowTheTotal() {
        RememberedAnswers answers = answers(1_024, 32_768);
        for (int i = 0; i < 100_000; i++) {
            ask(answers, "c" + i, "k");
        }
        assertThat(answers.size()).isLessThanOrEqualTo(32_768);
    }

    @Test
    void longAnswersToCallersWithoutNumberCannotOutgrowTheirMemory() {
        long most = 8L << 20;
        RememberedAnswers answers =
                new RememberedAnswers(new RestSettings.Idempotency(Duration.ofDays(1), 1_024, 32_768, most, null));
        HttpAnswer longAnswer = new HttpAnswer(200, HttpAnswer.JSON, new byte[2_000], List.of("A", "b".repeat(900)));
        for (int i = 0; i < 20_000; i++) {
            Idempotency once = once(i % 3 == 0 ? "loud" : "c" + i, "k" + i, "f");
            answers.once(once, "k", 0, new Heard(), first -> first.decided(longAnswer, true));
        }
        assertThat(answers.bytes()).isBetween(most * 3 / 4, most);
        assertThat(answers.size() * longAnswer.bytes()).isLessThan((int) most);
    }

    @Test
    void aCallerWithLongAnswersTakesHalfOfTheMemoryAndPushesOutNobody() {
        long most = 4L << 20;
        RememberedAnswers answers =
                new RememberedAnswers(new RestSettings.Idempotency(Duration.ofDays(1), 1_000_000, 1_000, most, null));
        ask(answers, "quiet", "k");
        HttpAnswer longAnswer = new HttpAnswer(200, HttpAnswer.JSON, new byte[20_000], List.of());
        for (int i = 0; i < 1_000; i++) {
            answers.once(once("loud", "k" + i, "f"), "k", 0, new Heard(), first -> first.decided(longAnswer, true));
        }
        assertThat(answers.bytes()).isLessThanOrEqualTo(most / 2 + 1_000);
        assertThat(charges(answers, "quiet", "k")).isFalse();
    }

    @Test
    void whatHasExpiredMakesRoomAsOthersCome() {
        RememberedAnswers answers = answers(10, 100);
        for (int i = 0; i < 50; i++) {
            ask(answers, "c" + i, "k");
        }
        answers.once(once("late", "k", "f"), "k", Duration.ofDays(2).toNanos() / 1_000, new Heard(), this::decide);
        assertThat(answers.size()).isEqualTo(1);
    }

    @Test
    void oneKeyOnManyThreadsAtOnceIsDecidedOnce() throws Exception {
        RememberedAnswers answers = answers(1_024, 32_768);
        CyclicBarrier together = new CyclicBarrier(4);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < 200; round++) {
                String key = "k" + round;
                List<Future<?>> asked = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    asked.add(threads.submit(() -> {
                        together.await();
                        ask(answers, "caller", key);
                        return key;
                    }));
                }
                for (Future<?> each : asked) {
                    each.get();
                }
            }
        } finally {
            threads.shutdown();
        }
        assertThat(decisions).hasValue(200);
    }

    @Test
    void whoeverAsksWhileTheFirstIsBeingDecidedHearsWhatComesOfIt() {
        RememberedAnswers answers = answers(10, 100);
        List<RememberedAnswers.InFlight> inFlight = new ArrayList<>();
        Heard first = new Heard();
        Heard second = new Heard();
        Idempotency once = once("c", "k", "f");
        answers.once(once, "k", 0, first, inFlight::add);
        answers.once(once, "k", 0, second, inFlight::add);
        assertThat(inFlight).hasSize(1);
        assertThatThrownBy(() -> answers.once(once("c", "k", "other"), "k", 0, second, inFlight::add))
                .isInstanceOf(HttpProblemException.class)
                .hasMessageContaining("was used for a different request");
        inFlight.get(0).decided(ANSWER, true);
        assertThat(first.answers).containsExactly(ANSWER);
        assertThat(second.answers).singleElement().isNotSameAs(ANSWER);
        inFlight.get(0).decided(ANSWER, true);
        assertThat(first.answers).hasSize(1);
    }

    @Test
    void aDenialIsThatOfAllWhoAskedAtOnceAndOfNobodyAfter() {
        RememberedAnswers answers = answers(10, 100);
        List<RememberedAnswers.InFlight> inFlight = new ArrayList<>();
        Heard first = new Heard();
        Heard second = new Heard();
        Heard third = new Heard();
        Idempotency once = once("c", "k", "f");
        answers.once(once, "k", 0, first, inFlight::add);
        answers.once(once, "k", 0, second, inFlight::add);
        inFlight.get(0).decided(ANSWER, false);
        assertThat(first.answers).containsExactly(ANSWER);
        assertThat(second.answers).containsExactly(ANSWER);
        answers.once(once, "k", 0, third, inFlight::add);
        assertThat(inFlight).hasSize(2);
        assertThat(answers.size()).isZero();
    }

    @Test
    void aDecisionThatFailsFailsForAllWhoWaitAndTheNextIsDecidedAnew() {
        RememberedAnswers answers = answers(10, 100);
        Heard first = new Heard();
        RuntimeException failure = new IllegalStateException("on purpose");
        answers.once(once("c", "k", "f"), "k", 0, first, inFlight -> {
            throw failure;
        });
        assertThat(first.failures).containsExactly(failure);
        assertThat(charges(answers, "c", "k")).isTrue();
    }

    @Test
    void anAnswerThatCannotBeMadeLaterFailsForAllWhoWaitAndTheNextIsDecidedAnew() {
        RememberedAnswers answers = answers(10, 100);
        List<RememberedAnswers.InFlight> inFlight = new ArrayList<>();
        Heard first = new Heard();
        Heard second = new Heard();
        answers.once(once("c", "k", "f"), "k", 0, first, inFlight::add);
        answers.once(once("c", "k", "f"), "k", 0, second, inFlight::add);
        RuntimeException failure = new IllegalStateException("on purpose");
        inFlight.get(0).complete(() -> {
            throw failure;
        });
        assertThat(first.failures).containsExactly(failure);
        assertThat(second.failures).containsExactly(failure);
        assertThat(charges(answers, "c", "k")).isTrue();
    }

    private static Idempotency once(String caller, String key, String sent) {
        return new IdempotencyHashes(RestSettings.Idempotency.defaults())
                .of(
                        IdempotencyScope.of(
                                Request.to("d").with("user_id", caller), RuleIndex.of(WrittenRules.empty())),
                        key,
                        "/",
                        sent.getBytes(StandardCharsets.UTF_8));
    }

    private static RememberedAnswers answers(int perCaller, int total) {
        return new RememberedAnswers(new RestSettings.Idempotency(Duration.ofDays(1), perCaller, total, PLENTY, null));
    }

    private boolean charges(RememberedAnswers answers, String caller, String key) {
        int before = decisions.get();
        ask(answers, caller, key);
        return decisions.get() > before;
    }

    private void ask(RememberedAnswers answers, String caller, String key) {
        Heard heard = new Heard();
        answers.once(once(caller, key, "f"), key, 0, heard, this::decide);
    }

    private void decide(RememberedAnswers.InFlight first) {
        decisions.incrementAndGet();
        first.decided(ANSWER, true);
    }

    /** The answer that a caller got. */
    private static final class Heard implements RememberedAnswers.Waiting {
        final List<HttpAnswer> answers = new CopyOnWriteArrayList<>();
        final List<RuntimeException> failures = new CopyOnWriteArrayList<>();

        @Override
        public void answer(HttpAnswer answer) {
            answers.add(answer);
        }

        @Override
        public void fail(RuntimeException failure) {
            failures.add(failure);
        }
    }
}
