package dev.weir.server;

import dev.weir.control.switches.SwitchBoard;
import dev.weir.redis.Notes;
import dev.weir.redis.RedisStore;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Switches where every server with the same Redis reads them. */
final class RedisBoard implements SwitchBoard {
    private final Notes notes;
    /** What the count was when it was read last; never a count at first. */
    private String seen = "unread";

    /** In {@code store}. */
    RedisBoard(RedisStore store) {
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
