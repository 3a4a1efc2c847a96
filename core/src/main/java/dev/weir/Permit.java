package dev.weir;

import java.util.concurrent.CompletionStage;

/**
 * The permits that a request took from its {@code concurrency} limits. Release them when the call that they stand for has
 * ended, however it ended:
 *
 * <pre>{@code
 * Decision decision = weir.decide(request);
 * try (Permit permit = decision.permit()) {
 *     if (decision.allowed()) ...
 * }
 * }</pre>
 *
 * <p>Only the first {@link #close} has an effect. It never blocks and never throws. If its message is lost, or this
 * process dies, the permits end after the limit's {@code permit_ttl}.
 */
public interface Permit extends AutoCloseable {

    /** Whether permits were taken, and {@link #close} was not called yet. They may have expired. */
    boolean isHeld();

    /**
     * Lets the permits last for another {@code permit_ttl} from now, for calls that take longer. Completes with false if
     * they have expired, were released, or the store did not answer; and with true if there is nothing to renew.
     */
    CompletionStage<Boolean> renew();

    /** Releases the permits. */
    @Override
    void close();

    /** Releases the permits when {@code call} completes, normally or not; returns {@code call}. */
    default <T> CompletionStage<T> closeAfter(CompletionStage<T> call) {
        return call.whenComplete((result, failure) -> close());
    }
}
