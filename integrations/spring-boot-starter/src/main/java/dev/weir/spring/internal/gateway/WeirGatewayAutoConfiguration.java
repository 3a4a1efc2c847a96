package dev.weir.spring.internal.gateway;

import dev.weir.Weir;
import dev.weir.spring.HttpLimiterCustomizer;
import dev.weir.spring.ReactiveDenialResponse;
import dev.weir.spring.internal.boot.ApplicationDomain;
import dev.weir.spring.internal.boot.WeirAutoConfiguration;
import dev.weir.spring.internal.boot.WeirProperties;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.context.annotation.Bean;

/** Brings Weir to Spring Cloud Gateway on WebFlux. */
@AutoConfiguration(
        after = WeirAutoConfiguration.class,
        beforeName = "org.springframework.cloud.gateway.config.GatewayAutoConfiguration")
@ConditionalOnClass(AbstractGatewayFilterFactory.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnBean(Weir.class)
@ConditionalOnProperty(name = "spring.cloud.gateway.server.webflux.enabled", matchIfMissing = true)
public class WeirGatewayAutoConfiguration {

    @Bean
    WeirGatewayFilterFactory weirGatewayFilterFactory(
            Weir weir,
            WeirProperties properties,
            ObjectProvider<HttpLimiterCustomizer> customizers,
            ObjectProvider<ReactiveDenialResponse> denial) {
        return new WeirGatewayFilterFactory(
                new RouteLimiters(weir, properties, customizers.orderedStream().toList()),
                denial.getIfAvailable(() -> ReactiveDenialResponse.PROBLEM));
    }

    @Bean
    WeirGatewayRateLimiter weirGatewayRateLimiter(Weir weir, ApplicationDomain domain) {
        return new WeirGatewayRateLimiter(weir, domain);
    }
}
