package dev.weir.spring.internal.observe;

import dev.weir.Weir;
import dev.weir.spring.internal.boot.ApplicationDomain;
import dev.weir.spring.internal.boot.RulePhases;
import dev.weir.spring.internal.boot.WeirProperties;
import dev.weir.spring.internal.methods.LimitedMethods;
import dev.weir.spring.internal.methods.WeirMethodsAutoConfiguration;
import dev.weir.spring.internal.web.HttpLimits;
import dev.weir.spring.internal.web.WeirReactiveAutoConfiguration;
import dev.weir.spring.internal.web.WeirServletAutoConfiguration;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The line at start, and the actuator endpoint. */
@AutoConfiguration(
        after = {
            WeirServletAutoConfiguration.class,
            WeirReactiveAutoConfiguration.class,
            WeirMethodsAutoConfiguration.class
        })
@ConditionalOnBean(Weir.class)
public class WeirObserveAutoConfiguration {

    @Bean
    StartReport weirStartReport(
            Weir weir,
            WeirProperties properties,
            ApplicationDomain domain,
            RulePhases phases,
            LimitedMethods methods,
            ObjectProvider<HttpLimits> http,
            BeanFactory beans) {
        boolean gateway = beans.containsBean("weirGatewayFilterFactory");
        return new StartReport(weir, properties, domain, phases, methods, http.getIfAvailable(), gateway);
    }

    /** In a class of its own, because an application may have no actuator. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Endpoint.class)
    static class EndpointConfiguration {
        @Bean
        WeirEndpoint weirEndpoint(
                Weir weir,
                WeirProperties properties,
                ApplicationDomain domain,
                RulePhases phases,
                LimitedMethods methods) {
            return new WeirEndpoint(weir, properties, domain, phases, methods);
        }
    }
}
