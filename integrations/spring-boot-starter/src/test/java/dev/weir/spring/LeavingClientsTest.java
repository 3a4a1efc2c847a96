package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.Weir;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Clients and subscribers that leave while a store decides: their permits come back. */
class LeavingClientsTest {
    private static final String RULES = """
        weir.rules=rules:
          - name: in-flight
            match: { endpoint: "/home" }
            limit: { requests: 1, algorithm: concurrency }
          - name: slots
            limit: { requests: 1, algorithm: concurrency }
        """;

    /** A store that the test answers for, while it is late. */
    static final class LateStore implements BeanPostProcessor {
        private final Queue<Question> questions = new ConcurrentLinkedQueue<>();
        private volatile boolean late;

        private static final class Question extends CompletableFuture<Decision> {
            private final Weir weir;
            private final Request request;

            Question(Weir weir, Request request) {
                this.weir = weir;
                this.request = request;
            }

            void answer() {
                Decision decision = weir.decide(request);
                assertThat(decision.allowed()).isTrue();
                if (!complete(decision)) {
                    decision.permit().close();
                }
            }
        }

        Question next() {
            await().until(() -> !questions.isEmpty());
            return questions.remove();
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            if (!(bean instanceof Weir weir)) {
                return bean;
            }
            return Proxy.newProxyInstance(
                    Weir.class.getClassLoader(), new Class<?>[] {Weir.class}, (self, method, args) -> {
                        if (late && method.getName().equals("decideAsync")) {
                            Question question = new Question(weir, (Request) args[0]);
                            questions.add(question);
                            return question;
                        }
                        try {
                            return method.invoke(weir, args);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }

    @Test
    void aClientThatLeavesHoldsNoPermit() throws Exception {
        try (TestApplication app = TestApplication.start(WebApplicationType.REACTIVE, Application.class, RULES)) {
            LateStore store = app.bean(LateStore.class);
            store.late = true;
            CompletableFuture<Integer> client = CompletableFuture.supplyAsync(() -> status(app));
            LateStore.Question question = store.next();
            app.bean(Leaving.class).leaves.tryEmitEmpty();
            await("the wait ends").until(question::isCancelled);
            question.answer();
            store.late = false;
            client.join();
            assertThat(status(app)).isEqualTo(200);
        }
    }

    private static int status(TestApplication app) {
        try {
            return app.get("/home").statusCode();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Cancels the first call that waits, as a server does when its client has left. Not all servers notice that. */
    static final class Leaving implements WebFilter, Ordered {
        private final Sinks.Empty<Void> leaves = Sinks.empty();
        private final AtomicBoolean first = new AtomicBoolean();

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
            return first.compareAndSet(false, true)
                    ? Mono.firstWithSignal(chain.filter(exchange), leaves.asMono())
                    : chain.filter(exchange);
        }
    }

    @Test
    void aSubscriberThatLeavesOnTheWayToItsThreadHoldsNoPermit() {
        try (TestApplication app = TestApplication.start(WebApplicationType.NONE, Application.class, RULES)) {
            LateStore store = app.bean(LateStore.class);
            Slots slots = app.bean(Slots.class);
            Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
            Schedulers.setFactory(new Schedulers.Factory() {
                @Override
                public Scheduler newParallel(int parallelism, ThreadFactory threads) {
                    return Schedulers.fromExecutor(tasks::add);
                }
            });
            try {
                store.late = true;
                Disposable subscriber = slots.take().subscribe();
                store.next().answer();
                assertThat(tasks).isNotEmpty();
                subscriber.dispose();
                tasks.forEach(Runnable::run);
            } finally {
                Schedulers.resetFactory();
            }
            store.late = false;
            assertThat(slots.take().block()).isEqualTo("taken");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Slots.class, Home.class, Leaving.class})
    static class Application {
        @Bean
        static LateStore lateStore() {
            return new LateStore();
        }
    }

    static class Slots {
        @RateLimited("slots")
        public Mono<String> take() {
            return Mono.just("taken");
        }
    }

    @RestController
    static class Home {
        @GetMapping("/home")
        String home() {
            return "home";
        }
    }
}
