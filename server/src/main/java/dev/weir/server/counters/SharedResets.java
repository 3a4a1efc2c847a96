package dev.weir.server.counters;

import dev.weir.redis.internal.notes.ResetStream;
import dev.weir.server.http.QueryParameters;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Which resets the servers on one Redis tell each other of: by what the operator asked for, as counters are found by each server's own
 * rules and hashes.
 */
final class SharedResets {
    private static final System.Logger LOG = System.getLogger(SharedResets.class.getName());

    private final @Nullable ResetStream news;
    /** So that a server does not hear itself, and drop what it has leased since. */
    private final String me = UUID.randomUUID().toString();

    /** None are told of, and none heard, if there is no Redis. */
    SharedResets(@Nullable ResetStream news) {
        this.news = news;
    }

    /** Tells the others that the counters of {@code query} were reset. If that fails they find out later, and the log says so. */
    CompletionStage<Void> tell(QueryParameters query) {
        if (news == null) {
            return CompletableFuture.completedFuture(null);
        }
        JsonArray entries = new JsonArray();
        query.parameters()
                .forEach(each -> entries.add(new JsonArray().add(each.getKey()).add(each.getValue())));
        String text = new JsonObject().put("by", me).put("query", entries).encode();
        return news.post(text).exceptionally(failure -> {
            LOG.log(
                    Level.WARNING,
                    "other servers could not be told of a reset, and go on with what they know until it runs out: "
                            + failure.getMessage());
            return null;
        });
    }

    /** What others have reset since this was asked last. */
    CompletionStage<List<QueryParameters>> heard() {
        return news == null
                ? CompletableFuture.completedFuture(List.of())
                : news.next().thenApply(texts -> {
                    List<QueryParameters> queries = new ArrayList<>();
                    texts.forEach(each -> read(each, queries));
                    return queries;
                });
    }

    private void read(String text, List<QueryParameters> into) {
        try {
            JsonObject json = new JsonObject(text);
            if (!me.equals(json.getString("by"))) {
                List<Map.Entry<String, String>> parameters = new ArrayList<>();
                JsonArray entries = json.getJsonArray("query", new JsonArray());
                for (int i = 0; i < entries.size(); i++) {
                    JsonArray entry = entries.getJsonArray(i);
                    if (entry != null && entry.size() == 2) {
                        parameters.add(Map.entry(String.valueOf(entry.getValue(0)), String.valueOf(entry.getValue(1))));
                    }
                }
                into.add(new QueryParameters(parameters));
            }
        } catch (DecodeException | ClassCastException e) {
            LOG.log(Level.WARNING, "news of a reset that cannot be read is passed over: " + e.getMessage());
        }
    }
}
