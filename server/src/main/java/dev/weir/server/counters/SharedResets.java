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
 * Announces counter resets to the other servers on the same Redis, and reads theirs. A reset is passed on as the
 * operator's query, because every server finds counters by its own rules and hashes.
 */
final class SharedResets {
    private static final System.Logger LOG = System.getLogger(SharedResets.class.getName());

    private final @Nullable ResetStream stream;
    /** Identifies this server, so that it ignores its own announcements and keeps what it has leased since. */
    private final String serverId = UUID.randomUUID().toString();

    /** Without a {@code stream}, nothing is announced or read. */
    SharedResets(@Nullable ResetStream stream) {
        this.stream = stream;
    }

    /**
     * Announces that the counters of {@code query} were reset. If that fails, the log says so; other servers then keep
     * their cached state until it expires.
     */
    CompletionStage<Void> announce(QueryParameters query) {
        if (stream == null) {
            return CompletableFuture.completedFuture(null);
        }
        JsonArray entries = new JsonArray();
        query.parameters()
                .forEach(each -> entries.add(new JsonArray().add(each.getKey()).add(each.getValue())));
        String text = new JsonObject().put("by", serverId).put("query", entries).encode();
        return stream.post(text).exceptionally(failure -> {
            LOG.log(
                    Level.WARNING,
                    "a reset could not be announced to other servers; they keep their cached state until it expires: "
                            + failure.getMessage());
            return null;
        });
    }

    /** The resets of other servers since the last call. */
    CompletionStage<List<QueryParameters>> remoteResets() {
        return stream == null
                ? CompletableFuture.completedFuture(List.of())
                : stream.next().thenApply(texts -> {
                    List<QueryParameters> queries = new ArrayList<>();
                    texts.forEach(each -> read(each, queries));
                    return queries;
                });
    }

    private void read(String text, List<QueryParameters> into) {
        try {
            JsonObject json = new JsonObject(text);
            if (!serverId.equals(json.getString("by"))) {
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
            LOG.log(Level.WARNING, "ignored an unreadable reset announcement: " + e.getMessage());
        }
    }
}
