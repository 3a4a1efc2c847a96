package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods with limits: values, futures, publishers, fallbacks, several limits, classes, interfaces and meta-annotations. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RateLimitedTest {
    private static final String RULES = """
        weir.rules=rules:
          - name: orders
            key_by: user_id
            limit: { requests: 5, window: 1h, algorithm: fixed_window }
          - name: all
            limit: { requests: 6, window: 1h, algorithm: fixed_window }
          - name: tuple
            key_by: [user_id, region]
            limit: { requests: 1, window: 1h, algorithm: fixed_window }
          - name: slots
            limit: { requests: 1, algorithm: concurrency }
        """;

    private TestApplication app;
    private Orders orders;

    @BeforeAll
    void start() {
        app = TestApplication.start(WebApplicationType.NONE, Application.class, RULES);
        orders = app.bean(Orders.class);
    }

    @AfterAll
    void stop() {
        app.close();
    }

    record Caller(String id) {}

    @Test
    void aCallTakesItsCostFromTheCounterOfItsKey() {
        Caller caller = new Caller("cost");
        assertThat(orders.place(caller, List.of("a", "b", "c"))).isEqualTo("placed 3");
        assertThatThrownBy(() -> orders.place(caller, List.of("a", "b", "c")))
                .isInstanceOfSatisfying(RateLimitedException.class, denied -> {
                    assertThat(denied.ruleName()).isEqualTo("orders");
                    assertThat(denied.status()).isEqualTo(429);
                    assertThat(denied.retryAfter()).isPositive();
                    assertThat(denied.getStackTrace()).isEmpty();
                });
        assertThat(orders.place(caller, List.of("a", "b"))).isEqualTo("placed 2");
        assertThat(orders.place(new Caller("other"), List.of("a"))).isEqualTo("placed 1");
    }

    @Test
    void aDenialIsInTheFutureOrPublisher() {
        String user = "later";
        assertThat(orders.future(user).join()).isEqualTo("done");
        CompletableFuture<String> denied = orders.future(user);
        assertThatThrownBy(denied::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(RateLimitedException.class);
        Mono<String> mono = orders.mono("mono");
        assertThat(mono.block()).isEqualTo("one");
        assertThatThrownBy(mono::block).as("each subscription is a call").isInstanceOf(RateLimitedException.class);
        assertThat(orders.flux("flux").collectList().block()).containsExactly("one", "two");
        assertThatThrownBy(() -> orders.flux("flux").blockLast()).isInstanceOf(RateLimitedException.class);
    }

    @Test
    void anAsynchronousMethodIsDecidedOnItsOwnThreadAndItsDenialIsInTheFuture() {
        assertThat(orders.asynchronous("thread").join())
                .isNotEqualTo(Thread.currentThread().getName());
        CompletableFuture<String> denied = orders.asynchronous("thread");
        assertThatThrownBy(denied::join).hasRootCauseInstanceOf(RateLimitedException.class);
    }

    @Test
    void aFallbackAnswersADeniedCallAndNoOther() {
        assertThat(orders.withFallback("f")).isEqualTo("served");
        assertThat(orders.withFallback("f")).isEqualTo("later: f by orders");
        assertThatThrownBy(() -> orders.withFallback("broken"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("broken");
        assertThat(orders.monoWithFallback("g").block()).isEqualTo("served");
        assertThat(orders.monoWithFallback("g").block()).isEqualTo("later g");
    }

    @Test
    void severalLimitsAreOneDecision() {
        assertThat(orders.both("b")).isEqualTo("both");
        assertThatThrownBy(() -> orders.both("b")).hasMessageContaining("all");
        assertThat(orders.place(new Caller("b"), List.of("1", "2", "3", "4")))
                .as("the denied call took nothing")
                .isEqualTo("placed 4");
    }

    @Test
    void aMapGivesSeveralAttributes() {
        assertThat(orders.tuple("m", "eu")).isEqualTo("m");
        assertThat(orders.tuple("m", "us")).isEqualTo("m");
        assertThatThrownBy(() -> orders.tuple("m", "eu")).isInstanceOf(RateLimitedException.class);
    }

    @Test
    void aNullKeyIsAnError() {
        assertThatThrownBy(() -> orders.mono(null).block())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("key #user: user_id is null");
    }

    @Test
    void aPermitIsHeldUntilTheCallEnds() {
        CompletableFuture<String> open = new CompletableFuture<>();
        CompletableFuture<String> first = orders.slot(open);
        assertThat(orders.slot(open)).isCompletedExceptionally();
        open.complete("ended");
        assertThat(first.join()).isEqualTo("ended");
        assertThat(orders.slot(open).join()).isEqualTo("ended");
    }

    @Test
    void interfacesClassesAndMetaAnnotationsCount() {
        Shop shop = app.bean(Shop.class);
        assertThat(shop.fromInterface("i")).isEqualTo("i");
        assertThatThrownBy(() -> shop.fromInterface("i")).isInstanceOf(RateLimitedException.class);
        assertThat(shop.fromMeta("j")).isEqualTo("j");
        assertThatThrownBy(() -> shop.fromMeta("j")).isInstanceOf(RateLimitedException.class);
        ClassLimited whole = app.bean(ClassLimited.class);
        assertThat(whole.one("k")).isEqualTo("k");
        assertThatThrownBy(() -> whole.two("k")).isInstanceOf(RateLimitedException.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void aDenialOfAMethodIsAnAnswerAndHttpCallsDoNotAskItsRule(WebApplicationType type) throws Exception {
        try (TestApplication web =
                TestApplication.start(type, new Class<?>[] {Application.class, Controller.class}, RULES)) {
            HttpResponse<String> first = web.get("/mono");
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(first.headers().firstValue("RateLimit"))
                    .as("only methods ask")
                    .isEmpty();
            for (String path : List.of("/mono", "/value", "/future")) {
                HttpResponse<String> denied = web.get(path);
                assertThat(denied.statusCode()).as(path).isEqualTo(429);
                assertThat(denied.headers().firstValue("Retry-After")).as(path).isPresent();
                assertThat(denied.headers().firstValue("Content-Type").orElse(""))
                        .startsWith("application/problem+json");
                assertThat(denied.body()).contains("\"rule\":\"orders\"");
            }
        }
    }

    @RestController
    static class Controller {
        private final Orders orders;

        Controller(Orders orders) {
            this.orders = orders;
        }

        @GetMapping("/mono")
        Mono<String> mono() {
            return orders.mono("web");
        }

        @GetMapping("/value")
        String value() {
            return orders.place(new Caller("web"), List.of("x"));
        }

        @GetMapping("/future")
        CompletableFuture<String> future() {
            return orders.future("web");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @EnableAutoConfiguration
    @Import({Orders.class, ShopBean.class, ClassLimited.class})
    static class Application {}

    static class Orders {
        @RateLimited(value = "orders", key = "#caller.id", cost = "#items.size()")
        public String place(Caller caller, List<String> items) {
            return "placed " + items.size();
        }

        @RateLimited(value = "orders", key = "#user", cost = "5")
        public CompletableFuture<String> future(String user) {
            return CompletableFuture.completedFuture("done");
        }

        @Async
        @RateLimited(value = "orders", key = "#user", cost = "5")
        public CompletableFuture<String> asynchronous(String user) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @RateLimited(value = "orders", key = "#user", cost = "5")
        public Mono<String> mono(@Nullable String user) {
            return Mono.just("one");
        }

        @RateLimited(value = "orders", key = "#p0", cost = "5")
        public Flux<String> flux(String user) {
            return Flux.just("one", "two");
        }

        @RateLimited(value = "orders", key = "#user", cost = "5", fallback = "later")
        public String withFallback(String user) {
            if (user.equals("broken")) {
                throw new IllegalArgumentException(user);
            }
            return "served";
        }

        @SuppressWarnings("UnusedMethod") // the fallback may be private
        private String later(String user, RateLimitedException denied) {
            return "later: " + user + " by " + denied.ruleName();
        }

        @RateLimited(value = "orders", key = "#user", cost = "5", fallback = "monoLater")
        public Mono<String> monoWithFallback(String user) {
            return Mono.just("served");
        }

        Mono<String> monoLater(String user) {
            return Mono.just("later " + user);
        }

        @RateLimited(value = "orders", key = "#user")
        @RateLimited(value = "all", cost = "4")
        public String both(String user) {
            return "both";
        }

        @RateLimited(value = "tuple", key = "{user_id: #user, region: #region}")
        public String tuple(String user, String region) {
            return user;
        }

        @RateLimited("slots")
        public CompletableFuture<String> slot(CompletableFuture<String> until) {
            return until.thenApply(each -> each);
        }
    }

    interface Shop {
        @RateLimited(value = "orders", key = "#p0", cost = "5")
        String fromInterface(String user);

        String fromMeta(String user);
    }

    @Retention(RetentionPolicy.RUNTIME)
    @RateLimited(value = "orders", cost = "5")
    @interface PerUser {
        @AliasFor(annotation = RateLimited.class, attribute = "key")
        String by();
    }

    static class ShopBean implements Shop {
        @Override
        public String fromInterface(String user) {
            return user;
        }

        @Override
        @PerUser(by = "#user")
        public String fromMeta(String user) {
            return user;
        }
    }

    @RateLimited(value = "orders", key = "#p0", cost = "3")
    static class ClassLimited {
        public String one(String user) {
            return user;
        }

        public String two(String user) {
            return user;
        }
    }
}
