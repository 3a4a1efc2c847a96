package dev.weir.server.admin;

import dev.weir.control.ControlPlane;
import dev.weir.control.audit.Author;
import dev.weir.server.http.Answer;
import dev.weir.server.http.Query;
import dev.weir.server.http.RestException;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Counters for operators: looked at, and forgotten. To forget is a change like any other: audited before it is made. */
final class CounterApi {
    private static final System.Logger LOG = System.getLogger(CounterApi.class.getName());
    private static final long ANSWER_SECONDS = 3;

    private final CounterAdmin counters;
    private final Control control;

    CounterApi(CounterAdmin counters, Control control) {
        this.counters = counters;
        this.control = control;
    }

    /** {@code GET /v1/counters}; waits for the stores. */
    Answer get(AdminCall call) {
        return answer(ask(call.query(), false));
    }

    /** {@code DELETE /v1/counters}; what cannot be audited does not happen. */
    Answer reset(AdminCall call) {
        Query query = call.query();
        JsonObject before = ask(query, false);
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

    private static String subject(Query query) {
        String attributes = query.parameters().stream()
                .filter(each -> !each.getKey().equals("domain"))
                .map(Map.Entry::toString)
                .collect(Collectors.joining(" "));
        return (query.get("domain") + " " + attributes).replaceAll("\\p{Cntrl}", "?");
    }

    private JsonObject ask(Query query, boolean reset) {
        try {
            return counters.answer(query, reset)
                    .toCompletableFuture()
                    .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
                    .join();
        } catch (IllegalArgumentException e) {
            throw RestException.badRequest(String.valueOf(e.getMessage()));
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw RestException.unavailable("the store does not answer: " + cause.getMessage());
        }
    }

    private static Answer answer(JsonObject json) {
        return new Answer(200, Answer.JSON, json.encode().getBytes(StandardCharsets.UTF_8), List.of());
    }
}
