package dev.weir.http;

import dev.weir.Decision;
import dev.weir.LoadShedder.Admission;
import dev.weir.http.internal.DecisionAnswer;
import dev.weir.internal.model.MutableDecision;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP call that an {@link HttpLimiter} has decided. If it may pass, the adapter adds the {@link #headers} to the
 * response, serves the call, and then calls {@link #ended} once it has really ended: after the last byte of an
 * asynchronous response, too. If it may not pass, the adapter sends {@link #status}, {@link #headers} and {@link #body}.
 */
public final class LimitedCall {
    /** The media type of {@link #body}. */
    public static final String PROBLEM = "application/problem+json";

    private final HttpLimiter limiter;
    private final HttpCall call;
    private final @Nullable MutableDecision decision;
    private final @Nullable Admission admission;
    private final List<String> headers;
    private final int status;
    private final byte[] body;
    private final AtomicBoolean ended = new AtomicBoolean();

    LimitedCall(
            HttpLimiter limiter,
            HttpCall call,
            @Nullable MutableDecision decision,
            @Nullable Admission admission,
            int status,
            List<String> headers,
            byte[] body) {
        this.limiter = limiter;
        this.call = call;
        this.decision = decision;
        this.admission = admission;
        this.headers = headers;
        this.status = status;
        this.body = body;
    }

    /** Whether the call may pass. */
    public boolean allowed() {
        return status == 200;
    }

    /** The decision of the rules; null if the worker shedder refused the call before they were asked. */
    public @Nullable Decision decision() {
        return decision;
    }

    /** The call that was decided. */
    public HttpCall call() {
        return call;
    }

    /** 200 if the call may pass; else 429, 503 or 403. */
    public int status() {
        return status;
    }

    /** The names and values, in turn, of the headers that the response gets, whether the call may pass or not. */
    public List<String> headers() {
        return headers;
    }

    /**
     * The {@link #headers} of this call, and of {@code earlier} on the same call: the policies of both, and the numbers of
     * the one with the smaller share left. For adapters that ask two limiters in turn.
     */
    public List<String> headersAfter(LimitedCall earlier) {
        return decision == null || earlier.decision == null
                ? headers
                : DecisionAnswer.merged(earlier.decision, earlier.headers, decision, headers);
    }

    /** The {@value #PROBLEM} document of a denial, in UTF-8; empty if the call may pass. */
    public byte[] body() {
        return body.clone();
    }

    /**
     * Whether a shadow ban applies: the caller must see an ordinary answer, and the application may treat the call
     * differently. Nothing in the {@link #headers} shows it.
     */
    public boolean shadowBanned() {
        return decision != null && decision.isShadowBanned();
    }

    /**
     * Ends the call: releases its permits, reports its latency to the worker shedder, and charges what is charged after the
     * response. Only the first call of {@code ended} or {@link #cancelled} has an effect. Never blocks, never throws.
     *
     * @param responseStatus the status of the response
     */
    public void ended(int responseStatus) {
        if (ended.compareAndSet(false, true)) {
            if (admission != null) {
                admission.close();
            }
            release();
            if (allowed()) {
                limiter.chargeAfter(call, responseStatus);
            }
        }
    }

    /**
     * Ends a call that timed out, or whose caller has left: releases its permits, and leaves its charge as it is. Only the first
     * call of {@link #ended} or {@code cancelled} has an effect. Never blocks, never throws.
     */
    public void cancelled() {
        if (ended.compareAndSet(false, true)) {
            if (admission != null) {
                admission.timedOut();
            }
            release();
        }
    }

    private void release() {
        if (decision != null) {
            decision.permit().close();
        }
    }
}
