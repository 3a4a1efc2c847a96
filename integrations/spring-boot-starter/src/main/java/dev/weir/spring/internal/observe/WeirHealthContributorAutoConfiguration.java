package dev.weir.spring.internal.observe;

import dev.weir.Weir;
import dev.weir.spring.internal.boot.WeirAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health of Spring Boot 4; its types were elsewhere in 3. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
@ConditionalOnBean(Weir.class)
public class WeirHealthContributorAutoConfiguration {

    @Bean
    HealthIndicator weirHealthIndicator(Weir weir) {
        return new StoreHealthContribution(weir);
    }
}
