package dev.weir.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Ends calls in every way that a servlet can; looks, as late as it can, whether the permit is still held. */
final class AsyncServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    /** The ways to end a call. */
    enum Way {
        RETURNS,
        THROWS_RUNTIME,
        THROWS_SERVLET,
        SENDS_ERROR,
        FORWARDS,
        COMPLETES_LATER,
        COMPLETES_AT_ONCE,
        STARTS_AND_THROWS,
        DISPATCHES,
        DISPATCHES_TO_ONE_THAT_THROWS,
        STARTS_AGAIN,
        TIMES_OUT,
        TIMES_OUT_AND_ANSWERS,
        THROWS_IN_ITS_THREAD,
        THROWS_IN_ITS_THREAD_MEANWHILE,
        THROWS_IN_ITS_THREAD_AND_DISPATCHES,
        THROWS_IN_ITS_THREAD_AFTERWARDS,
        WRITES_WITHOUT_BLOCKING
    }

    private final transient LongSupplier free;
    private final transient Executor later;
    /** Calls that ran on after their permit was gone. */
    volatile int early;

    AsyncServlet(LongSupplier free, Executor later) {
        this.free = free;
        this.later = later;
    }

    private synchronized void stillHeld() {
        if (free.getAsLong() != 0) {
            early++;
        }
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        Way way = Way.valueOf(request.getParameter("way"));
        stillHeld();
        if (request.getDispatcherType() != DispatcherType.REQUEST) {
            dispatched(way, request);
            return;
        }
        switch (way) {
            case RETURNS -> response.getWriter().write("ok");
            case THROWS_RUNTIME -> throw new IllegalStateException("on purpose");
            case THROWS_SERVLET -> throw new ServletException("on purpose");
            case SENDS_ERROR -> response.sendError(503);
            case FORWARDS -> request.getRequestDispatcher("/end").forward(request, response);
            default -> async(way, request, response);
        }
    }

    private void async(Way way, HttpServletRequest request, HttpServletResponse response) throws IOException {
        AsyncContext context = request.startAsync();
        context.setTimeout(
                way == Way.TIMES_OUT
                                || way == Way.TIMES_OUT_AND_ANSWERS
                                || way.name().startsWith("THROWS_IN_ITS_THREAD")
                        ? 300
                        : 10_000);
        switch (way) {
            case COMPLETES_LATER ->
                later.execute(() -> {
                    stillHeld();
                    context.complete();
                });
            case COMPLETES_AT_ONCE -> context.complete();
            case STARTS_AND_THROWS -> throw new IllegalStateException("on purpose");
            case DISPATCHES, DISPATCHES_TO_ONE_THAT_THROWS, STARTS_AGAIN ->
                later.execute(() -> {
                    stillHeld();
                    context.dispatch("/end");
                });
            case TIMES_OUT_AND_ANSWERS -> context.addListener(new Answering());
            case THROWS_IN_ITS_THREAD -> context.start(AsyncServlet::fail);
            case THROWS_IN_ITS_THREAD_MEANWHILE, THROWS_IN_ITS_THREAD_AND_DISPATCHES -> {
                if (way == Way.THROWS_IN_ITS_THREAD_AND_DISPATCHES) {
                    context.addListener(new Dispatching());
                }
                AtomicReference<Thread> other = new AtomicReference<>();
                context.start(() -> {
                    other.set(Thread.currentThread());
                    fail();
                });
                // The container has noted the error, or its thread is idle again.
                while (request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) == null && !isIdle(other.get())) {
                    Thread.onSpinWait();
                }
            }
            case THROWS_IN_ITS_THREAD_AFTERWARDS -> {
                Thread container = Thread.currentThread();
                context.start(() -> {
                    while (!isIdle(container)) {
                        Thread.onSpinWait();
                    }
                    fail();
                });
            }
            case WRITES_WITHOUT_BLOCKING -> write(context, response.getOutputStream());
            default -> {} // the container ends it
        }
    }

    private static void fail() {
        throw new IllegalStateException("on purpose");
    }

    private static boolean isIdle(@Nullable Thread thread) {
        return thread != null
                && thread.getState() != Thread.State.RUNNABLE
                && thread.getState() != Thread.State.BLOCKED;
    }

    private void dispatched(Way way, HttpServletRequest request) {
        if (way == Way.DISPATCHES_TO_ONE_THAT_THROWS) {
            throw new IllegalStateException("on purpose");
        }
        if (way == Way.THROWS_IN_ITS_THREAD_AND_DISPATCHES) {
            // The call goes on for longer than the filter waits before it looks whether the call is over.
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(250));
            stillHeld();
        }
        if (way == Way.STARTS_AGAIN) {
            AsyncContext again = request.startAsync();
            later.execute(() -> {
                stillHeld();
                again.complete();
            });
        }
    }

    private void write(AsyncContext context, ServletOutputStream out) {
        out.setWriteListener(new WriteListener() {
            private int left = 64;

            @Override
            public void onWritePossible() throws IOException {
                while (out.isReady() && left-- > 0) {
                    out.write(new byte[16_384]);
                }
                if (left <= 0) {
                    stillHeld();
                    context.complete();
                }
            }

            @Override
            public void onError(Throwable failure) {
                context.complete();
            }
        });
    }

    /** Goes on after an error, as frameworks do that write an answer to it. */
    private static final class Dispatching implements AsyncListener {
        @Override
        public void onError(AsyncEvent event) {
            event.getAsyncContext().dispatch("/end");
        }

        @Override
        public void onComplete(AsyncEvent event) {}

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }

    /** Answers a time-out, as frameworks do. */
    private final class Answering implements AsyncListener {
        @Override
        public void onTimeout(AsyncEvent event) throws IOException {
            stillHeld();
            ((HttpServletResponse) event.getSuppliedResponse()).setStatus(504);
            event.getAsyncContext().complete();
        }

        @Override
        public void onComplete(AsyncEvent event) {}

        @Override
        public void onError(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }
}
