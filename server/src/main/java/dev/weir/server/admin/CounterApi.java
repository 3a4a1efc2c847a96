package dev.weir.server.admin;

import dev.weir.control.ControlPlane;
import dev.weir.control.audit.Author;
import dev.weir.server.counters.CounterAdmin;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.http.QueryParameters;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Shows and resets counters. A reset is audited before it happens, like any other change. */
final class CounterApi {
    private static final System.Logger LOG = System.getLogger(CounterApi.class.getName());
    private static final long TIMEOUT_SECONDS = 3;

    private final CounterAdmin counters;
    private final OptionalControlPlane control;

    CounterApi(CounterAdmin counters, OptionalControlPlane control) {
        this.counters = counters;
        this.control = control;
    }

    /** {@code GET /v1/counters}; waits for the stores. */
    HttpAnswer get(AdminCall call) {
        return answer(ask(call.query(), false));
    }

    /** {@code DELETE /v1/counters}; fails if it cannot be audited. */
    HttpAnswer reset(AdminCall call) {
        QueryParameters query = call.query();
        JsonObject before = ask(query, false);
        if (call.flag(CounterAdmin.DRY_RUN)) {
            return answer(before.put("dry_run", true));
        }
        Author author = call.author();
        String subject = subject(query);
        ControlPlane plane = control.plane();
        if (plane != null) {
            plane.recordReset(author, subject, before.getJsonArray("counters").encode());
        } else {
            LOG.log(
                    System.Logger.Level.INFO,
                    "counters reset by " + author.name() + " from " + author.from() + ": " + subject);
        }
        return answer(ask(query, true));
    }

    private static String subject(QueryParameters query) {
        String attributes = query.parameters().stream()
                .filter(each -> !each.getKey().equals("domain"))
                .map(Map.Entry::toString)
                .collect(Collectors.joining(" "));
        return (query.get("domain") + " " + attributes).replaceAll("\\p{Cntrl}", "?");
    }

    private JsonObject ask(QueryParameters query, boolean reset) {
        try {
            return counters.answer(query, reset)
                    .toCompletableFuture()
                    .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                    .join();
        } catch (IllegalArgumentException e) {
            throw HttpProblemException.badRequest(String.valueOf(e.getMessage()));
        } catch (NoSuchElementException e) {
            throw HttpProblemException.notFound(String.valueOf(e.getMessage()));
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw HttpProblemException.unavailable("the store is unreachable: " + cause.getMessage());
        }
    }

    private static HttpAnswer answer(JsonObject json) {
        return new HttpAnswer(200, HttpAnswer.JSON, json.encode().getBytes(StandardCharsets.UTF_8), List.of());
    }
}
