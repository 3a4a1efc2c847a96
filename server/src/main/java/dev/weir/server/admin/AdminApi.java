package dev.weir.server.admin;

import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.access.AccessControl;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.http.HttpProblems;
import dev.weir.server.settings.Version;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Answers on the admin port: what there is, the rules in force, counters, the version; what else can be changed is {@link ControlApi}'s. */
public final class AdminApi implements Handler<HttpServerRequest> {
    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String INDEX = """
            Weir's admin port

            GET /rlconfig                          the rules in force, one a line
            GET /version                           which Weir this is
            GET /v1/counters                       the counters that a request meets: ?domain=api&user_id=u_42&…
            DELETE /v1/counters                    forgets them
            GET /api                               all of the following, for people with a browser
            GET /openapi.json                      the same for machines

            GET /v1/ratelimit/config               rules, a page at a time (?limit=100&after=…&domain=…)
            GET, PUT, DELETE /v1/ratelimit/config/{rule_id}
            POST /ratelimit/rules                  a new rule
            GET /v1/ratelimit/sources              where rules come from, the lower layer first
            GET /admin/v1/quotas                   what was agreed with callers, a page at a time
            GET, PUT, DELETE /admin/v1/quotas/{api_key}
            GET /admin/v1/usage/{api_key}          what a caller has used
            POST /admin/v1/explain                 which rules a request meets, which not and why
            GET /admin/v1/switches                 what is switched
            GET, PUT, DELETE /admin/v1/switches/{rule}   on, off, shadow or rolled out; all is everything
            GET /admin/v1/audit                    who changed what (?after=VERSION)
            GET /admin/v1/audit/verify             whether every line of it follows the one before
            GET, POST /admin/v1/tokens             who is let in, and as what (viewer, operator, admin)
            GET, DELETE /admin/v1/tokens/{name}
            POST /admin/v1/tokens/{name}/rotate    a new secret
            GET /admin/v1/whoami                   what you are to this server

            Changes take ?dry_run=true, If-Match with the ETag of a GET, and for the audit X-Weir-Reason. A token goes into
            Authorization: Bearer weir_…; without one, only this machine is answered.
            """;

    private final AccessControl access;
    private final Supplier<RuleIndex> rules;
    private final AdminPages pages;
    private final Supplier<Router> control;
    private @Nullable Router routes;

    /** {@code httpPort} is where metrics are; {@code control} is asked for its routes when they are first called for, on the event loop. */
    public AdminApi(AccessControl access, Supplier<RuleIndex> rules, int httpPort, Supplier<Router> control) {
        this.access = access;
        this.rules = rules;
        this.pages = new AdminPages(httpPort);
        this.control = control;
    }

    @Override
    public void handle(HttpServerRequest request) {
        HttpServerResponse response = request.response();
        response.putHeader("X-Content-Type-Options", "nosniff");
        response.putHeader("Cache-Control", "no-store");
        try {
            guarded(request);
        } catch (HttpProblemException e) {
            HttpProblems.of(e).send(response);
        }
    }

    private void guarded(HttpServerRequest request) {
        HttpServerResponse response = request.response();
        refuseCrossSite(request);
        String path = String.valueOf(request.path());
        if (ControlApi.serves(path)) {
            routes().handle(request); // which asks who calls
            return;
        }
        boolean looks =
                request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
        if (looks && AdminPages.serves(path, request.getHeader("Accept"))) {
            pages.send(response, path);
            return;
        }
        var unused = access.identify(request); // looking is all that is left, and everybody who is let in may
        if (!AdminPages.isPage(path) && !path.equals("/rlconfig") && !path.equals("/version")) {
            end(response, 404, TEXT, "not here; see GET /\n");
        } else if (!looks) {
            response.putHeader("Allow", "GET, HEAD");
            end(response, 405, TEXT, "expected: GET\n");
        } else {
            switch (path) {
                case "/rlconfig" -> end(response, 200, TEXT, RuleDump.of(rules.get()));
                case "/version" -> end(response, 200, JSON, version());
                default -> end(response, 200, TEXT, INDEX);
            }
        }
    }

    private void refuseCrossSite(HttpServerRequest request) {
        try {
            CrossSiteGuard.refuse(request);
        } catch (HttpProblemException e) {
            access.crossSite();
            throw e;
        }
    }

    private Router routes() {
        Router found = routes;
        if (found == null) {
            found = control.get();
            routes = found;
        }
        return found;
    }

    private static String version() {
        Version version = Version.current();
        return new JsonObject()
                .put("version", version.number())
                .put("commit", version.commit().isEmpty() ? null : version.commit())
                .put("java", Version.java())
                .encode();
    }

    private static void end(HttpServerResponse response, int status, String type, String body) {
        var unused =
                response.setStatusCode(status).putHeader("Content-Type", type).end(body);
    }
}
