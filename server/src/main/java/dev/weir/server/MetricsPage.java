package dev.weir.server;

import dev.weir.server.http.HttpProblems;
import dev.weir.server.http.StreamedAnswer;
import dev.weir.server.lifecycle.ThrottledBatches;
import dev.weir.server.metrics.MetricsFormat;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Answers {@code GET /metrics}. One page is rendered at a time, for at most a quarter of one processor, and all requests
 * that arrived before get the same bytes in the format that they accept.
 */
final class MetricsPage {
    private static final System.Logger LOG = System.getLogger(MetricsPage.class.getName());

    /** A request, and the event loop on which it is answered. */
    private record Waiting(HttpServerRequest request, MetricsFormat format, Context home) {
        void answer(Handler<HttpServerRequest> how) {
            home.runOnContext(here -> how.handle(request));
        }
    }

    private final Vertx vertx;
    private final Function<MetricsFormat, String> render;
    private final ThrottledBatches<Waiting> pages;

    MetricsPage(Vertx vertx, Function<MetricsFormat, String> render) {
        this.vertx = vertx;
        this.render = render;
        this.pages = new ThrottledBatches<>(vertx, this::renderFor);
    }

    /** Answers with the next page whose rendering has not begun. */
    void answer(HttpServerRequest request) {
        MetricsFormat format = MetricsFormat.accepted(request.getHeader("Accept"));
        pages.add(new Waiting(request, format, vertx.getOrCreateContext()));
    }

    private void renderFor(List<Waiting> served) {
        try {
            Map<MetricsFormat, byte[]> rendered = new EnumMap<>(MetricsFormat.class);
            for (Waiting each : served) {
                rendered.computeIfAbsent(
                        each.format(), format -> render.apply(format).getBytes(StandardCharsets.UTF_8));
            }
            for (Waiting each : served) {
                byte[] page = Objects.requireNonNull(rendered.get(each.format()));
                each.answer(request -> {
                    request.response().putHeader("Vary", "Accept");
                    StreamedAnswer.send(request, each.format().contentType(), page);
                });
            }
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "/metrics could not be rendered", e);
            served.forEach(each ->
                    each.answer(request -> HttpProblems.of(500, "this is a mistake of the server, not yours", List.of())
                            .send(request)));
        }
    }
}
