package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.spring.test.VirtualTime;
import dev.weir.spring.test.WeirTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestContextManager;

/** The test slice: a limited application on a clock that the test moves. */
class VirtualTimeTest {

    @Test
    void aTestMovesTheClock() throws Exception {
        // As JUnit's extension of Spring does it, which wants another JUnit on Spring Boot 4.
        ShopTest test = new ShopTest();
        TestContextManager manager = new TestContextManager(ShopTest.class);
        manager.prepareTestInstance(test);
        test.aCallerWaitsForAnHour();
        manager.getTestContext().markApplicationContextDirty(DirtiesContext.HierarchyMode.EXHAUSTIVE);
    }

    @Test
    void theClockNeverRunsBackwards() {
        assertThatThrownBy(() -> new VirtualTime().advance(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @SpringBootTest(
            webEnvironment = SpringBootTest.WebEnvironment.NONE,
            classes = Application.class,
            properties = {
                "weir.store=redis://production:6379",
                "spring.cloud.gateway.server.webflux.enabled=false",
                "weir.rules=rules: [{name: orders, limit: {requests: 1, window: 1h, algorithm: fixed_window}}]"
            })
    @WeirTest
    static class ShopTest {
        @Autowired
        private VirtualTime time;

        @Autowired
        private Shop shop;

        void aCallerWaitsForAnHour() {
            shop.order();
            time.advance(Duration.ofMinutes(59));
            assertThatThrownBy(shop::order).isInstanceOf(RateLimitedException.class);
            time.advance(Duration.ofMinutes(1));
            assertThat(shop.order()).isEqualTo("ordered");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Shop.class)
    static class Application {}

    static class Shop {
        @RateLimited("orders")
        public String order() {
            return "ordered";
        }
    }
}
