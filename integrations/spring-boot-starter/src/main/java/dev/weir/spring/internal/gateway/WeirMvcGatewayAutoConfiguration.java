package dev.weir.spring.internal.gateway;

import dev.weir.Weir;
import dev.weir.servlet.DenialResponse;
import dev.weir.spring.HttpLimiterCustomizer;
import dev.weir.spring.internal.boot.WeirAutoConfiguration;
import dev.weir.spring.internal.boot.WeirProperties;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.cloud.gateway.server.mvc.config.GatewayMvcProperties;
import org.springframework.cloud.gateway.server.mvc.filter.SimpleFilterSupplier;
import org.springframework.context.annotation.Bean;

/** Brings Weir to Spring Cloud Gateway on servlets. */
@AutoConfiguration(
        after = WeirAutoConfiguration.class,
        beforeName = "org.springframework.cloud.gateway.server.mvc.GatewayServerMvcAutoConfiguration")
@ConditionalOnClass(SimpleFilterSupplier.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(Weir.class)
@ConditionalOnProperty(name = "spring.cloud.gateway.server.webmvc.enabled", matchIfMissing = true)
public class WeirMvcGatewayAutoConfiguration {

    @Bean
    static SimpleFilterSupplier weirMvcFilterSupplier() {
        return new SimpleFilterSupplier(WeirMvcFilterFunctions.class);
    }

    @Bean
    MvcRouteFilters weirMvcRouteFilters(
            Weir weir,
            WeirProperties properties,
            ObjectProvider<HttpLimiterCustomizer> customizers,
            ObjectProvider<DenialResponse> denial,
            ObjectProvider<GatewayMvcProperties> gateway) {
        return new MvcRouteFilters(
                new RouteLimiters(weir, properties, customizers.orderedStream().toList()),
                denial.getIfAvailable(() -> DenialResponse.PROBLEM),
                gateway);
    }
}
