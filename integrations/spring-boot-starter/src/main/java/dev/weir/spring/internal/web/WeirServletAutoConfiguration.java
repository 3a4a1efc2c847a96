package dev.weir.spring.internal.web;

import dev.weir.Weir;
import dev.weir.http.HttpLimiter;
import dev.weir.servlet.DenialResponse;
import dev.weir.servlet.WeirFilter;
import dev.weir.spring.internal.boot.WeirProperties;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** Limits the HTTP calls of a servlet application. */
@AutoConfiguration(after = WeirHttpAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Filter.class, FilterRegistrationBean.class})
@ConditionalOnBean(Weir.class)
public class WeirServletAutoConfiguration {

    @Bean
    @ConditionalOnBean(HttpLimits.class)
    FilterRegistrationBean<ExcludingFilter> weirFilterBeforeSecurity(
            HttpLimits limits, ObjectProvider<DenialResponse> denial) {
        return registration("weirBeforeSecurity", limits.before(), limits, denial, limits.orderBefore());
    }

    @Bean
    @ConditionalOnBean(HttpLimits.class)
    FilterRegistrationBean<ExcludingFilter> weirFilterAfterSecurity(
            HttpLimits limits, ObjectProvider<DenialResponse> denial) {
        return registration("weirAfterSecurity", limits.after(), limits, denial, limits.orderAfter());
    }

    private static FilterRegistrationBean<ExcludingFilter> registration(
            String name,
            @Nullable HttpLimiter limiter,
            HttpLimits limits,
            ObjectProvider<DenialResponse> denial,
            int order) {
        FilterRegistrationBean<ExcludingFilter> registration = new FilterRegistrationBean<>();
        registration.setName(name);
        registration.setOrder(order);
        registration.setDispatcherTypes(DispatcherType.REQUEST);
        registration.setAsyncSupported(true);
        if (limiter == null) {
            registration.setEnabled(false);
            registration.setFilter(new ExcludingFilter(
                    (request, response, chain) -> chain.doFilter(request, response), limits.exclusions()));
        } else {
            DenialResponse response = denial.getIfAvailable(() -> DenialResponse.PROBLEM);
            registration.setFilter(new ExcludingFilter(new WeirFilter(limiter, response), limits.exclusions()));
        }
        return registration;
    }

    /** In a class of its own, because an application may have servlets without Spring MVC. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HandlerExceptionResolver.class)
    static class MvcConfiguration {
        @Bean
        DenialResolver weirDenialResolver(WeirProperties properties) {
            return new DenialResolver(properties.getHttp().isHeaders());
        }
    }
}
