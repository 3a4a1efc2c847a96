package dev.weir.server.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Adds what the routers of all HTTP ports share: the answers to a wrong method, an unknown path, and a failure. */
public final class HttpRoutes {
    private static final System.Logger LOG = System.getLogger(HttpRoutes.class.getName());

    private HttpRoutes() {}

    /** Adds a page that can only be read. */
    public static void page(Router router, String path, Handler<RoutingContext> handler) {
        router.route(path).method(HttpMethod.GET).method(HttpMethod.HEAD).handler(handler);
        only(router, path, "GET, HEAD");
    }

    /** Refuses all other methods of {@code path}; to be called after its last route. */
    public static void only(Router router, String path, String methods) {
        router.route(path).handler(context -> {
            throw HttpProblemException.methodNotAllowed(
                    context.request().method().name(), methods);
        });
    }

    /**
     * Answers requests that no route has answered.
     *
     * @param hint a hint for callers of an unknown path
     * @param known maps a failure of this port to its answer; null for an unexpected failure
     */
    public static Router finish(Router router, String hint, Function<Throwable, @Nullable HttpAnswer> known) {
        router.route().last().handler(context -> {
            throw HttpProblemException.notFound(
                    "path: " + CallerText.shown(context.request().path()) + " (" + hint + ")");
        });
        router.route().failureHandler(context -> failed(context, known));
        // If the router itself cannot parse path or query, it calls no failure handler.
        return router.errorHandler(400, HttpPort::malformed);
    }

    private static void failed(RoutingContext context, Function<Throwable, @Nullable HttpAnswer> known) {
        if (context.response().ended()) {
            return;
        }
        Throwable failure = context.failure();
        HttpAnswer answer =
                failure instanceof HttpProblemException e ? HttpProblems.of(e) : HttpPort.refusedByRouter(context);
        if (answer == null && failure != null) {
            answer = known.apply(failure);
        }
        if (answer == null) {
            LOG.log(Level.ERROR, "a request failed with an internal error", failure);
            answer = HttpProblems.of(500, "internal error; see the server's log", List.of());
        }
        answer.send(context.request());
    }
}
