package dev.weir.spring.internal.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

/** Tells a native image of the rules that {@code weir.rules} names on the class path when the image is built. */
final class RulesHints implements BeanFactoryInitializationAotProcessor {
    private static final String PREFIX = "classpath:";

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beans) {
        String rules = beans.getBean(Environment.class).getProperty("weir.rules", "");
        String place = rules.strip();
        if (!place.startsWith(PREFIX) || place.contains("\n")) {
            return null;
        }
        String file = place.substring(PREFIX.length()).replaceFirst("^/+", "");
        return (generation, code) -> generation.getRuntimeHints().resources().registerPattern(file);
    }
}
