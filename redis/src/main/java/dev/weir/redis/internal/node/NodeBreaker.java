package dev.weir.redis.internal.node;

import dev.weir.redis.BreakerSettings;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Opens when too many of the last batches failed or were slow. Only a probe closes it again, never a caller. */
final class NodeBreaker {
    /** Says that it failed; what failed is known elsewhere. */
    private final Throwable failed = new Throwable("failed", null, false, false) {};

    private final CircuitBreaker circuit;
    private volatile boolean open;

    NodeBreaker(String node, BreakerSettings settings, Runnable opened) {
        circuit = CircuitBreaker.of(
                node,
                CircuitBreakerConfig.custom()
                        .slidingWindow(
                                settings.window(),
                                Math.min(settings.minimum(), settings.window()),
                                SlidingWindowType.COUNT_BASED)
                        .failureRateThreshold(settings.failurePercent())
                        .slowCallRateThreshold(settings.failurePercent())
                        .slowCallDurationThreshold(settings.slow())
                        .waitDurationInOpenState(Duration.ofDays(365))
                        .writableStackTraceEnabled(false)
                        .build());
        circuit.getEventPublisher().onStateTransition(event -> {
            boolean was = open;
            open = event.getStateTransition().getToState() == CircuitBreaker.State.OPEN;
            if (open && !was) {
                opened.run();
            }
        });
    }

    boolean isOpen() {
        return open;
    }

    void succeeded(long nanos) {
        if (!open) {
            circuit.onSuccess(nanos, TimeUnit.NANOSECONDS);
        }
    }

    void failed(long nanos) {
        if (!open) {
            circuit.onError(nanos, TimeUnit.NANOSECONDS, failed);
        }
    }

    /** Does not wait for more of what has happened. */
    void open() {
        if (!open) {
            circuit.transitionToOpenState();
        }
    }

    /** Forgets what was. */
    void close() {
        circuit.reset();
        open = false;
    }
}
