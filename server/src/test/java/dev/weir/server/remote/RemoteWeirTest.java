package dev.weir.server.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Decision;
import dev.weir.Hold;
import dev.weir.Hold.Settlement;
import dev.weir.Limit;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.Verdict;
import dev.weir.Weir;
import dev.weir.WeirObserver;
import dev.weir.http.HttpCall;
import dev.weir.http.HttpLimiter;
import dev.weir.http.LimitedCall;
import dev.weir.remote.RemoteWeir;
import dev.weir.rules.Rules;
import dev.weir.server.RunningServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A client on a real server: the same rules give the same answers as in the library. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RemoteWeirTest {
    private static final Duration PATIENT = Duration.ofSeconds(20);

    private static final String RULES = """
            domain: api
            rules:
              - name: per user
                match: { user_id: "*" }
                key_by: user_id
                limit: { requests: 20, window: 1h, algorithm: fixed_window }
              - name: orders
                match: { endpoint: "POST /orders" }
                key_by: user_id
                limit: { requests: 5, window: 1d, algorithm: sliding_window_log }
                deny_as: 503
              - name: watched
                match: { user_id: "*" }
                key_by: user_id
                limit: { requests: 3, window: 1h, algorithm: fixed_window }
                shadow: true
              - name: staff
                match: { user_id: "*", role: staff }
                key_by: user_id
                counts: pages
                limit: { requests: 40, window: 1h, algorithm: sliding_window }
            """;

    private static final String MORE = """
            domain: calls
            rules:
              - name: in flight
                match: { user_id: "*" }
                key_by: user_id
                limit: { requests: 1, algorithm: concurrency }
              - name: calls
                match: { user_id: "*" }
                key_by: user_id
                limit: { requests: 100, window: 1h, algorithm: fixed_window }
              - name: tokens
                match: { user_id: "*" }
                key_by: user_id
                counts: output_tokens
                limit: { requests: 100, window: 1h, algorithm: fixed_window }
            """;

    private static final String ENVOY = """
            domain: front
            descriptors:
              - key: plan
                value: free
                descriptors:
                  - key: user
                    rate_limit: { unit: day, requests_per_unit: 2 }
            """;

    @TempDir
    static Path folder;

    private RunningServer server;
    private Weir remote;

    @BeforeAll
    void start() throws Exception {
        Files.writeString(folder.resolve("api.yaml"), RULES);
        Files.writeString(folder.resolve("calls.yaml"), MORE);
        Files.writeString(folder.resolve("front.yaml"), ENVOY);
        server = RunningServer.with(folder);
        remote = RemoteWeir.at("grpc://127.0.0.1:" + server.grpcPort())
                .deadline(PATIENT)
                .open();
    }

    @AfterAll
    void stop() {
        remote.close();
        server.close();
    }

    @Test
    void theServerTellsItsRulesAndIsToldWhichToAsk() throws Exception {
        assertThat(remote.rules().domains()).containsExactlyInAnyOrder("api", "calls", "front");
        assertThat(remote.rules().ruleNames("api")).containsExactly("per user", "orders", "watched", "staff");
        Request one = Request.to("api")
                .with("user_id", "chosen")
                .with("endpoint", "POST /orders")
                .onlyRules((rule, descriptor) -> rule.equals("orders"));
        for (int i = 0; i < 6; i++) {
            Decision decision = remote.decide(one);
            assertThat(decision.allowed()).isEqualTo(i < 5);
            assertThat(decision.verdicts()).extracting(Verdict::ruleName).containsExactly("orders");
        }
        Request others = Request.to("api")
                .with("user_id", "chosen")
                .with("endpoint", "POST /orders")
                .onlyRules((rule, descriptor) -> !rule.equals("orders"));
        assertThat(remote.decide(others).verdicts())
                .extracting(Verdict::ruleName)
                .containsExactlyInAnyOrder("per user", "watched");
        Decision none =
                remote.decide(Request.to("api").with("user_id", "chosen").onlyRules((rule, descriptor) -> false));
        assertThat(none.allowed()).isTrue();
        assertThat(none.verdicts()).isEmpty();

        Request flight =
                Request.to("calls").with("user_id", "chosen").onlyRules((rule, descriptor) -> rule.equals("in flight"));
        Decision held = remote.decide(flight);
        assertThat(remote.decide(flight).allowed()).isFalse();
        held.permit().close();
        await().until(() -> {
            Decision again = remote.decide(flight);
            again.permit().close();
            return again.allowed();
        });
    }

    /** An application that starts holds such a lock: Spring's, while it creates a bean. */
    @Test
    void anObserverMayNeedALockOfTheThreadThatOpens() {
        Object lock = new Object();
        List<String> told = new ArrayList<>();
        WeirObserver observer = new WeirObserver() {
            @Override
            public void rulesChanged(RuleSet rules) {
                synchronized (lock) {
                    told.addAll(rules.domains());
                }
            }
        };
        RemoteWeir opening = RemoteWeir.at("grpc://127.0.0.1:" + server.grpcPort())
                .deadline(PATIENT)
                .warmUp(PATIENT)
                .observer(observer);
        CompletableFuture<Void> opened = CompletableFuture.runAsync(() -> {
            synchronized (lock) {
                opening.open().close();
                assertThat(told).contains("api");
            }
        });
        assertThat(opened).succeedsWithin(PATIENT.multipliedBy(2));
    }

    @Test
    void rulesThatChangeOnTheServerAreToldAgain() throws Exception {
        Path changing = folder.resolve("changing.yaml");
        Files.writeString(changing, "domain: changing\nrules: [{name: old, limit: {requests: 1, window: 1h}}]\n");
        await().atMost(PATIENT).until(() -> remote.rules().ruleNames("changing").equals(List.of("old")));
        Files.delete(changing);
        await().atMost(PATIENT).until(() -> !remote.rules().domains().contains("changing"));
    }

    @Test
    void theSameRulesGiveTheSameAnswersAsInTheLibrary() {
        Random random = new Random(7);
        try (Weir embedded = Weir.open(Rules.file(folder.resolve("api.yaml")))) {
            for (int i = 0; i < 300; i++) {
                Request request = Request.to(random.nextInt(20) == 0 ? "elsewhere" : "api");
                request.with("user_id", "same-" + random.nextInt(8));
                if (random.nextBoolean()) {
                    request.with("endpoint", "POST /orders");
                }
                if (random.nextInt(10) == 0) {
                    request.with("role", "staff").hits("pages", random.nextInt(10));
                }
                switch (random.nextInt(6)) {
                    case 0 -> request.hits(random.nextInt(4));
                    case 1 -> request.takeNothing();
                    case 2 -> request.hits(-1);
                    case 3 -> request.hits(30); // never
                    default -> {}
                }
                Decision there = remote.decide(request);
                Decision here = embedded.decide(request);
                assertThat(text(there)).as("%d: %s", i, request).isEqualTo(text(here));
            }
        }
    }

    /** All of a decision that does not depend on the clock. */
    private static List<String> text(Decision decision) {
        List<String> text = new ArrayList<>();
        text.add(decision.status() + " " + decision.cause() + " " + decision.ruleName() + " " + decision.degraded());
        text.add(decision.allowed() ? "" : Objects.toString(decision.counterName()));
        for (Verdict each : decision.verdicts()) {
            text.add(each.ruleName() + " " + each.reason() + " " + each.limit() + " hits " + each.hits() + " left "
                    + each.remaining() + " debt " + each.debt() + (each.shadow() ? " shadow" : ""));
            assertThat(each.reset()).isBetween(Duration.ZERO, Duration.ofDays(1));
        }
        return text;
    }

    @Test
    void manyThreadsShareTheLimitExactly() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try {
            List<Future<Integer>> passed = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                passed.add(threads.submit(() -> {
                    int count = 0;
                    for (int j = 0; j < 20; j++) {
                        Decision decision = remote.decide(Request.to("api").with("user_id", "shared"));
                        count += decision.allowed() ? 1 : 0;
                    }
                    return count;
                }));
            }
            int sum = 0;
            for (Future<Integer> each : passed) {
                sum += each.get();
            }
            assertThat(sum).isEqualTo(20);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void permitsAreReleasedOnceAndOnlyTheyComeBack() {
        Request call = Request.to("calls").with("user_id", "busy");
        Decision first = remote.decide(call);
        assertThat(first.allowed()).isTrue();
        assertThat(first.permit().isHeld()).isTrue();
        Decision second = remote.decide(call);
        assertThat(second.allowed()).isFalse();
        assertThat(second.ruleName()).isEqualTo("in flight");
        assertThat(second.permit().isHeld()).isFalse();
        first.permit().close();
        first.permit().close();
        Permit third =
                await().until(() -> remote.decide(call), Decision::allowed).permit();
        assertThat(remote.decide(call).allowed()).isFalse();
        third.close();
        long left = verdict(
                        remote.decide(
                                Request.to("calls").with("user_id", "busy").withoutPermits()),
                        "calls")
                .remaining();
        // Two took the rate and a permit, the last took the rate: a released permit gives no hits of the rate back.
        assertThat(left).isEqualTo(97);
    }

    private static Verdict verdict(Decision decision, String rule) {
        return decision.verdicts().stream()
                .filter(each -> rule.equals(each.ruleName()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void holdsAreSettledForTheTrueCost() throws Exception {
        Request estimate = Request.to("calls").with("user_id", "writer").hits("output_tokens", 80);
        Hold hold = remote.reserve(estimate);
        assertThat(hold.isHeld()).isTrue();
        assertThat(tokensLeft("writer")).isEqualTo(20);
        assertThat(hold.settle("output_tokens", 30).toCompletableFuture().get()).isEqualTo(Settlement.DONE);
        assertThat(tokensLeft("writer")).isEqualTo(70);
        assertThat(hold.settle("output_tokens", 30).toCompletableFuture().get()).isEqualTo(Settlement.BEFORE);

        Hold dear = remote.reserve(estimate.hits("output_tokens", 10));
        assertThat(dear.settle("output_tokens", 90).toCompletableFuture().get()).isEqualTo(Settlement.DONE);
        assertThat(tokensLeft("writer")).as("charged in full, beyond the limit").isZero();
        assertThat(remote.reserve(estimate).isHeld()).isFalse();

        Hold released =
                remote.reserve(Request.to("calls").with("user_id", "other").hits("output_tokens", 60));
        released.close();
        await().until(() -> tokensLeft("other") == 100);
        assertThat(verdict(remote.decide(asking("other")), "calls").remaining()).isEqualTo(100);
    }

    private long tokensLeft(String user) {
        return verdict(remote.decide(asking(user)), "tokens").remaining();
    }

    private static Request asking(String user) {
        return Request.to("calls").with("user_id", user).takeNothing().withoutPermits();
    }

    @Test
    void requestsInEnvoysFormatMatchByOrderOrAsAttributes() {
        Request ordered = Request.to("front").with("plan", "free").with("user", "u");
        Request attributes =
                Request.to("front").asAttributes().with("user", "u").with("plan", "free");
        Request wrongOrder = Request.to("front").with("user", "u").with("plan", "free");
        assertThat(remote.decide(ordered).verdicts()).hasSize(1);
        assertThat(remote.decide(wrongOrder).verdicts()).isEmpty();
        assertThat(remote.decide(attributes).verdicts()).hasSize(1);
        assertThat(remote.decide(ordered).allowed()).isFalse();
    }

    @Test
    void aLimitOfTheCallerGoesAsFarAsTheProtocolDoes() {
        Request own = Request.to("api").with("any", "x").override(Limit.fixedWindow(1, Duration.ofDays(1)));
        assertThat(remote.decide(own).allowed()).isTrue();
        assertThat(remote.decide(own).allowed()).isFalse();
        assertThatThrownBy(() -> remote.decide(
                        Request.to("api").with("any", "x").override(Limit.gcra(1, Duration.ofSeconds(7)))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fixed window of a second");
    }

    @Test
    void aRequestThatCostsTooMuchIsRefusedAndNotDecidedByOnFail() {
        Request much = Request.to("api");
        for (int i = 0; i < 400; i++) {
            much.descriptor().with("user_id", "u" + i);
        }
        assertThatThrownBy(() -> remote.decide(much))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("max_request_cost");
        assertThatThrownBy(() -> remote.decide(Request.to("")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("domain");
    }

    @Test
    void httpCallsGetTheHeadersOfTheLibrary() {
        HttpLimiter limiter = HttpLimiter.builder(remote).domain("api").build();
        LimitedCall call = limiter.decide(new GetOrders("walker"));
        assertThat(call.allowed()).isTrue();
        assertThat(call.headers())
                .containsSequence("RateLimit-Policy", "\"per user\";q=20;w=3600")
                .contains("X-RateLimit-Remaining", "19");
        assertThatThrownBy(() -> HttpLimiter.builder(remote).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("domain: not set (expected: one of front, api, calls)");
    }

    /** A call of a user. */
    private record GetOrders(String user) implements HttpCall {
        @Override
        public String method() {
            return "GET";
        }

        @Override
        public String path() {
            return "/orders";
        }

        @Override
        public String peer() {
            return "127.0.0.1";
        }

        @Override
        public @Nullable String route() {
            return null;
        }

        @Override
        public List<String> headers(String name) {
            return List.of();
        }

        @Override
        public @Nullable Object attachment(String name) {
            return null;
        }
    }

    @Test
    void anAsynchronousCallerNeverWaits() {
        List<CompletableFuture<Decision>> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            all.add(remote.decideAsync(Request.to("api").with("user_id", "async"))
                    .toCompletableFuture());
        }
        long passed = all.stream()
                .map(CompletableFuture::join)
                .filter(Decision::allowed)
                .count();
        assertThat(passed).isEqualTo(20);
        assertThatThrownBy(() -> remote.decideAsync(Request.to("api").with("user_id", "async"))
                        .thenApply(ignored -> remote.decide(Request.to("api").with("user_id", "async")))
                        .toCompletableFuture()
                        .join())
                .hasMessageContaining("would block");
    }
}
