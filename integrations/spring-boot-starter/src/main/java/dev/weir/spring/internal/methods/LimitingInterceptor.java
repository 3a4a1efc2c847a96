package dev.weir.spring.internal.methods;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.Weir;
import dev.weir.spring.RateLimitedException;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;

/** Decides each call of a method with limits, before the method runs. */
final class LimitingInterceptor implements MethodInterceptor {
    private static final boolean REACTIVE =
            ClassUtils.isPresent("reactor.core.publisher.Mono", LimitingInterceptor.class.getClassLoader());

    private final Supplier<LimitedMethods> methods;
    private final Supplier<Weir> weir;

    LimitingInterceptor(Supplier<LimitedMethods> methods, Supplier<Weir> weir) {
        this.methods = methods;
        this.weir = weir;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Object target = call.getThis();
        Method method = call.getMethod();
        Class<?> type = target == null ? method.getDeclaringClass() : ClassUtils.getUserClass(target);
        LimitedMethod limited = methods.get().get(ClassUtils.getMostSpecificMethod(method, type), type);
        if (limited == null) {
            return call.proceed();
        }
        // For a suspending function Spring takes a Mono, and resumes the caller when it ends.
        boolean suspends = KotlinDetector.isSuspendingFunction(method);
        if (REACTIVE && (suspends || ReactiveLimit.returnsPublisher(method))) {
            return ReactiveLimit.limit(weir.get(), limited, call, suspends);
        }
        Request request = limited.request(target, call.getArguments());
        Decision decision = weir.get().decide(request);
        if (!decision.allowed()) {
            return denied(limited, call, decision);
        }
        return proceed(call, decision);
    }

    private static @Nullable Object proceed(MethodInvocation call, Decision decision) throws Throwable {
        boolean later = false;
        try {
            Object result = call.proceed();
            if (result instanceof CompletionStage<?> stage && decision.permit().isHeld()) {
                later = true;
                stage.whenComplete((value, failure) -> decision.permit().close());
            }
            return result;
        } finally {
            if (!later) {
                decision.permit().close();
            }
        }
    }

    private static @Nullable Object denied(LimitedMethod limited, MethodInvocation call, Decision decision)
            throws Throwable {
        RateLimitedException denial = new RateLimitedException(decision);
        Method fallback = limited.fallback(decision);
        if (fallback != null) {
            return limited.call(fallback, call.getThis(), call.getArguments(), denial);
        }
        Class<?> returned = call.getMethod().getReturnType();
        if (Future.class.isAssignableFrom(returned) || CompletionStage.class.isAssignableFrom(returned)) {
            if (returned.isAssignableFrom(CompletableFuture.class)) {
                return CompletableFuture.failedFuture(denial);
            }
        }
        throw denial;
    }
}
