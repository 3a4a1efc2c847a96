package dev.weir.server.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the routers of all HTTP ports have in common: one answer to a wrong method, a wrong path, and a failure. */
public final class HttpRoutes {
    private static final System.Logger LOG = System.getLogger(HttpRoutes.class.getName());

    private HttpRoutes() {}

    /** Adds what is there to be read, and nothing else. */
    public static void page(Router router, String path, Handler<RoutingContext> handler) {
        router.route(path).method(HttpMethod.GET).method(HttpMethod.HEAD).handler(handler);
        only(router, path, "GET, HEAD");
    }

    /** After the last route of {@code path}: these are its methods. */
    public static void only(Router router, String path, String methods) {
        router.route(path).handler(context -> {
            throw HttpProblemException.methodNotAllowed(
                    context.request().method().name(), methods);
        });
    }

    /**
     * Answers what no route has answered.
     *
     * @param whereTo said to whoever asks for another path
     * @param known the answer to a failure of this port's own, or null for one that nobody expected
     */
    public static Router finish(Router router, String whereTo, Function<Throwable, @Nullable HttpAnswer> known) {
        router.route().last().handler(context -> {
            throw HttpProblemException.notFound(
                    "path: " + CallerText.shown(context.request().path()) + " (" + whereTo + ")");
        });
        router.route().failureHandler(context -> failed(context, known));
        // Where the router itself cannot read path or query, it asks no failure handler.
        return router.errorHandler(400, HttpPort::malformed);
    }

    private static void failed(RoutingContext context, Function<Throwable, @Nullable HttpAnswer> known) {
        if (context.response().ended()) {
            return;
        }
        Throwable failure = context.failure();
        HttpAnswer answer =
                failure instanceof HttpProblemException e ? HttpProblems.of(e) : HttpPort.turnedAway(context);
        if (answer == null && failure != null) {
            answer = known.apply(failure);
        }
        if (answer == null) {
            LOG.log(Level.ERROR, "A request could not be answered", failure);
            answer = HttpProblems.of(500, "this is a mistake of the server, not yours", List.of());
        }
        answer.send(context.response());
    }
}
