package dev.weir.redis.internal.node;

import dev.weir.redis.BreakerSettings;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The circuit breaker of one node. It opens when too many of the last batches failed or were slow. Only a probe closes
 * it, never a caller.
 */
final class NodeBreaker {
    /** A placeholder for the failure, which is reported elsewhere. */
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

    /** Opens the breaker at once. */
    void open() {
        if (!open) {
            circuit.transitionToOpenState();
        }
    }

    /** Closes the breaker and clears its window. */
    void close() {
        circuit.reset();
        open = false;
    }
}
