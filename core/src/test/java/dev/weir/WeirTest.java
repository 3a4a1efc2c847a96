package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.QueueBounds;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WeirTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final AtomicLong now = new AtomicLong(1_700_000_000_000_000L);

    @Test
    void decidesARequestByRulesAndNamesTheOneThatBinds() {
        Weir weir = Weir.builder(rules(2)).time(now::get).open();
        Request free = Request.to("api").with("user_id", "u_42").with("tier", "free");
        Request pro = Request.to("api").with("user_id", "u_42").with("tier", "pro");

        assertThat(weir.decide(free).allowed()).isTrue();
        Decision allowed = weir.decide(free);
        assertThat(allowed.allowed()).isTrue();
        assertThat(allowed.retryAfter()).isZero();
        Decision denied = weir.decide(free);
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.ruleName()).isEqualTo("free");
        assertThat(denied.counterName()).isEqualTo("user_id=u_42");
        assertThat(denied.retryAfter()).isEqualTo(Duration.ofMillis(500));
        assertThat(denied.verdicts()).containsExactly(Objects.requireNonNull(denied.binding()));
        assertThat(denied.toString()).contains("denied by free");
        assertThat(weir.decide(pro).verdicts()).isEmpty();

        now.addAndGet(500_000);
        assertThat(weir.decideAsync(free).toCompletableFuture().join().allowed())
                .isTrue();
    }

    @Test
    void aRequestMayAskSomeOfTheRulesThatMatch() {
        RuleSet rules = RuleSet.builder("api")
                .rule("all", Limit.fixedWindow(1, SECOND))
                .rule("user", Limit.fixedWindow(5, SECOND))
                .keyBy("user_id")
                .build();
        Weir weir = Weir.builder(rules).time(now::get).open();
        Request both = Request.to("api")
                .with("user_id", "u_42")
                .descriptor()
                .descriptorHits(3)
                .with("user_id", "u_43")
                .onlyRules((rule, descriptor) -> rule.equals(descriptor == 0 ? "all" : "user"));

        assertThat(weir.decide(both).verdicts())
                .extracting(Verdict::ruleName, Verdict::remaining)
                .containsExactly(tuple("all", 0L), tuple("user", 2L));
        assertThat(weir.decide(Request.to("api").set(both)).ruleName()).isEqualTo("all");
        assertThat(weir.decide(both.clear("api").with("user_id", "u_43")).verdicts())
                .as("a cleared request asks all")
                .hasSize(2);
    }

    @Test
    void aRequestWaitsForItsTurnUntilItIsCancelled() {
        Rule rule = Rule.builder("api", "all")
                .limit(Limit.tokenBucket(10, SECOND).withBurst(1))
                .queue(new QueueBounds(10_000_000, 1))
                .build();
        RuleSource rules = WrittenRules.builder()
                .weir("api", List.of(new WeirRule(rule, List.of(), KeyBy.global())))
                .build();
        try (Weir weir = Weir.builder(rules).time(now::get).open()) {
            Request request = Request.to("api").with("user_id", "u_42");
            assertThat(weir.decide(request).allowed()).isTrue();
            CompletableFuture<Decision> gone = weir.decideAsync(request).toCompletableFuture();
            assertThat(weir.decide(request).allowed())
                    .as("the only place is taken")
                    .isFalse();
            gone.cancel(false);
            CompletableFuture<Decision> next = weir.decideAsync(request).toCompletableFuture();
            assertThat(next.isDone()).isFalse();
            now.addAndGet(100_000);
            assertThat(next.join().allowed()).isTrue();
        }
    }

    @Test
    void holdsNoMoreCountersThanItMayAndTellsItsObserver() {
        AtomicLong told = new AtomicLong();
        WeirObserver observer = new WeirObserver() {
            @Override
            public void decided(Request request, Decision decision) {
                told.incrementAndGet();
            }
        };
        Weir weir = Weir.builder(rules(2))
                .maxKeys(1)
                .time(now::get)
                .observer(observer)
                .open();
        for (int i = 0; i < 3; i++) {
            for (String user : List.of("a", "b", "c")) { // each pushes out the one before
                Request request = Request.to("api").with("user_id", user).with("tier", "free");
                assertThat(weir.decide(request).allowed())
                        .as(request.toString())
                        .isTrue();
            }
        }
        assertThat(told).hasValue(9);
    }

    @Test
    void aRuleThatNamesAStoreNeedsThatStore() {
        RuleSet rules = RuleSet.builder("api")
                .rule("elsewhere", Limit.tokenBucket(2, SECOND))
                .store("big")
                .build();
        assertThatThrownBy(() -> Weir.open(rules))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("api/elsewhere: store: big (expected: none, for no store is shared)");
        assertThatThrownBy(() -> Weir.builder(rules).store("big", Store.memory()))
                .hasMessage("store big: memory (expected: a shared store; a rule counts in memory with consistency:"
                        + " local)");
        assertThatThrownBy(() -> Weir.open(rules, new Store() {
                    @Override
                    public String toString() {
                        return "mine";
                    }
                }))
                .hasMessage("store: mine (expected: Store.memory(), or a store of Weir's such as RedisStore)");
    }

    @Test
    void afterClosingADecisionIsRefused() {
        Weir weir = Weir.open(rules(2), Store.memory());
        assertThat(weir.serves()).isTrue();
        weir.close();
        weir.close();
        assertThat(weir.serves()).isFalse();
        Request request = Request.to("api").with("user_id", "u");
        assertThatThrownBy(() -> weir.decide(request))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("closed");
        assertThatThrownBy(() -> weir.decideAsync(request)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void followsItsRulesUntilItIsClosed() {
        AtomicReference<RuleSource.@Nullable Listener> source = new AtomicReference<>();
        AtomicBoolean ended = new AtomicBoolean();
        List<String> told = new ArrayList<>();
        WeirObserver observer = new WeirObserver() {
            @Override
            public void rulesChanged(RuleSet rules) {
                told.add("changed " + rules.ruleNames("api"));
            }

            @Override
            public void rulesRejected(String errors) {
                told.add("rejected " + errors);
            }
        };
        Request free = Request.to("api").with("user_id", "u").with("tier", "free");
        try (Weir weir = Weir.builder(listener -> {
                    source.set(listener);
                    listener.changed(rules(1));
                    return () -> ended.set(true);
                })
                .time(now::get)
                .observer(observer)
                .open()) {
            RuleSource.Listener listener = Objects.requireNonNull(source.get());
            assertThat(weir.decide(free).allowed()).isTrue();
            assertThat(weir.decide(free).allowed()).isFalse();
            listener.changed(rules(2));
            assertThat(weir.decide(free).allowed()).as("used one of two").isTrue();
            listener.rejected("rules.yaml:1:1: wrong");
            listener.changed(RuleSet.builder("api")
                    .rule("r", Limit.tokenBucket(1, SECOND))
                    .store("big")
                    .build());
            assertThat(weir.rules().ruleNames("api")).containsExactly("free");
        }
        assertThat(ended).isTrue();
        assertThat(told)
                .containsExactly(
                        "changed [free]",
                        "rejected rules.yaml:1:1: wrong",
                        "rejected api/r: store: big (expected: none, for no store is shared)");
        assertThatThrownBy(() -> Weir.open(listener -> () -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("brought no rules");
    }

    @Test
    void saysOnceThatANameIsWrong() {
        Weir weir = Weir.open(rules(2));
        List<String> log = logOf(() -> {
            for (int i = 0; i < 3; i++) {
                assertThat(weir.decide(Request.to("aip").with("user_id", "u")).allowed())
                        .isTrue();
                assertThat(weir.decide(Request.to("api").with("userid", "u")).allowed())
                        .isTrue();
                assertThat(weir.decide(Request.to("api").with("tier", "pro")).allowed())
                        .isTrue();
            }
        });
        assertThat(weir.decide(Request.to("aip").with("user_id", "u"))).hasToString("allowed (no rule applies)");
        assertThat(log)
                .containsExactly(
                        "not limited: requests to domain aip: there are rules for [api] only (said once)",
                        "not limited: requests with userid in domain api: its rules use [tier, user_id] only (said"
                                + " once)");
    }

    private static List<String> logOf(Runnable during) {
        Logger logger = Logger.getLogger("dev.weir");
        List<String> lines = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try {
            during.run();
        } finally {
            logger.removeHandler(handler);
        }
        return lines;
    }

    @Test
    void endpointsAreComparedInANormalFormUnlessTheBuilderSaysRaw() {
        RuleSet rules = RuleSet.builder("api")
                .rule("login", Limit.fixedWindow(1, SECOND))
                .match("endpoint", "POST /login")
                .build();
        Request plain = Request.to("api").with("endpoint", "POST /login");
        Request spelled = Request.to("api").with("endpoint", "post //%6cogin/?x=1");
        try (Weir weir = Weir.builder(rules).time(now::get).open()) {
            assertThat(weir.decide(plain).allowed()).isTrue();
            assertThat(weir.decide(spelled).allowed()).isFalse();
        }
        try (Weir weir = Weir.builder(rules).time(now::get).rawEndpoints().open()) {
            assertThat(weir.decide(plain).allowed()).isTrue();
            assertThat(weir.decide(plain).allowed()).isFalse();
            assertThat(weir.decide(spelled).verdicts()).as("another endpoint").isEmpty();
        }
    }

    @Test
    void aRuleIgnoresTheLetterCaseOfEndpointsIfItSaysSo() {
        RuleSet rules = RuleSet.builder("api")
                .rule("any", Limit.fixedWindow(1, SECOND))
                .match("endpoint", "/Login")
                .keyBy("endpoint")
                .ignoreEndpointCase()
                .rule("exact", Limit.fixedWindow(1, SECOND))
                .match("endpoint", "/Logout")
                .build();
        try (Weir weir = Weir.builder(rules).time(now::get).open()) {
            assertThat(weir.decide(Request.to("api").with("endpoint", "/login")).allowed())
                    .isTrue();
            assertThat(weir.decide(Request.to("api").with("endpoint", "/LOGIN")).ruleName())
                    .isEqualTo("any");
            assertThat(weir.decide(Request.to("api").with("endpoint", "/LOGIN")).allowed())
                    .isFalse();
            assertThat(weir.decide(Request.to("api").with("endpoint", "/logout"))
                            .verdicts())
                    .as("another endpoint to a rule that does not say so")
                    .isEmpty();
        }
    }

    private static RuleSet rules(long requests) {
        return RuleSet.builder("api")
                .rule("free", Limit.tokenBucket(requests, SECOND))
                .match("tier", "free")
                .keyBy("user_id")
                .build();
    }

    @Test
    void aPermitIsReleasedOnceHoweverTheCallEnds() {
        RuleSet rules = RuleSet.builder("api")
                .rule("calls", Limit.concurrency(1, Duration.ofMinutes(1)))
                .build();
        Request request = Request.to("api").with("user_id", "u");
        try (Weir weir = Weir.builder(rules).time(now::get).open()) {
            Decision first = weir.decide(request);
            assertThat(first.permit().isHeld()).isTrue();
            Decision denied = weir.decide(request);
            assertThat(denied.allowed()).isFalse();
            assertThat(denied.permit().isHeld()).isFalse();
            denied.permit().close();
            assertThat(weir.decide(request).allowed())
                    .as("a denial releases nothing")
                    .isFalse();
            assertThatThrownBy(() -> {
                        try (Permit permit = first.permit()) {
                            assertThat(permit.isHeld()).isTrue();
                            throw new IllegalStateException("the call failed");
                        }
                    })
                    .hasMessage("the call failed");
            Decision second = weir.decide(request);
            assertThat(second.allowed()).isTrue();
            first.permit().close();
            assertThat(weir.decide(request).allowed()).as("closed twice").isFalse();

            CompletableFuture<String> call = new CompletableFuture<>();
            CompletionStage<String> ended = second.permit().closeAfter(call);
            assertThat(weir.decide(request).allowed()).isFalse();
            call.completeExceptionally(new IllegalStateException("late"));
            assertThat(ended.toCompletableFuture()).isCompletedExceptionally();
            Decision third = weir.decideAsync(request).toCompletableFuture().join();
            assertThat(third.allowed()).isTrue();

            now.addAndGet(40_000_000);
            assertThat(third.permit().renew().toCompletableFuture().join()).isTrue();
            now.addAndGet(40_000_000);
            assertThat(weir.decide(request).allowed()).as("renewed").isFalse();
            now.addAndGet(40_000_000);
            assertThat(third.permit().renew().toCompletableFuture().join())
                    .as("expired")
                    .isFalse();
            assertThat(weir.decide(request).allowed()).isTrue();
        }
    }
}
