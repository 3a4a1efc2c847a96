package dev.weir.server.counters;

import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.RejectedNotes;
import dev.weir.redis.internal.notes.NewsStream;
import dev.weir.server.http.QueryParameters;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Announces counter resets to the other servers on the same Redis, and reads theirs. A reset is passed on as the
 * operator's query, because every server finds counters by its own rules and hashes.
 *
 * <p><b>Trust.</b> With the fleet's secret, announcements are signed. An unsigned one is ignored, and so is one that was
 * signed more than five minutes ago or that repeats a number of its server. Without a secret nobody knows who wrote an
 * announcement, and {@link CounterAdmin} obeys it for counters in Redis only: whoever wrote it can delete those anyway.
 */
final class SharedResets {
    private static final System.Logger LOG = System.getLogger(SharedResets.class.getName());

    /** The kind of a signed note. */
    private static final String KIND = "reset";

    private static final String SUBJECT = "counters";
    /** How far the clocks of two servers may differ. */
    private static final long FRESH_MILLIS = Duration.ofMinutes(5).toMillis();
    /** The servers whose last number is remembered; beyond that, the one that announced least recently is dropped. */
    private static final int MOST_SERVERS = 1_000;

    private final @Nullable NewsStream stream;
    private final @Nullable FleetSecret secret;
    private final RejectedNotes rejectedNotes = new RejectedNotes("resets");
    private final LongSupplier clock;
    /** Identifies this server, so that it ignores its own announcements and keeps what it has leased since. */
    private final String serverId = UUID.randomUUID().toString();

    private final AtomicLong announced = new AtomicLong();
    /** The last number of each server. */
    private final Map<String, Long> numbers = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST_SERVERS;
        }
    };

    /**
     * Creates the resets of one server.
     *
     * @param stream null if nothing is announced or read
     * @param secret signs and verifies announcements; null if there is none
     * @param clock milliseconds since 1970
     */
    SharedResets(@Nullable NewsStream stream, @Nullable FleetSecret secret, LongSupplier clock) {
        this.stream = stream;
        this.secret = secret;
        this.clock = clock;
    }

    /** Whether all resets that are read are verified. */
    boolean areVerified() {
        return secret != null;
    }

    /** Counts the announcements that were ignored. */
    RejectedNotes rejectedNotes() {
        return rejectedNotes;
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
        String text = new JsonObject()
                .put("by", serverId)
                .put("number", announced.incrementAndGet())
                .put("query", entries)
                .encode();
        String note = secret == null ? text : secret.sign(KIND, SUBJECT, clock.getAsLong(), text);
        return stream.post(note).exceptionally(failure -> {
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
        FleetSecret.Note note = FleetSecret.read(secret, KIND, SUBJECT, text);
        if (secret != null && note.trust() != FleetSecret.Trust.VERIFIED) {
            rejectedNotes.count(note.trust(), "a counter reset");
            return;
        }
        try {
            JsonObject json = new JsonObject(note.content());
            if (!serverId.equals(json.getString("by")) && isNew(note, json)) {
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

    /** Whether a signed announcement is recent and was not read before. */
    private boolean isNew(FleetSecret.Note note, JsonObject json) {
        if (secret == null) {
            return true;
        }
        long number = json.getLong("number", 0L);
        Long last = numbers.get(String.valueOf(json.getString("by")));
        if (Math.abs(clock.getAsLong() - note.stamp()) > FRESH_MILLIS || (last != null && number <= last)) {
            rejectedNotes.count(RejectedNotes.Reason.STALE, "a counter reset");
            return false;
        }
        numbers.put(String.valueOf(json.getString("by")), number);
        return true;
    }
}
