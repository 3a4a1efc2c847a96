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
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Handles the requests of the admin port: its pages, the rules in force, the version. {@link ControlApi} handles the
 * rest.
 */
public final class AdminApi implements Handler<HttpServerRequest> {
    private static final System.Logger LOG = System.getLogger(AdminApi.class.getName());
    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String INDEX = """
            Weir's admin port

            GET /rlconfig                          the rules in force, one per line
            GET /version                           the version of this server
            GET /v1/counters                       the counters of a request: ?domain=api&user_id=u_42&…
            DELETE /v1/counters                    reset them
            GET /api                               all of the following, in a browser
            GET /openapi.json                      the same as OpenAPI

            GET /v1/ratelimit/config               rules, a page at a time (?limit=100&after=…&domain=…)
            GET, PUT, DELETE /v1/ratelimit/config/{rule_id}
            POST /ratelimit/rules                  a new rule
            GET /v1/ratelimit/sources              the sources of rules, lowest layer first
            GET /admin/v1/quotas                   callers' quotas, a page at a time
            GET, PUT, DELETE /admin/v1/quotas/{api_key}
            GET /admin/v1/usage/{api_key}          a caller's usage
            POST /admin/v1/explain                 which rules apply to a request, which do not, and why
            GET /admin/v1/switches                 the switches that are set
            GET, PUT, DELETE /admin/v1/switches/{rule}   on, off, shadow or rollout; "all" for all rules
            GET /admin/v1/audit                    who changed what (?after=VERSION)
            GET /admin/v1/audit/verify             whether the hash chain of the audit is intact
            GET /admin/v1/backup                   rules, quotas, tokens (hashed), switches and audit, for weir recover
            GET, POST /admin/v1/tokens             access tokens and their roles (viewer, operator, admin)
            GET, DELETE /admin/v1/tokens/{name}
            POST /admin/v1/tokens/{name}/rotate    a new secret
            GET /admin/v1/status                   the state of this server: rules, stores, database, leases
            GET /admin/v1/fleet                    the state of the servers that share its Redis or database
            GET /admin/v1/whoami                   your own name and role

            Changes accept ?dry_run=true, If-Match with the ETag of a GET, and X-Weir-Reason for the audit.
            Send a token as Authorization: Bearer weir_…; without one, only requests from this machine are accepted.
            """;

    private final AccessControl access;
    private final Supplier<RuleIndex> rules;
    private final AdminPages pages;
    private final Supplier<Router> control;
    private @Nullable Router routes;

    /**
     * Creates the handler. The pages link to the metrics on {@code httpPort}. {@code control} supplies its routes on
     * first use, on the event loop.
     */
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
            refuse(response, e);
        }
    }

    private static void refuse(HttpServerResponse response, Throwable failure) {
        if (failure instanceof HttpProblemException e) {
            HttpProblems.of(e).send(response);
        } else {
            LOG.log(Level.ERROR, "a request failed with an internal error", failure);
            HttpProblems.of(500, "internal error; see the server's log", List.of())
                    .send(response);
        }
    }

    private void guarded(HttpServerRequest request) {
        HttpServerResponse response = request.response();
        refuseCrossSite(request);
        String path = String.valueOf(request.path());
        if (ControlApi.serves(path)) {
            routes().handle(request); // it identifies the caller itself
            return;
        }
        boolean reads =
                request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
        if (reads && AdminPages.serves(path, request.getHeader("Accept"))) {
            pages.send(response, path);
            return;
        }
        // Only reads are left, and every identified caller may read.
        access.identify(request, caller -> answer(request, path, reads), failure -> refuse(response, failure));
    }

    private void answer(HttpServerRequest request, String path, boolean reads) {
        HttpServerResponse response = request.response();
        if (!AdminPages.isPage(path) && !path.equals("/rlconfig") && !path.equals("/version")) {
            end(response, 404, TEXT, "not found; see GET /\n");
        } else if (!reads) {
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
