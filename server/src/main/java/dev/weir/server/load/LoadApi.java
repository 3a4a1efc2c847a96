package dev.weir.server.load;

import dev.weir.server.http.BodyBudget;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.http.HttpRoutes;
import dev.weir.server.http.RequestBody;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** {@code POST /v1/load/{service}}: a service, or an agent beside it, tells how loaded it is. */
public final class LoadApi {
    private static final String PATH = "/v1/load/:service";
    private static final String FIELD = "utilisation";
    private static final String REPORTER = "reporter";
    private static final int LONGEST_BODY = 4 << 10;
    private static final int LONGEST_REPORTER = 200;

    private final LimitsUnderLoad limits;
    private final Consumer<HttpServerRequest> requireToReport;
    private final BodyBudget bodies = new BodyBudget(LONGEST_BODY);

    /** Creates the API. {@code requireToReport} throws the problem for a caller that may not report. */
    public LoadApi(LimitsUnderLoad limits, Consumer<HttpServerRequest> requireToReport) {
        this.limits = limits;
        this.requireToReport = requireToReport;
    }

    public void addTo(Router router) {
        router.post(PATH).handler(context -> {
            requireToReport.accept(context.request());
            RequestBody.read(context.request(), bodies, body -> report(context, body), context::fail);
        });
        HttpRoutes.only(router, PATH, "POST");
    }

    private void report(RoutingContext context, byte[] body) {
        try {
            String service = String.valueOf(context.pathParam("service"));
            Set<String> services = limits.services();
            if (!services.contains(service)) {
                throw HttpProblemException.notFound("service: " + CallerText.shown(service)
                        + (services.isEmpty()
                                ? " (no rule follows a load)"
                                : " (expected one that a rule follows: " + String.join(", ", services) + ")"));
            }
            JsonObject json = read(body);
            limits.report(service, reporter(json, context.request()), utilisation(json));
            new HttpAnswer(202, HttpAnswer.JSON, "{}".getBytes(StandardCharsets.UTF_8), List.of())
                    .send(context.response());
        } catch (RuntimeException e) {
            context.fail(e);
        }
    }

    private static JsonObject read(byte[] body) {
        try {
            JsonObject json = new JsonObject(new String(body, StandardCharsets.UTF_8));
            for (String each : json.fieldNames()) {
                if (!each.equals(FIELD) && !each.equals(REPORTER)) {
                    throw HttpProblemException.badRequest("unknown member " + CallerText.shown(each)
                            + " (expected: utilisation, and reporter if there are several)");
                }
            }
            return json;
        } catch (DecodeException | ClassCastException e) {
            throw HttpProblemException.badRequest("body: not JSON (expected: {\"utilisation\": 0.9})");
        }
    }

    private static double utilisation(JsonObject json) {
        Object value = json.getValue(FIELD);
        if (value instanceof Number number && number.doubleValue() >= 0 && number.doubleValue() <= 1) {
            return number.doubleValue();
        }
        throw HttpProblemException.badRequest("utilisation: "
                + (value == null ? "missing" : CallerText.shown(String.valueOf(value)))
                + " (expected: a number from 0 to 1)");
    }

    private static String reporter(JsonObject json, HttpServerRequest request) {
        Object value = json.getValue(REPORTER);
        if (value == null) {
            return request.remoteAddress() == null
                    ? ""
                    : String.valueOf(request.remoteAddress().hostAddress());
        }
        if (value instanceof String name && !name.isBlank() && name.length() <= LONGEST_REPORTER) {
            return name;
        }
        throw HttpProblemException.badRequest(
                "reporter: not a name (expected: a text of up to " + LONGEST_REPORTER + " characters)");
    }
}
