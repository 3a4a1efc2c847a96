package dev.weir.server;

import dev.weir.server.http.HttpProblems;
import dev.weir.server.http.StreamedAnswer;
import dev.weir.server.metrics.ServerMetrics;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Answers {@code GET /metrics}. One page is rendered at a time, and all requests that arrived before get the same bytes.
 * After a page comes a pause of three times its rendering time, so requests never take more than a quarter of one
 * thread.
 */
final class MetricsPage {
    private static final System.Logger LOG = System.getLogger(MetricsPage.class.getName());
    private static final int PAUSE = 3;

    /** A request, and the event loop on which it is answered. */
    private record Waiting(HttpServerRequest request, Context home) {
        void answer(Handler<HttpServerRequest> how) {
            home.runOnContext(here -> how.handle(request));
        }
    }

    private final Vertx vertx;
    private final Callable<String> render;
    private List<Waiting> waiting = new ArrayList<>();
    private boolean busy;

    MetricsPage(Vertx vertx, Callable<String> render) {
        this.vertx = vertx;
        this.render = render;
    }

    /** Answers with the next page whose rendering has not begun. */
    synchronized void answer(HttpServerRequest request) {
        waiting.add(new Waiting(request, vertx.getOrCreateContext()));
        if (!busy) {
            busy = true;
            begin();
        }
    }

    private void begin() {
        var unused = vertx.executeBlocking(
                () -> {
                    renderForAll();
                    return true;
                },
                false);
    }

    private void renderForAll() {
        long began = System.nanoTime();
        List<Waiting> served = next();
        try {
            byte[] page = render.call().getBytes(StandardCharsets.UTF_8);
            served.forEach(
                    each -> each.answer(request -> StreamedAnswer.send(request, ServerMetrics.CONTENT_TYPE, page)));
        } catch (Exception e) {
            LOG.log(Level.ERROR, "/metrics could not be rendered", e);
            served.forEach(each ->
                    each.answer(request -> HttpProblems.of(500, "this is a mistake of the server, not yours", List.of())
                            .send(request.response())));
        } finally {
            long pause = TimeUnit.NANOSECONDS.toMillis((System.nanoTime() - began) * PAUSE);
            vertx.setTimer(Math.max(1, pause), over -> goOn());
        }
    }

    private synchronized List<Waiting> next() {
        List<Waiting> served = waiting;
        waiting = new ArrayList<>();
        return served;
    }

    private synchronized void goOn() {
        busy = !waiting.isEmpty();
        if (busy) {
            begin();
        }
    }
}
