package dev.weir.client;

import dev.weir.client.internal.PacedOrigin;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * One attempt of a call under a {@link Pacer}. Its sender asks {@link #delay} until it is zero, calls {@link #sent}, sends,
 * and then calls {@link #answered} or {@link #failed}; only the first of these counts.
 */
public final class PacedCall {
    private final Pacer pacer;
    private final PacedOrigin origin;
    private final PacedOrigin.Turn turn;
    private final double latest;
    private boolean sent;
    private boolean ended;

    PacedCall(Pacer pacer, PacedOrigin origin, double latest) {
        this.pacer = pacer;
        this.origin = origin;
        this.turn = origin.new Turn();
        this.latest = latest;
    }

    /** How long to wait before asking again; zero if the call may be sent now. */
    public Duration delay() {
        double seconds = turn.delay(pacer.now());
        return seconds <= 0 ? Duration.ZERO : Duration.ofNanos(Math.max(1_000, (long) (seconds * 1e9)));
    }

    /** Whether the call has waited for as long as the pacer lets it, or would have to, so that it should fail. */
    public boolean isOverdue() {
        return Math.max(pacer.now(), origin.blockedUntil(pacer.now())) > latest;
    }

    /** Records that the call is sent now. */
    public void sent() {
        synchronized (this) {
            sent = true;
        }
        turn.sent();
    }

    /** Whether this is the first to end a call that was sent: its body may fail after its head was read. */
    private synchronized boolean ends() {
        boolean first = sent && !ended;
        ended = true;
        return first;
    }

    /** Whether the call may be sent again after its refusal: the origin does not ask for a longer wait than the pacer allows. */
    boolean mayRetry(int retries) {
        return retries < pacer.maxRetries() && pacer.fits(origin) && pacer.tryRetry();
    }

    /**
     * Records the answer.
     *
     * @param status the HTTP status; 429 and 503 with {@code Retry-After} mean that the call was refused
     * @param headers finds the values of a header by its name
     * @return whether the call was refused
     */
    public boolean answered(int status, Function<String, List<String>> headers) {
        long retryAfter = status == 429 || status == 503 ? pacer.retryAfterSeconds(headers) : -1;
        boolean refused = status == 429 || (status == 503 && retryAfter >= 0);
        if (refused) {
            refused(retryAfter < 0 ? Duration.ofSeconds(-1) : Duration.ofSeconds(retryAfter), headers);
        } else if (ends()) {
            origin.answered(pacer.readings(headers), pacer.now());
        }
        return refused;
    }

    /** Records that the call was refused; {@code retryAfter} is how long to wait, negative if nobody said. */
    public void refused(Duration retryAfter, Function<String, List<String>> headers) {
        if (ends()) {
            origin.refused(pacer.readings(headers), retryAfter.toNanos() / 1e9, pacer.now());
        }
    }

    /** Records that there was no answer, or that the call was not sent after all. */
    public void failed() {
        if (ends()) {
            origin.failed();
        }
    }
}
