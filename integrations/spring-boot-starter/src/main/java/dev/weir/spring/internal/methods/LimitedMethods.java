package dev.weir.spring.internal.methods;

import dev.weir.RuleSet;
import dev.weir.Weir;
import dev.weir.spring.RateLimited;
import dev.weir.spring.internal.boot.ApplicationDomain;
import dev.weir.spring.internal.boot.RulePhases;
import dev.weir.spring.internal.boot.WeirStartFailure;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * All methods of beans with {@link RateLimited}. They are checked once, when all beans exist and before the first call; when the
 * rules change, they are read again.
 */
public final class LimitedMethods implements SmartInitializingSingleton {
    private static final Logger LOG = LoggerFactory.getLogger("dev.weir.spring");
    /** Packages whose beans are not looked at: there are many, and they know no Weir. */
    private static final List<String> FOREIGN = List.of("org.springframework.", "java.", "jakarta.", "io.micrometer.");

    private final ConfigurableListableBeanFactory beans;
    private final Weir weir;
    private final String domain;
    private final RulePhases phases;
    private final LimitedMethodReader reader;
    private volatile Checked checked = new Checked(null, Map.of());

    /** Methods, read with {@code rules}. */
    private record Checked(@Nullable RuleSet rules, Map<Method, LimitedMethod> methods) {}

    public LimitedMethods(
            ConfigurableListableBeanFactory beans, Weir weir, ApplicationDomain domain, RulePhases phases) {
        this.beans = beans;
        this.weir = weir;
        this.domain = domain.name();
        this.phases = phases;
        this.reader = new LimitedMethodReader(new BeanFactoryResolver(beans));
    }

    @Override
    public void afterSingletonsInstantiated() {
        RuleSet rules = weir.rules();
        Map<Method, LimitedMethod> found = new ConcurrentHashMap<>();
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
            if (type != null && isLookedAt(type)) {
                find(ClassUtils.getUserClass(type), rules, found);
            }
        }
        checked = new Checked(rules, found);
        Set<String> asked = new LinkedHashSet<>();
        for (LimitedMethod each : found.values()) {
            if (each.domain().equals(domain)) {
                asked.addAll(each.ruleNames());
            }
        }
        phases.methods(asked);
    }

    private static boolean isLookedAt(Class<?> type) {
        return FOREIGN.stream().noneMatch(type.getName()::startsWith)
                && AnnotationUtils.isCandidateClass(type, RateLimited.class);
    }

    private void find(Class<?> type, RuleSet rules, Map<Method, LimitedMethod> into) {
        Map<Method, LimitedMethod> found =
                MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<LimitedMethod>)
                        each -> reader.read(each, type, domain, rules));
        into.putAll(found);
    }

    /** Whether calls of {@code method} of {@code type} are limited. */
    static boolean isLimited(Method method, Class<?> type) {
        return isLookedAt(type)
                && !LimitedMethodReader.annotations(method, type).isEmpty();
    }

    /** The limits of {@code method}, by the rules in force; null if its rule was removed. */
    @Nullable
    LimitedMethod get(Method method, Class<?> type) {
        Checked current = checked;
        RuleSet rules = weir.rules();
        if (current.rules() != rules) {
            current = reread(current, rules);
        }
        LimitedMethod known = current.methods().get(method);
        if (known == null && !current.methods().containsKey(method)) {
            // A bean that came later, or another spelling of a method, such as that of an interface.
            known = reader.read(method, type, domain, rules);
            if (known != null) {
                current.methods().put(method, known);
            }
        }
        return known;
    }

    private synchronized Checked reread(Checked before, RuleSet rules) {
        if (checked.rules() == rules) {
            return checked;
        }
        Map<Method, LimitedMethod> methods = new ConcurrentHashMap<>();
        for (Map.Entry<Method, LimitedMethod> each : before.methods().entrySet()) {
            LimitedMethod old = each.getValue();
            try {
                LimitedMethod next = reader.read(old.method(), old.method().getDeclaringClass(), domain, rules);
                if (next != null) {
                    methods.put(each.getKey(), next);
                }
            } catch (WeirStartFailure e) {
                LOG.error(
                        "{} It keeps its limits as they were, which no longer match a rule. {}",
                        e.getMessage(),
                        e.cure());
                methods.put(each.getKey(), old);
            }
        }
        Checked next = new Checked(rules, methods);
        checked = next;
        return next;
    }

    /** The methods with their rules, for people. */
    public List<String> describe() {
        List<String> texts = new ArrayList<>();
        for (LimitedMethod each : all()) {
            texts.add(MethodNames.of(each.method()) + " by " + String.join(" and ", each.ruleNames())
                    + (each.domain().equals(domain) ? "" : " of domain " + each.domain()));
        }
        texts.sort(null);
        return texts;
    }

    private Collection<LimitedMethod> all() {
        return checked.methods().values();
    }
}
