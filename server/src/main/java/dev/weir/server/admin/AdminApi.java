package dev.weir.server.admin;

import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.access.AccessControl;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.http.HttpProblems;
import dev.weir.server.http.StreamedAnswer;
import dev.weir.server.pages.AdminPages;
import dev.weir.server.settings.Version;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
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
            POST /admin/v1/replay/{rule_id}        what the rule would have denied of the requests recorded here
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
            GET /admin/v1/now                      state, figures, top denied callers, rules that deny, switches
            GET /admin/v1/live                     rules with their live numbers (?sort=denied_share&q=…)
            GET /admin/v1/history                  counts over time (?range=15m|6h|14d&domain=…&rule=…)
            GET /admin/v1/top                      heaviest callers (?by=denied|allowed|nearest&window=minute|hour)
            GET /admin/v1/caller                   everything that a caller meets: ?api_key=abc&…
            GET /admin/v1/denials                  the last denials, explained: ?domain=api&api_key=abc
            GET /admin/v1/load                     in flight, shed, waiting, and the load of each node
            GET /admin/v1/whoami                   your own name and role

            Changes accept ?dry_run=true, If-Match with the ETag of a GET, and X-Weir-Reason for the audit.
            Send a token as Authorization: Bearer weir_…; without one, only requests from this machine are accepted.
            """;

    private final AccessControl access;
    private final Supplier<RuleIndex> rules;
    private final AdminPages pages;
    private volatile @Nullable Dump dump;
    private final Supplier<Router> control;
    private @Nullable Router routes;

    /**
     * Creates the handler. The pages link to the metrics on {@code httpPort}. {@code control} supplies its routes on
     * first use, on the event loop.
     */
    public AdminApi(
            AccessControl access,
            Supplier<RuleIndex> rules,
            int httpPort,
            boolean hasDatabase,
            Supplier<Router> control) {
        this.access = access;
        this.rules = rules;
        this.pages = new AdminPages(httpPort, hasDatabase);
        this.control = control;
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Dump(RuleIndex of, byte[] text) {}

    @Override
    public void handle(HttpServerRequest request) {
        HttpServerResponse response = request.response();
        response.putHeader("X-Content-Type-Options", "nosniff");
        response.putHeader("Cache-Control", "no-store");
        try {
            guarded(request);
        } catch (HttpProblemException e) {
            refuse(request, e);
        }
    }

    private static void refuse(HttpServerRequest request, Throwable failure) {
        if (failure instanceof HttpProblemException e) {
            HttpProblems.of(e).send(request);
        } else {
            LOG.log(Level.ERROR, "a request failed with an internal error", failure);
            HttpProblems.of(500, "internal error; see the server's log", List.of())
                    .send(request);
        }
    }

    private void guarded(HttpServerRequest request) {
        refuseCrossSite(request);
        String path = String.valueOf(request.path());
        if (ControlApi.serves(path)) {
            routes().handle(request); // it identifies the caller itself
            return;
        }
        boolean reads =
                request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
        if (reads && pages.serves(path, request.getHeader("Accept"))) {
            pages.send(request);
            return;
        }
        // Only reads are left, and every identified caller may read.
        access.identify(request, caller -> answer(request, path, reads), failure -> refuse(request, failure));
    }

    private void answer(HttpServerRequest request, String path, boolean reads) {
        if (!AdminPages.isPage(path) && !path.equals("/rlconfig") && !path.equals("/version")) {
            end(request, 404, TEXT, "not found; see GET /\n");
        } else if (!reads) {
            request.response().putHeader("Allow", "GET, HEAD");
            end(request, 405, TEXT, "expected: GET\n");
        } else {
            switch (path) {
                case "/rlconfig" -> StreamedAnswer.send(request, TEXT, dump(rules.get()));
                case "/version" -> end(request, 200, JSON, version());
                default -> end(request, 200, TEXT, INDEX);
            }
        }
    }

    /** The dump of {@code index}, which all answers share: it is long, and a question for it is short. */
    private byte[] dump(RuleIndex index) {
        Dump last = dump;
        if (last == null || last.of != index) {
            last = new Dump(index, RuleDump.of(index).getBytes(StandardCharsets.UTF_8));
            dump = last;
        }
        return last.text;
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

    private static void end(HttpServerRequest request, int status, String type, String body) {
        new HttpAnswer(status, type, body.getBytes(StandardCharsets.UTF_8), List.of()).send(request);
    }
}
