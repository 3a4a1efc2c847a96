package dev.weir.spring.internal.methods;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.Verdict;
import dev.weir.spring.RateLimitedException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.CoroutinesUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;

/** A method with its limits, checked: turns a call into a request. */
final class LimitedMethod {

    /**
     * One limit of a method.
     *
     * @param attribute the attribute that the key is the value of; null if the key is a map, or there is none
     * @param key null if all calls share a counter
     * @param cost null for one hit
     */
    record MethodLimit(
            String rule,
            @Nullable String attribute,
            @Nullable Expression key,
            @Nullable Expression cost,
            @Nullable Method fallback) {}

    private final Method method;
    private final String domain;
    private final List<MethodLimit> limits;
    private final ParameterNameDiscoverer names;
    private final BeanResolver beans;
    private final BiPredicate<String, Integer> rules;

    LimitedMethod(
            Method method, String domain, List<MethodLimit> limits, ParameterNameDiscoverer names, BeanResolver beans) {
        this.method = method;
        this.domain = domain;
        this.limits = List.copyOf(limits);
        this.names = names;
        this.beans = beans;
        this.rules = (rule, descriptor) -> limits.get(descriptor).rule().equals(rule);
    }

    Method method() {
        return method;
    }

    String domain() {
        return domain;
    }

    List<String> ruleNames() {
        return limits.stream().map(MethodLimit::rule).toList();
    }

    /** The request of a call with {@code arguments} on {@code target}. */
    Request request(@Nullable Object target, @Nullable Object[] arguments) {
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(
                target == null ? method.getDeclaringClass() : target, method, arguments, names);
        context.setBeanResolver(beans);
        Request request = Request.to(domain).asAttributes();
        for (MethodLimit each : limits) {
            request.descriptor();
            addKey(request, each, context);
            if (each.cost() != null) {
                request.descriptorHits(cost(each.cost(), context));
            }
        }
        return request.onlyRules(rules);
    }

    private void addKey(Request request, MethodLimit limit, EvaluationContext context) {
        if (limit.key() == null) {
            return;
        }
        Object key = value(limit.key(), context);
        if (limit.attribute() != null) {
            request.with(limit.attribute(), text(limit, limit.attribute(), key));
        } else if (key instanceof Map<?, ?> map) {
            map.forEach((name, value) -> request.with(String.valueOf(name), text(limit, String.valueOf(name), value)));
        } else {
            throw wrong(limit.key(), key, "a map of attributes");
        }
    }

    private String text(MethodLimit limit, String attribute, @Nullable Object value) {
        if (value == null) {
            throw new IllegalStateException(
                    "@RateLimited(\"" + limit.rule() + "\") on " + MethodNames.of(method) + ": key "
                            + (limit.key() == null ? "" : limit.key().getExpressionString()) + ": " + attribute
                            + " is null (expected: a value; with null, all callers would share one counter)");
        }
        return value.toString();
    }

    private long cost(Expression cost, EvaluationContext context) {
        Object value = value(cost, context);
        if (value instanceof Number number && number.longValue() >= 0) {
            return number.longValue();
        }
        throw wrong(cost, value, "a number >= 0");
    }

    private @Nullable Object value(Expression expression, EvaluationContext context) {
        try {
            return expression.getValue(context);
        } catch (EvaluationException e) {
            throw new IllegalStateException(
                    "@RateLimited on " + MethodNames.of(method) + ": " + expression.getExpressionString() + ": "
                            + e.getMessage(),
                    e);
        }
    }

    private IllegalStateException wrong(Expression expression, @Nullable Object value, String expected) {
        return new IllegalStateException("@RateLimited on " + MethodNames.of(method) + ": "
                + expression.getExpressionString() + " is " + value + " (expected: " + expected + ")");
    }

    /** The fallback of the limit that denied; null if it has none. */
    @Nullable
    Method fallback(Decision denied) {
        for (Verdict each : denied.verdicts()) {
            for (MethodLimit limit : limits) {
                if (!each.allowed() && limit.rule().equals(each.ruleName()) && limit.fallback() != null) {
                    return limit.fallback();
                }
            }
        }
        return null;
    }

    /** The parameters as they are written: a suspending function of Kotlin has one more, for its caller to go on. */
    static Class<?>[] ownParameters(Method method) {
        Class<?>[] all = method.getParameterTypes();
        return KotlinDetector.isSuspendingFunction(method) ? Arrays.copyOf(all, all.length - 1) : all;
    }

    /** Calls {@code fallback} with the arguments of a denied call; of a suspending one it returns a publisher. */
    @Nullable
    Object call(Method fallback, @Nullable Object target, @Nullable Object[] arguments, RateLimitedException denied)
            throws Throwable {
        int given = ownParameters(method).length;
        @Nullable Object[] all = Arrays.copyOf(arguments, ownParameters(fallback).length);
        if (all.length > given) {
            all[given] = denied;
        }
        if (KotlinDetector.isSuspendingFunction(fallback)) {
            return CoroutinesUtils.invokeSuspendingFunction(fallback, Objects.requireNonNull(target), all);
        }
        try {
            return fallback.invoke(target, all);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
