package dev.weir.control.token;

import dev.weir.control.change.DatabaseFollower;
import dev.weir.control.database.Database;
import dev.weir.internal.runtime.DaemonThreads;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Tracks when tokens were last used. This node knows its own uses at once; other nodes learn of them through the
 * database, once a minute.
 */
final class TokenUse implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(TokenUse.class.getName());
    private static final int SAVE_SECONDS = 60;

    private final Database database;
    private final DatabaseFollower follower;
    private final TokenCache cache;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("weir-token-use"));
    private Map<String, Instant> saved = Map.of();

    TokenUse(Database database, DatabaseFollower follower, TokenCache cache) {
        this.database = database;
        this.follower = follower;
        this.cache = cache;
        var unused = timer.scheduleWithFixedDelay(this::save, SAVE_SECONDS, SAVE_SECONDS, TimeUnit.SECONDS);
    }

    /** Returns {@code token} with its last use on this or another node. */
    StoredToken of(StoredToken token) {
        Instant here = cache.used(token.id());
        Instant there = token.usedAt();
        if (here == null || (there != null && there.isAfter(here))) {
            return token;
        }
        return token.usedAt(here);
    }

    /** Writes new uses to the database. They may be lost, and nothing waits for them. */
    private void save() {
        if (!follower.isConnected()) {
            return;
        }
        try {
            Map<String, Instant> now = cache.used();
            Map<String, Instant> changed = new HashMap<>(now);
            changed.entrySet().removeAll(saved.entrySet());
            if (!changed.isEmpty()) {
                database.changeIfUnlocked(connection -> {
                    TokenTable.used(connection, changed);
                    return changed;
                });
                saved = now;
            }
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "the last use of tokens was not saved", e);
        }
    }

    /** Saves the remaining uses. */
    @Override
    public void close() {
        timer.shutdownNow();
        save();
    }
}
