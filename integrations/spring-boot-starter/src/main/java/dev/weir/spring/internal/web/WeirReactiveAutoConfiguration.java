package dev.weir.spring.internal.web;

import dev.weir.Weir;
import dev.weir.http.HttpLimiter;
import dev.weir.spring.ReactiveDenialResponse;
import dev.weir.spring.internal.boot.WeirProperties;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.server.WebFilter;

/** Limits the HTTP calls of a WebFlux application. */
@AutoConfiguration(after = WeirHttpAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(WebFilter.class)
@ConditionalOnBean(Weir.class)
public class WeirReactiveAutoConfiguration {

    @Bean
    @ConditionalOnBean(HttpLimits.class)
    WebFilter weirFilterBeforeSecurity(HttpLimits limits, ObjectProvider<ReactiveDenialResponse> denial) {
        return filter(limits.before(), limits, denial, false, limits.orderBefore());
    }

    @Bean
    @ConditionalOnBean(HttpLimits.class)
    WebFilter weirFilterAfterSecurity(HttpLimits limits, ObjectProvider<ReactiveDenialResponse> denial) {
        return filter(limits.after(), limits, denial, true, limits.orderAfter());
    }

    @Bean
    ReactiveDenialHandler weirDenialHandler(WeirProperties properties) {
        return new ReactiveDenialHandler(properties.getHttp().isHeaders());
    }

    private static WebFilter filter(
            @Nullable HttpLimiter limiter,
            HttpLimits limits,
            ObjectProvider<ReactiveDenialResponse> denial,
            boolean readsUser,
            int order) {
        if (limiter == null) {
            return (exchange, chain) -> chain.filter(exchange);
        }
        ReactiveDenialResponse response = denial.getIfAvailable(() -> ReactiveDenialResponse.PROBLEM);
        return new WeirWebFilter(new ReactiveCallLimiter(limiter, response), limits.exclusions(), readsUser, order);
    }
}
