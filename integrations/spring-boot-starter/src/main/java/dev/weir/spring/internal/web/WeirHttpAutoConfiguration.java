package dev.weir.spring.internal.web;

import dev.weir.Weir;
import dev.weir.spring.HttpLimiterCustomizer;
import dev.weir.spring.internal.boot.ApplicationDomain;
import dev.weir.spring.internal.boot.RulePhases;
import dev.weir.spring.internal.boot.WeirAutoConfiguration;
import dev.weir.spring.internal.boot.WeirProperties;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** The limits of HTTP calls, as servlet and WebFlux applications share them; each has filters of its own. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnBean(Weir.class)
@ConditionalOnProperty(name = "weir.http.enabled", matchIfMissing = true)
public class WeirHttpAutoConfiguration {

    @Bean
    HttpLimits weirHttpLimits(
            Weir weir,
            ApplicationDomain domain,
            WeirProperties properties,
            RulePhases phases,
            ObjectProvider<HttpLimiterCustomizer> customizers,
            Environment environment) {
        return new HttpLimits(
                weir,
                domain.name(),
                properties,
                phases,
                customizers.orderedStream().toList(),
                environment);
    }
}
