package dev.weir.spring.internal.boot;

import dev.weir.text.message.Suggestion;
import java.beans.PropertyDescriptor;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Tells which property an unknown one of Weir was meant to be; Spring Boot's own analyzer, behind it, does not. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnknownPropertyAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {
    private static final String PREFIX = "weir.";

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, UnboundConfigurationPropertiesException cause) {
        List<String> unknown = cause.getUnboundProperties().stream()
                .map(each -> each.getName().toString())
                .filter(each -> each.startsWith(PREFIX))
                .toList();
        if (unknown.isEmpty()) {
            return null;
        }
        Set<String> known = new TreeSet<>();
        collect(PREFIX, WeirProperties.class, known);
        return new FailureAnalysis(
                "Weir has no property " + String.join(", ", unknown) + ".",
                unknown.stream()
                        .map(each -> each + ": " + Suggestion.among(each, known))
                        .collect(Collectors.joining("\n")),
                cause);
    }

    private static void collect(String prefix, Class<?> type, Set<String> into) {
        for (PropertyDescriptor each : BeanUtils.getPropertyDescriptors(type)) {
            String name = prefix + DataObjectPropertyName.toDashedForm(each.getName());
            if (each.getPropertyType().getEnclosingClass() == WeirProperties.class
                    && !each.getPropertyType().isEnum()) {
                collect(name + ".", each.getPropertyType(), into);
            } else if (each.getWriteMethod() != null) {
                into.add(name);
            }
        }
    }
}
