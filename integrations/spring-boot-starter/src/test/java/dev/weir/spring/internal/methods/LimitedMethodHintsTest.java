package dev.weir.spring.internal.methods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.weir.spring.RateLimited;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** A native image knows the fallbacks, and the types that expressions read. */
class LimitedMethodHintsTest {

    @Test
    void fallbacksAndParametersAreKept() throws Exception {
        RuntimeHints hints = new RuntimeHints();
        GenerationContext generation = mock(GenerationContext.class);
        when(generation.getRuntimeHints()).thenReturn(hints);
        BeanRegistrationAotContribution contribution = Objects.requireNonNull(contribution(Shop.class));
        contribution.applyTo(generation, mock(BeanRegistrationCode.class));

        assertThat(hints.reflection()
                        .getTypeHint(Shop.class)
                        .methods()
                        .anyMatch(each -> each.getName().equals("later")))
                .isTrue();
        assertThat(RuntimeHintsPredicates.reflection().onType(Caller.class)).accepts(hints);
        assertThat(contribution(Caller.class)).isNull();
    }

    private static @Nullable BeanRegistrationAotContribution contribution(Class<?> type) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("bean", new RootBeanDefinition(type));
        return new LimitedMethodHints().processAheadOfTime(RegisteredBean.of(beans, "bean"));
    }

    record Caller(String id) {}

    static class Shop {
        @RateLimited(value = "orders", key = "#caller.id", fallback = "later")
        public String order(Caller caller) {
            return "";
        }

        String later(Caller caller) {
            return "";
        }
    }
}
