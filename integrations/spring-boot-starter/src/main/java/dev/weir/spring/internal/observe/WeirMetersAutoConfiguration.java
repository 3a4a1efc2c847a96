package dev.weir.spring.internal.observe;

import dev.weir.spring.internal.boot.WeirAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Counts what Weir does, if the application has a meter registry. The registry's configuration has moved in Spring Boot 4. */
@AutoConfiguration(
        before = WeirAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnProperty(name = "weir.enabled", matchIfMissing = true)
public class WeirMetersAutoConfiguration {

    @Bean
    WeirMeters weirMeters(ObjectProvider<MeterRegistry> registry) {
        return new WeirMeters(registry::getObject);
    }
}
