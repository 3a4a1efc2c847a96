package dev.weir.server.load;

import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.RejectedNotes;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells the other servers on the same Redis the loads that were reported here, and reads theirs.
 *
 * <p><b>Trust.</b> With the fleet's secret, news are signed. Unsigned news are ignored, and so are news that were signed
 * more than five minutes ago or that repeat a number of their server. Without a secret, whoever writes to Redis can
 * forge a load; but such a person can also delete the counters.
 */
final class LoadNews {
    private static final System.Logger LOG = System.getLogger(LoadNews.class.getName());
    private static final String KIND = "load";
    private static final String SUBJECT = "services";
    /** How far the clocks of two servers may differ. */
    private static final long CLOCKS_MILLIS = Duration.ofMinutes(5).toMillis();

    private static final int MOST_SERVERS = 1_000;

    private final LoadChannel channel;
    private final @Nullable FleetSecret secret;
    private final RejectedNotes rejected;
    private final LongSupplier millis;
    private final String serverId = UUID.randomUUID().toString();
    private final AtomicLong told = new AtomicLong();
    /** The last number of each server. */
    private final Map<String, Long> numbers = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST_SERVERS;
        }
    };

    private boolean started;

    /** The load of a service, as another server sent it. */
    record Heard(String server, String service, double utilisation) {}

    LoadNews(LoadChannel channel, @Nullable FleetSecret secret, RejectedNotes rejected, LongSupplier millis) {
        this.channel = channel;
        this.secret = secret;
        this.rejected = rejected;
        this.millis = millis;
    }

    CompletionStage<Void> tell(String service, double utilisation) {
        long now = millis.getAsLong();
        String text = new JsonObject()
                .put("by", serverId)
                .put("number", told.incrementAndGet())
                .put("at", now)
                .put("service", service)
                .put("utilisation", utilisation)
                .encode();
        return channel.post(secret == null ? text : secret.sign(KIND, SUBJECT, now, text));
    }

    /** The loads that other servers have sent since the last call. */
    CompletionStage<List<Heard>> next() {
        return channel.next().thenApply(texts -> {
            List<Heard> heard = new ArrayList<>();
            texts.forEach(each -> read(each, heard));
            started = true;
            return heard;
        });
    }

    private void read(String text, List<Heard> into) {
        FleetSecret.Note note = FleetSecret.read(secret, KIND, SUBJECT, text);
        if (secret != null && note.trust() != FleetSecret.Trust.VERIFIED) {
            rejected.count(note.trust(), "the load of a service");
            return;
        }
        try {
            JsonObject json = new JsonObject(note.content());
            String by = json.getString("by", "");
            String service = json.getString("service", "");
            double utilisation = json.getDouble("utilisation", Double.NaN);
            long at = json.getLong("at", 0L);
            if (!by.equals(serverId)
                    && utilisation >= 0
                    && utilisation <= 1
                    && isNew(by, at, json.getLong("number", 0L))) {
                into.add(new Heard(by, service, utilisation));
            }
        } catch (DecodeException | ClassCastException e) {
            LOG.log(Level.WARNING, "ignored unreadable news of a load in Redis: " + e.getMessage());
        }
    }

    private boolean isNew(String by, long at, long number) {
        long age = millis.getAsLong() - at;
        if (!started && age > Duration.ofNanos(LoadReports.FRESH_NANOS).toMillis()) {
            return false; // sent before this server started
        }
        Long last = numbers.get(by);
        if (Math.abs(age) > CLOCKS_MILLIS || (last != null && number <= last)) {
            rejected.count(RejectedNotes.Reason.STALE, "the load of a service");
            return false;
        }
        numbers.put(by, number);
        return true;
    }
}
