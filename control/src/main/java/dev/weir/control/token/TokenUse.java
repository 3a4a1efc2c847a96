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

/** When tokens were last used: seen by this node at once, and by the others once a minute, through the database. */
final class TokenUse implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(TokenUse.class.getName());
    private static final int NOTE_SECONDS = 60;

    private final Database database;
    private final DatabaseFollower follower;
    private final TokenCache book;
    private final ScheduledExecutorService notes =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("weir-token-use"));
    private Map<String, Instant> noted = Map.of();

    TokenUse(Database database, DatabaseFollower follower, TokenCache book) {
        this.database = database;
        this.follower = follower;
        this.book = book;
        var unused = notes.scheduleWithFixedDelay(this::note, NOTE_SECONDS, NOTE_SECONDS, TimeUnit.SECONDS);
    }

    /** {@code token} with when it was last used, here or elsewhere. */
    StoredToken of(StoredToken token) {
        Instant here = book.used(token.id());
        Instant there = token.usedAt();
        if (here == null || (there != null && there.isAfter(here))) {
            return token;
        }
        return token.usedAt(here);
    }

    /** Tells the database what was used since it was last told; it is no loss if that is lost, and nothing to wait for. */
    private void note() {
        if (!follower.isConnected()) {
            return;
        }
        try {
            Map<String, Instant> now = book.used();
            Map<String, Instant> news = new HashMap<>(now);
            news.entrySet().removeAll(noted.entrySet());
            if (!news.isEmpty()) {
                database.changeInPassing(connection -> {
                    TokenTable.used(connection, news);
                    return news;
                });
                noted = now;
            }
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "when tokens were used is not noted now", e);
        }
    }

    /** Notes what is not noted yet, and ends. */
    @Override
    public void close() {
        notes.shutdownNow();
        note();
    }
}
