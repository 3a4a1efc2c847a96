package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Decision;
import dev.weir.Limit;
import dev.weir.LoadShedder;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.Weir;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Callers that leave while a store decides: nothing that their calls hold stays behind. */
class LeavingCallersTest {
    private final Weir weir = Weir.open(RuleSet.builder("app")
            .rule("in-flight", Limit.concurrency(1, Duration.ofDays(1)))
            .domain("cost")
            .rule("cost", Limit.tokenBucket(10, Duration.ofDays(1)))
            .build());
    private final Queue<Question> questions = new ArrayDeque<>();
    private final LoadShedder shedder = LoadShedder.create();
    private boolean cancellable = true;

    @AfterEach
    void close() {
        weir.close();
    }

    /** A request that a store has not decided yet. */
    private final class Question extends CompletableFuture<Decision> {
        private final Request request;
        private final boolean ends = cancellable;

        Question(Request request) {
            this.request = request;
        }

        /** Without effect if the store has begun to answer. */
        @Override
        public boolean cancel(boolean mayInterrupt) {
            return ends && super.cancel(mayInterrupt);
        }

        Decision answer() {
            Decision decision = weir.decide(request);
            if (!complete(decision)) {
                decision.permit().close();
            }
            return decision;
        }
    }

    /** A weir whose decisions wait for the test. */
    private Weir late() {
        return (Weir) Proxy.newProxyInstance(
                Weir.class.getClassLoader(), new Class<?>[] {Weir.class}, (self, method, args) -> {
                    if (!method.getName().equals("decideAsync")) {
                        return method.invoke(weir, args);
                    }
                    Question question = new Question((Request) args[0]);
                    questions.add(question);
                    return question;
                });
    }

    private CompletableFuture<LimitedCall> ask(HttpLimiter limiter) {
        return limiter.decideAsync(new Call()).toCompletableFuture();
    }

    private Question next() {
        return Objects.requireNonNull(questions.remove());
    }

    private void nothingIsHeld() {
        assertThat(shedder.inFlight()).isZero();
        Decision decision = weir.decide(plain("app"));
        assertThat(decision.allowed()).as("the permit is free").isTrue();
        decision.permit().close();
        assertThat(questions).isEmpty();
    }

    private HttpLimiter.Builder limiter() {
        return HttpLimiter.builder(late()).domain("app").shedder(shedder);
    }

    @Test
    void theWaitEndsAndThePermitAndTheAdmissionComeBack() {
        CompletableFuture<LimitedCall> call = ask(limiter().build());
        assertThat(shedder.inFlight()).isEqualTo(1);
        assertThat(call.cancel(false)).isTrue();
        Question question = next();
        assertThat(question).isCancelled();
        question.answer();
        nothingIsHeld();
    }

    @Test
    void aDecisionThatMeetsTheCancellationIsUndone() {
        cancellable = false;
        CompletableFuture<LimitedCall> call = ask(limiter().build());
        assertThat(call.cancel(false)).isTrue();
        assertThat(next().answer().allowed()).isTrue();
        nothingIsHeld();
    }

    @Test
    void aStoreThatFailsEndsTheCall() {
        CompletableFuture<LimitedCall> call = ask(limiter().build());
        next().completeExceptionally(new IllegalStateException("closed"));
        assertThat(call).isCompletedExceptionally();
        nothingIsHeld();
    }

    @Test
    void aCallThatIsNotServedCostsNothing() {
        HttpLimiter limiter = limiter().chargeAfter("cost", (call, status) -> 5).build();
        CompletableFuture<LimitedCall> early = ask(limiter);
        early.cancel(false);
        assertThat(next().answer().allowed()).as("the estimate").isTrue();
        next().answer(); // gives it back
        nothingIsHeld();
        assertThat(left()).isEqualTo(10);

        CompletableFuture<LimitedCall> later = ask(limiter);
        next().answer();
        assertThat(left()).isEqualTo(9);
        later.cancel(false);
        next().answer();
        next().answer();
        nothingIsHeld();
        assertThat(left()).isEqualTo(10);

        CompletableFuture<LimitedCall> served = ask(limiter);
        next().answer();
        next().answer();
        served.join().ended(200);
        next().answer();
        nothingIsHeld();
        assertThat(left()).isEqualTo(5);
    }

    @Test
    void aDenialAfterTheEstimateGivesItBack() {
        Decision other = weir.decide(plain("app"));
        HttpLimiter limiter = limiter().chargeAfter("cost", (call, status) -> 5).build();
        CompletableFuture<LimitedCall> call = ask(limiter);
        next().answer();
        next().answer();
        assertThat(call.join().status()).isEqualTo(429);
        next().answer();
        other.permit().close();
        nothingIsHeld();
        assertThat(left()).isEqualTo(10);
    }

    private static Request plain(String domain) {
        return Request.to(domain).asAttributes().with("endpoint", "GET /");
    }

    private long left() {
        return Objects.requireNonNull(weir.decide(plain("cost").takeNothing()).binding())
                .remaining();
    }

    /** Any call. */
    private record Call() implements HttpCall {
        @Override
        public String method() {
            return "GET";
        }

        @Override
        public String path() {
            return "/";
        }

        @Override
        public String peer() {
            return "10.0.0.1";
        }

        @Override
        public List<String> headers(String name) {
            return List.of();
        }
    }
}
