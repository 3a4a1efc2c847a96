package dev.weir.server.admin;

import dev.weir.match.RuleSet;
import dev.weir.server.settings.Version;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.util.function.Supplier;

/** Answers on the admin port: what there is, the rules in force, the version. */
public final class AdminApi implements Handler<HttpServerRequest> {
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String INDEX = """
            Weir's admin port

            GET /rlconfig   the rules in force, one a line
            GET /version    which Weir this is
            """;

    private final Supplier<RuleSet> rules;

    public AdminApi(Supplier<RuleSet> rules) {
        this.rules = rules;
    }

    @Override
    public void handle(HttpServerRequest request) {
        HttpServerResponse response = request.response();
        response.putHeader("X-Content-Type-Options", "nosniff");
        response.putHeader("Cache-Control", "no-store");
        // A page elsewhere can point a name of its own at 127.0.0.1 and read from here through the operator's browser.
        if (!LoopbackHost.isNamedBy(request.authority())) {
            end(response, 403, TEXT, "Host: expected localhost, 127.0.0.1 or [::1]\n");
            return;
        }
        String path = String.valueOf(request.path());
        if (!path.equals("/") && !path.equals("/rlconfig") && !path.equals("/version")) {
            end(response, 404, TEXT, "not here; see GET /\n");
        } else if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            response.putHeader("Allow", "GET, HEAD");
            end(response, 405, TEXT, "expected: GET\n");
        } else {
            switch (path) {
                case "/rlconfig" -> end(response, 200, TEXT, RuleDump.of(rules.get()));
                case "/version" -> end(response, 200, "application/json", version());
                default -> end(response, 200, TEXT, INDEX);
            }
        }
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
