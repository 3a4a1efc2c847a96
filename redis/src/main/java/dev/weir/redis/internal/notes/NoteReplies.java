package dev.weir.redis.internal.notes;

import dev.weir.redis.internal.connection.RedisFailures;
import java.io.IOException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** Blocks until Redis has replied to a call of this package. */
public final class NoteReplies {
    private NoteReplies() {}

    /**
     * Waits for Redis, which replies or fails within a second.
     *
     * @throws IOException if it fails; the message is the reason alone, for people
     */
    public static <T> T await(CompletionStage<T> reply) throws IOException {
        try {
            return reply.toCompletableFuture().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IOException(RedisFailures.reason(e.getCause()), e);
        }
    }
}
