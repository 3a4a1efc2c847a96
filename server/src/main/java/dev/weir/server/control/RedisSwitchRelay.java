package dev.weir.server.control;

import dev.weir.control.switches.SwitchRelay;
import dev.weir.redis.internal.notes.SharedNotes;
import dev.weir.redis.internal.store.RedisSharedStore;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Switches where every server with the same Redis reads them. */
final class RedisSwitchRelay implements SwitchRelay {
    private final SharedNotes notes;
    /** What the count was when it was read last; never a count at first. */
    private String seen = "unread";

    /** In {@code store}. */
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
    public void post(String id, long stamp, String text) throws IOException {
        await(notes.post(id, stamp, text));
    }

    /** Redis answers within a second, or it counts as away. */
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
