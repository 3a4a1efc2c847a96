package dev.weir.server.control;

import dev.weir.control.bans.BanRelay;
import dev.weir.control.switches.SwitchRelay;
import dev.weir.redis.internal.notes.SharedNotes;
import dev.weir.redis.internal.store.RedisSharedStore;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Passes switches, or bans, between the servers that share a Redis. */
final class RedisNoteRelay implements SwitchRelay, BanRelay {
    private final SharedNotes notes;
    /** The change count at the last read; at first a text that no count equals. */
    private volatile String seen = "unread";

    private RedisNoteRelay(SharedNotes notes) {
        this.notes = notes;
    }

    /** Keeps switches in {@code store}. */
    static SwitchRelay ofSwitches(RedisSharedStore store) {
        return new RedisNoteRelay(store.notes("switches"));
    }

    /** Keeps bans in {@code store}. */
    static BanRelay ofBans(RedisSharedStore store) {
        return new RedisNoteRelay(store.notes("bans"));
    }

    @Override
    public @Nullable Map<String, String> read() throws IOException {
        String count = await(notes.count()).orElse("");
        if (count.equals(seen)) {
            return null;
        }
        Map<String, String> all = await(notes.read());
        seen = count;
        return all;
    }

    @Override
    public void post(String id, long stamp, String text, boolean replace) throws IOException {
        await(notes.post(id, stamp, text, replace ? seen : ""));
    }

    @Override
    public void post(String id, long stamp, String text) throws IOException {
        post(id, stamp, text, false);
    }

    @Override
    public void delete(String id, long stamp) throws IOException {
        await(notes.delete(id, stamp));
    }

    /** Waits for Redis, which answers or fails within a second. */
    private static <T> T await(CompletionStage<T> answer) throws IOException {
        try {
            return answer.toCompletableFuture().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String why = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
            throw new IOException(why, e);
        }
    }
}
