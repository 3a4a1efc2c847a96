package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonFactory;
import dev.weir.server.http.BodyBudget;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.http.HttpRoutes;
import dev.weir.server.http.RequestBody;
import dev.weir.server.load.LimitsUnderLoad;
import dev.weir.server.rls.RequestCaps;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@code POST /v1/load/{service}}: a service, or an agent beside it, reports how loaded it is. */
public final class LoadApi {
    private static final String PATH = "/v1/load/:service";
    private static final String FIELD = "utilisation";
    private static final String REPORTER = "reporter";
    private static final List<String> MEMBERS = List.of(FIELD, REPORTER);
    private static final int LONGEST_BODY = 4 << 10;
    private static final int LONGEST_REPORTER = 200;

    private final LimitsUnderLoad limits;
    private final RequestCaps caps;
    private final JsonFactory factory;
    private final Consumer<HttpServerRequest> requireToReport;
    private final BodyBudget bodies = new BodyBudget(LONGEST_BODY);

    /** Creates the API. {@code requireToReport} throws the problem for a caller that may not report. */
    public LoadApi(LimitsUnderLoad limits, RequestCaps caps, Consumer<HttpServerRequest> requireToReport) {
        this.limits = limits;
        this.caps = caps;
        this.factory = JsonInput.factory(caps);
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
            Report read = read(body);
            limits.report(
                    service, read.reporter == null ? address(context.request()) : read.reporter, read.utilisation);
            new HttpAnswer(202, HttpAnswer.JSON, "{}".getBytes(StandardCharsets.UTF_8), List.of())
                    .send(context.request());
        } catch (RuntimeException e) {
            context.fail(e);
        }
    }

    /** A body; without a reporter it is the caller's address. */
    private record Report(double utilisation, @Nullable String reporter) {}

    private Report read(byte[] body) {
        double utilisation = Double.NaN;
        String reporter = null;
        try (JsonInput in = JsonInput.of(factory, body, caps)) {
            in.object("body");
            while (in.member()) {
                switch (in.name()) {
                    case FIELD -> utilisation = in.share(FIELD);
                    case REPORTER -> reporter = reporter(in);
                    default -> throw in.unknownMember("utilisation, and reporter if there are several", MEMBERS);
                }
            }
            in.end();
        }
        if (Double.isNaN(utilisation)) {
            throw HttpProblemException.badRequest("utilisation: missing (expected: a number from 0 to 1)");
        }
        return new Report(utilisation, reporter);
    }

    private static String reporter(JsonInput in) {
        String name = in.text(REPORTER, LONGEST_REPORTER, "name");
        if (name.isBlank()) {
            throw in.mistake("reporter: " + in.value(), "a name that tells the instances of a service apart");
        }
        return name;
    }

    private static String address(HttpServerRequest request) {
        return request.remoteAddress() == null
                ? ""
                : String.valueOf(request.remoteAddress().hostAddress());
    }
}
