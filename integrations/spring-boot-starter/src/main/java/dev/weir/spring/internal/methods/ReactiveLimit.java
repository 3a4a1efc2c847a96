package dev.weir.spring.internal.methods;

import dev.weir.Decision;
import dev.weir.Weir;
import dev.weir.spring.RateLimitedException;
import dev.weir.spring.internal.web.DecidedMono;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Limits methods that return publishers: each subscription is decided, without blocking, before the method runs. */
final class ReactiveLimit {
    private ReactiveLimit() {}

    static boolean returnsPublisher(Method method) {
        return method.getReturnType() == Mono.class
                || method.getReturnType() == Flux.class
                || method.getReturnType() == Publisher.class;
    }

    static Publisher<?> limit(Weir weir, LimitedMethod limited, MethodInvocation call, boolean suspends) {
        Mono<Decision> decided = new DecidedMono<>(
                () -> weir.decideAsync(limited.request(call.getThis(), call.getArguments()))
                        .toCompletableFuture(),
                Schedulers::parallel,
                decision -> decision.permit().close());
        return !suspends && call.getMethod().getReturnType() != Mono.class
                ? decided.flatMapMany(decision -> Flux.from(served(limited, call, decision))
                        .doFinally(signal -> decision.permit().close()))
                : decided.flatMap(decision -> Mono.from(served(limited, call, decision))
                        .doFinally(signal -> decision.permit().close()));
    }

    private static Publisher<?> served(LimitedMethod limited, MethodInvocation call, Decision decision) {
        try {
            if (decision.allowed()) {
                return publisher(call.proceed());
            }
            RateLimitedException denial = new RateLimitedException(decision);
            Method fallback = limited.fallback(decision);
            return fallback == null
                    ? Mono.error(denial)
                    : publisher(limited.call(fallback, call.getThis(), call.getArguments(), denial));
        } catch (Throwable e) {
            return Mono.error(e);
        }
    }

    /** A fallback of a suspending function may be an ordinary one, which returns a value. */
    private static Publisher<?> publisher(@Nullable Object returned) {
        return returned instanceof Publisher<?> publisher ? publisher : Mono.justOrEmpty(returned);
    }
}
