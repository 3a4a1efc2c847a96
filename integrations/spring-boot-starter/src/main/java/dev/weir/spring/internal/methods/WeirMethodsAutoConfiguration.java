package dev.weir.spring.internal.methods;

import dev.weir.Weir;
import dev.weir.spring.internal.boot.ApplicationDomain;
import dev.weir.spring.internal.boot.RulePhases;
import dev.weir.spring.internal.boot.WeirAutoConfiguration;
import java.lang.reflect.Method;
import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.type.AnnotationMetadata;

/** Limits methods with {@link dev.weir.spring.RateLimited}, without AspectJ. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnBean(Weir.class)
@Import(WeirMethodsAutoConfiguration.ProxyCreator.class)
public class WeirMethodsAutoConfiguration {
    /** Outside of transactions and caches, so that a denied call opens none; inside of {@code @Async}. */
    private static final int ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

    @Bean
    static LimitedMethods weirLimitedMethods(
            ConfigurableListableBeanFactory beans, Weir weir, ApplicationDomain domain, RulePhases phases) {
        return new LimitedMethods(beans, weir, domain, phases);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor weirMethodAdvisor(ObjectProvider<LimitedMethods> methods, ObjectProvider<Weir> weir) {
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                new LimitedCalls(), new LimitingInterceptor(methods::getObject, weir::getObject));
        advisor.setOrder(ORDER);
        return advisor;
    }

    /** The calls that are limited. */
    private static final class LimitedCalls extends StaticMethodMatcherPointcut {
        @Override
        public boolean matches(Method method, Class<?> type) {
            return LimitedMethods.isLimited(method, type);
        }
    }

    /** Registers what makes the proxies, as the application may use no other advice. */
    static final class ProxyCreator implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
            AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
        }
    }
}
