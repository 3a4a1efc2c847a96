package dev.weir.server.control;

import dev.weir.control.switches.SwitchRelay;
import dev.weir.redis.internal.notes.SharedNotes;
import dev.weir.redis.internal.store.RedisSharedStore;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Passes switches between the servers that share a Redis. */
final class RedisSwitchRelay implements SwitchRelay {
    private final SharedNotes notes;
    /** The change count at the last read; at first a text that no count equals. */
    private volatile String seen = "unread";

    /** Keeps the switches in {@code store}. */
    RedisSwitchRelay(RedisSharedStore store) {
        this.notes = store.notes("switches");
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
