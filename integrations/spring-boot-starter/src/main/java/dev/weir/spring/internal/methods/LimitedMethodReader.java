package dev.weir.spring.internal.methods;

import dev.weir.RuleSet;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.ruleset.OutlinedRules;
import dev.weir.internal.ruleset.RuleOutline;
import dev.weir.internal.ruleset.UnknownRules;
import dev.weir.spring.RateLimited;
import dev.weir.spring.RateLimitedException;
import dev.weir.spring.RateLimits;
import dev.weir.spring.internal.boot.WeirStartFailure;
import dev.weir.spring.internal.methods.LimitedMethod.MethodLimit;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotationPredicates;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** Reads the annotations of methods, and refuses whatever would fail or have no effect when the method is called. */
final class LimitedMethodReader {
    private static final RepeatableContainers REPEATED = RepeatableContainers.of(RateLimited.class, RateLimits.class);
    private static final Pattern VARIABLE = Pattern.compile("#(\\w+)");
    private static final Pattern TEXT = Pattern.compile("'[^']*'");

    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();
    private final BeanResolver beans;

    LimitedMethodReader(BeanResolver beans) {
        this.beans = beans;
    }

    /** The annotations that limit {@code method} of {@code type}: its own, or else those of the class. */
    static List<RateLimited> annotations(Method method, Class<?> type) {
        Method specific = AopUtils.getMostSpecificMethod(method, type);
        if (specific.isSynthetic() || specific.getDeclaringClass() == Object.class) {
            return List.of();
        }
        List<RateLimited> own = found(MergedAnnotations.from(specific, SearchStrategy.TYPE_HIERARCHY, REPEATED));
        if (!own.isEmpty()
                || !Modifier.isPublic(specific.getModifiers())
                || Modifier.isStatic(specific.getModifiers())) {
            return own;
        }
        return found(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY, REPEATED));
    }

    private static List<RateLimited> found(MergedAnnotations annotations) {
        return annotations.stream(RateLimited.class)
                .filter(MergedAnnotationPredicates.firstRunOf(MergedAnnotation::getAggregateIndex))
                .map(MergedAnnotation::synthesize)
                .toList();
    }

    /** The limits of {@code method}; null if it has none. */
    @Nullable
    LimitedMethod read(Method method, Class<?> type, String usualDomain, RuleSet rules) {
        List<RateLimited> annotations = annotations(method, type);
        if (annotations.isEmpty()) {
            return null;
        }
        Method specific = AopUtils.getMostSpecificMethod(method, type);
        checkProxied(specific, type);
        Set<String> domains = new LinkedHashSet<>();
        List<MethodLimit> limits = new ArrayList<>();
        for (RateLimited each : annotations) {
            String domain = each.domain().isEmpty() ? usualDomain : each.domain();
            domains.add(domain);
            limits.add(limit(specific, each, domain, rules));
        }
        if (domains.size() > 1) {
            throw wrong(
                    specific,
                    "its limits are in the domains " + String.join(" and ", domains)
                            + ", and one decision has one domain",
                    "Put the rules into one domain.");
        }
        return new LimitedMethod(specific, domains.iterator().next(), limits, names, beans);
    }

    private static void checkProxied(Method method, Class<?> type) {
        int modifiers = method.getModifiers();
        String how = Modifier.isPrivate(modifiers)
                ? "private"
                : Modifier.isStatic(modifiers) ? "static" : Modifier.isFinal(modifiers) ? "final" : null;
        if (how != null) {
            throw wrong(
                    method,
                    "it is " + how + ", so Spring cannot limit its calls",
                    "Make it an ordinary method that other beans call.");
        }
        if (Modifier.isFinal(type.getModifiers())) {
            throw wrong(
                    method,
                    "its class is final, so Spring cannot limit its calls",
                    "Remove final" + (KotlinDetector.isKotlinType(type) ? "; in Kotlin, write open." : "."));
        }
    }

    private MethodLimit limit(Method method, RateLimited annotation, String domain, RuleSet rules) {
        String key = annotation.key().strip();
        Expression keyExpression = key.isEmpty() ? null : parsed(method, key);
        String cost = annotation.cost().strip();
        return new MethodLimit(
                annotation.value(),
                attribute(method, annotation.value(), domain, key, rules),
                keyExpression,
                cost.equals("1") ? null : parsed(method, cost),
                fallback(method, annotation.fallback()));
    }

    /** The attribute that {@code key} is the value of; null if there is no key, or it is a map. */
    private static @Nullable String attribute(Method method, String name, String domain, String key, RuleSet rules) {
        boolean isMap = key.startsWith("{");
        if (rules == UnknownRules.INSTANCE) {
            // The server does not answer, so on_fail decides; the method is read again when it has sent its rules.
            return key.isEmpty() || isMap ? null : "key";
        }
        RuleOutline rule = rule(method, name, domain, rules);
        KeyBy keyBy = rule.keyBy();
        if (!isMap && !rule.match().isEmpty()) {
            throw wrong(
                    method,
                    "rule " + name + " matches by " + rule.match().get(0) + ", which a method does not have",
                    "Use a rule without match, or give all attributes: key = \"{user_id: #user.id, tier:"
                            + " #user.tier}\".");
        }
        if (keyBy.parts().isEmpty()) {
            if (!key.isEmpty() && !isMap) {
                throw wrong(
                        method,
                        "it has the key " + key + ", but rule " + name + " counts all calls together",
                        "Give the rule a key_by, such as key_by: user_id, or remove the key.");
            }
            return null;
        }
        if (key.isEmpty()) {
            throw wrong(
                    method,
                    "it has no key, but rule " + name + " counts by "
                            + keyBy.parts().get(0).get(0),
                    "Add a key, such as key = \"#user.id\".");
        }
        if (isMap) {
            return null;
        }
        if (keyBy.parts().size() > 1) {
            throw wrong(
                    method,
                    "rule " + name + " counts by " + keyBy.parts().size() + " attributes, and the key is one value",
                    "Give them all: key = \"{" + keyBy.parts().get(0).get(0) + ": #a, "
                            + keyBy.parts().get(1).get(0) + ": #b}\".");
        }
        return keyBy.parts().get(0).get(0);
    }

    private static RuleOutline rule(Method method, String name, String domain, RuleSet rules) {
        RuleOutline found = rules instanceof OutlinedRules known ? known.outline(domain, name) : null;
        if (found != null && found.attributes()) {
            return found;
        }
        throw wrong(
                method,
                rules.domains().contains(domain)
                        ? "there is no rule " + name + " in domain " + domain + " (there are: "
                                + String.join(", ", rules.ruleNames(domain)) + ")"
                        : "there is no domain " + domain + " (there are: " + String.join(", ", rules.domains()) + ")",
                "Correct the name, or add the rule in Weir's format.");
    }

    private Expression parsed(Method method, String text) {
        try {
            Expression expression = parser.parseExpression(text);
            checkVariables(method, text);
            return expression;
        } catch (ParseException e) {
            throw wrong(method, text + " is not a SpEL expression: " + e.getMessage(), "Correct the expression.");
        }
    }

    private void checkVariables(Method method, String text) {
        @Nullable String @Nullable [] parameters = names.getParameterNames(method);
        Matcher variables = VARIABLE.matcher(TEXT.matcher(text).replaceAll("''"));
        while (variables.find()) {
            String name = Objects.requireNonNull(variables.group(1));
            boolean known = name.equals("root")
                    || name.equals("this")
                    || (parameters != null && Arrays.asList(parameters).contains(name))
                    || (name.matches("[pa]\\d+") && Integer.parseInt(name.substring(1)) < method.getParameterCount());
            if (!known) {
                throw wrong(
                        method,
                        "it has no parameter #" + name
                                + (parameters == null ? ", because it was compiled without parameter names" : ""),
                        parameters == null
                                ? "Compile with -parameters, or write #p0 for the first parameter."
                                : "Use one of: #" + String.join(", #", parameters) + ".");
            }
        }
    }

    private static @Nullable Method fallback(Method method, String name) {
        if (name.isEmpty()) {
            return null;
        }
        for (Class<?> type = method.getDeclaringClass(); type != null; type = type.getSuperclass()) {
            for (Method each : type.getDeclaredMethods()) {
                if (each.getName().equals(name) && !each.isSynthetic() && fits(each, method)) {
                    if (!method.getReturnType().isAssignableFrom(each.getReturnType())) {
                        throw wrong(
                                method,
                                "its fallback " + name + " returns "
                                        + each.getReturnType().getSimpleName(),
                                "Let the fallback return "
                                        + method.getReturnType().getSimpleName() + ".");
                    }
                    each.setAccessible(true);
                    return each;
                }
            }
        }
        throw wrong(
                method,
                "there is no fallback " + name + " with the same parameters",
                "Add a method " + name + " to " + method.getDeclaringClass().getSimpleName()
                        + " with the parameters of " + method.getName()
                        + ", and optionally a last one of type RateLimitedException.");
    }

    private static boolean fits(Method fallback, Method method) {
        if (KotlinDetector.isSuspendingFunction(fallback) && !KotlinDetector.isSuspendingFunction(method)) {
            return false;
        }
        Class<?>[] same = LimitedMethod.ownParameters(method);
        Class<?>[] parameters = LimitedMethod.ownParameters(fallback);
        if (Arrays.equals(parameters, same)) {
            return true;
        }
        return parameters.length == same.length + 1
                && Arrays.equals(Arrays.copyOf(parameters, same.length), same)
                && parameters[same.length].isAssignableFrom(RateLimitedException.class);
    }

    static WeirStartFailure wrong(Method method, String wrong, String cure) {
        return new WeirStartFailure("@RateLimited on " + MethodNames.of(method) + ": " + wrong + ".", cure);
    }
}
