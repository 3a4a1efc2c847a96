package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.session.WebSessionManager;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Denials of calls that Reactor Netty held back until the response before them had ended. If such a call is answered while it
 * is dispatched, Reactor Netty 1.2.18 and 1.3.7 never read from the connection again (reactor-netty #4361).
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PipelinedCallsTest {
    private static final String RULES = """
        weir.rules=rules:
          - name: pages
            match: { endpoint: "/page" }
            limit: { requests: 1, window: 30d, algorithm: fixed_window }
          - name: guesses
            match: { endpoint: "/private/*" }
            limit: { requests: 1, window: 30d, algorithm: fixed_window }
          - name: work
            limit: { requests: 1, window: 30d, algorithm: fixed_window }
        """;

    private TestApplication app;

    @BeforeAll
    void start() {
        app = TestApplication.start(WebApplicationType.REACTIVE, Application.class, RULES);
    }

    @AfterAll
    void stop() {
        app.close();
    }

    @Test
    void aConnectionIsReadAfterADenialOfTheFilter() throws Exception {
        assertThat(app.getPipelined("/page")).containsExactly(200, 429, 429);
    }

    @Test
    void aConnectionIsReadAfterADenialThatFollowsAWrongPassword() throws Exception {
        String guess = Base64.getEncoder().encodeToString("bob:guess".getBytes(StandardCharsets.UTF_8));
        assertThat(app.getPipelined("/private/page", "Authorization", "Basic " + guess))
                .containsExactly(401, 429, 429);
    }

    @Test
    void aConnectionIsReadAfterADenialOfAMethod() throws Exception {
        assertThat(app.getPipelined("/work")).containsExactly(200, 429, 429);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Pages.class)
    static class Application {
        /** Without sessions a denial is known while its call is dispatched: their store answers in another thread. */
        @Bean
        WebSessionManager webSessionManager() {
            return exchange -> Mono.empty();
        }
    }

    /** Ends responses in another thread than the connection's, as Spring Security's check of a password does. */
    @RestController
    static class Pages {
        @GetMapping("/page")
        Mono<String> page() {
            return Mono.just("page").publishOn(Schedulers.boundedElastic());
        }

        @GetMapping("/work")
        @RateLimited("work")
        Mono<String> work() {
            return Mono.just("work").publishOn(Schedulers.boundedElastic());
        }
    }
}
