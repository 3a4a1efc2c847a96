package dev.weir.server.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.rest.RememberedAnswers.Caller;
import dev.weir.server.rest.RememberedAnswers.Decided;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RememberedAnswersTest {
    private final AtomicInteger decisions = new AtomicInteger();

    @Test
    void a_caller_that_floods_pushes_out_its_own_oldest_answer_and_nobody_elses() {
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
    void when_all_is_full_the_caller_that_asked_least_recently_gives_way() {
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
    void callers_without_number_cannot_outgrow_the_total() {
        RememberedAnswers answers = answers(1_024, 32_768);
        for (int i = 0; i < 100_000; i++) {
            ask(answers, "c" + i, "k");
        }
        assertThat(answers.size()).isLessThanOrEqualTo(32_768);
    }

    @Test
    void what_has_expired_makes_room_as_others_come() {
        RememberedAnswers answers = answers(10, 100);
        for (int i = 0; i < 50; i++) {
            ask(answers, "c" + i, "k");
        }
        answers.once(new Caller("d", "late"), "k", "f", Duration.ofDays(2).toNanos() / 1_000, this::decide);
        assertThat(answers.size()).isEqualTo(1);
    }

    @Test
    void one_key_on_many_threads_at_once_is_decided_once() throws Exception {
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

    private static RememberedAnswers answers(int perCaller, int total) {
        return new RememberedAnswers(new RestSettings.Idempotency(Duration.ofDays(1), perCaller, total));
    }

    private boolean charges(RememberedAnswers answers, String caller, String key) {
        int before = decisions.get();
        ask(answers, caller, key);
        return decisions.get() > before;
    }

    private void ask(RememberedAnswers answers, String caller, String key) {
        answers.once(new Caller("d", caller), key, "f", 0, this::decide);
    }

    private Decided decide() {
        decisions.incrementAndGet();
        return new Decided(new Answer(200, Answer.JSON, new byte[0], List.of()), true);
    }
}
