package dev.weir.servlet;

import dev.weir.http.LimitedCall;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends an asynchronous call when the container says that it is complete. A call that is started again drops its listeners,
 * so this adds itself anew.
 *
 * <p>Tomcat 10.1 and 11 report an error and never the completion if a thread of {@code AsyncContext.start} throws while
 * the thread of the request still runs: the call is in the state MUST_ERROR when that thread returns, which Tomcat does not
 * expect there, and it drops the connection. After an error the call may also go on, by a dispatch. So from then on this
 * looks from time to time whether the container has taken the request back.
 */
final class CallEnd implements AsyncListener {
    /** Looks come at 1/16 s, 1/8 s and so on, and then every second. */
    private static final long FIRST_LOOK_MILLIS = 62;

    private static final long LONGEST_PAUSE_MILLIS = 1_000;
    /** After so many looks, about ten minutes, this gives up: the permit then ends with its TTL. */
    private static final int MOST_LOOKS = 600;

    private final LimitedCall call;
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private volatile boolean complete;
    private boolean failed;

    CallEnd(LimitedCall call, HttpServletRequest request, HttpServletResponse response) {
        this.call = call;
        this.request = request;
        this.response = response;
    }

    @Override
    public void onComplete(AsyncEvent event) {
        complete = true;
        call.ended(response.getStatus());
    }

    /** The application may still write an answer to the time-out, and completes the call then. */
    @Override
    public void onTimeout(AsyncEvent event) {}

    /** The container completes the call after an error, or the application dispatches it. */
    @Override
    public synchronized void onError(AsyncEvent event) {
        if (!failed) {
            failed = true;
            lookLater(request.getAttribute(WeirFilter.CALL), 0);
        }
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        event.getAsyncContext().addListener(this);
    }

    private void lookLater(@Nullable Object attribute, int looks) {
        long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_LOOK_MILLIS << Math.min(looks, 10));
        Executor later = CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS, Runnable::run);
        later.execute(() -> look(attribute, looks + 1));
    }

    private void look(@Nullable Object attribute, int looks) {
        if (complete) {
            return;
        }
        if (isTakenBack(attribute)) {
            call.cancelled(); // the request can no longer be read, so nothing is charged for it
        } else if (looks < MOST_LOOKS) {
            lookLater(attribute, looks);
        }
    }

    /** Whether the container has recycled the request: over HTTP/1 all of it, over HTTP/2 at least its head. */
    private boolean isTakenBack(@Nullable Object attribute) {
        try {
            return request.getAttribute(WeirFilter.CALL) != attribute || request.getMethod() == null;
        } catch (RuntimeException e) {
            return true; // Tomcat's façade of a recycled request
        }
    }
}
