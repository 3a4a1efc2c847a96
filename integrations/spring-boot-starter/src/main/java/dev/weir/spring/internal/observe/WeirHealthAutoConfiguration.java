package dev.weir.spring.internal.observe;

import dev.weir.Weir;
import dev.weir.spring.internal.boot.WeirAutoConfiguration;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** The health of Spring Boot 3; its types have moved in 4. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
@ConditionalOnBean(Weir.class)
public class WeirHealthAutoConfiguration {

    @Bean
    HealthIndicator weirHealthIndicator(Weir weir) {
        return new StoreHealth(weir);
    }
}
