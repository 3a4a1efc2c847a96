package dev.weir.server.admin;

import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.database.DatabaseException;
import dev.weir.server.access.AccessControl;
import dev.weir.server.access.Permission;
import dev.weir.server.http.BodyBudget;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblems;
import dev.weir.server.http.HttpRoutes;
import dev.weir.server.http.RequestBody;
import dev.weir.server.shedding.LoadShedding;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The routes of the admin API: checks the permission of a call, reads its body, and answers it on a worker, never on the
 * event loop. The workers are its own, so that a database that does not answer delays operators only.
 */
final class AdminRoutes {
    private static final int MAX_BODY = 256 << 10;
    private static final int WORKERS = 4;

    private final Router router;
    private final AccessControl access;
    private final LoadShedding shedding;
    private final WorkerExecutor workers;
    private final BodyBudget bodies = new BodyBudget(MAX_BODY);
    /** The methods of each path, in the order in which they were added. */
    private final Map<String, StringJoiner> methods = new LinkedHashMap<>();

    AdminRoutes(Vertx vertx, AccessControl access, LoadShedding shedding) {
        this.access = access;
        this.shedding = shedding;
        workers = vertx.createSharedWorkerExecutor("weir-operators", WORKERS);
        router = Router.router(vertx);
        router.route().handler(context -> AdminCall.identify(context, access));
    }

    void get(String path, Function<AdminCall, HttpAnswer> handler) {
        route(HttpMethod.GET, path, context -> {
            AdminCall call = allowed(context, false, path);
            answer(context, () -> handler.apply(call));
        });
    }

    void write(HttpMethod method, String path, BiFunction<AdminCall, byte[], HttpAnswer> handler) {
        route(method, path, context -> {
            AdminCall call = allowed(context, true, path);
            RequestBody.read(
                    context.request(), bodies, body -> answer(context, () -> handler.apply(call, body)), context::fail);
        });
    }

    /** Adds the answers to all other calls, and returns the router. */
    Router finish() {
        methods.forEach((path, allowed) -> HttpRoutes.only(router, path, allowed.toString()));
        return HttpRoutes.finish(router, "see GET /", AdminRoutes::answerTo);
    }

    private void route(HttpMethod method, String path, Handler<RoutingContext> handler) {
        methods.computeIfAbsent(path, each -> new StringJoiner(", ")).add(method.name());
        router.route(method, path).handler(handler);
    }

    private AdminCall allowed(RoutingContext context, boolean changes, String route) {
        AdminCall call = new AdminCall(context);
        access.require(call.caller(), Permission.of(changes, route));
        return call;
    }

    private void answer(RoutingContext context, Callable<HttpAnswer> work) {
        shedding.forOperator(context.request(), () -> workers.executeBlocking(work, false))
                .onSuccess(answer -> answer.send(context.request()))
                .onFailure(context::fail);
    }

    private static @Nullable HttpAnswer answerTo(Throwable failure) {
        if (failure instanceof ChangeRefusedException e) {
            int status = switch (e.kind()) {
                case INVALID -> 400;
                case MISSING -> 404;
                case STALE -> 412;
                case TAKEN -> 409;
            };
            return HttpProblems.of(status, String.valueOf(e.getMessage()), e.details(), List.of());
        }
        return failure instanceof DatabaseException e
                ? HttpProblems.of(503, String.valueOf(e.getMessage()), List.of())
                : null;
    }
}
