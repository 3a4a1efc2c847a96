package dev.weir.redis.internal.notes;

import dev.weir.redis.internal.routing.RedisRoutes;
import dev.weir.redis.internal.routing.RoutedCommand;
import dev.weir.redis.internal.script.RedisKey;
import dev.weir.redis.internal.script.RedisKeyPrefix;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Short texts that all servers on one Redis read, the newest of each name. They are in one hash, each text after its
 * stamp. The field without a name has a number that each post raises, so that frequent readers read little. It follows
 * Redis's time, so that no number returns after Redis has lost some of its data.
 */
public final class SharedNotes {
    private static final String RAISE = """
            local time = redis.call('TIME')
            local raised = (tonumber(redis.call('HGET', KEYS[1], '')) or 0) + 1
            raised = math.max(raised, time[1] * 1000000 + time[2])
            redis.call('HSET', KEYS[1], '', string.format('%.0f', raised))
            return 1
            """;

    private static final byte[] POST = ("""
            local old = redis.call('HGET', KEYS[1], ARGV[1])
            local stamp = old and tonumber(string.match(old, '^(%d+) '))
            local replaced = ARGV[4] ~= '' and ARGV[4] == redis.call('HGET', KEYS[1], '')
            if stamp and stamp >= tonumber(ARGV[2]) and not replaced then
              return 0
            end
            redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
            """ + RAISE).getBytes(StandardCharsets.UTF_8);

    private static final byte[] DELETE = ("""
            local old = redis.call('HGET', KEYS[1], ARGV[1])
            local stamp = old and tonumber(string.match(old, '^(%d+) '))
            if not stamp or stamp > tonumber(ARGV[2]) then
              return 0
            end
            redis.call('HDEL', KEYS[1], ARGV[1])
            """ + RAISE).getBytes(StandardCharsets.UTF_8);

    private static final long SECOND = 1_000_000;
    private static final byte[] ONE_KEY = {'1'};
    private static final byte[] COUNT = {};
    /** The subject of all notes, so that they share a hash slot. */
    private static final long SUBJECT = 0;

    private final RedisRoutes routes;
    private final byte[] key;

    public SharedNotes(RedisRoutes routes, RedisKeyPrefix prefix, String name) {
        this.routes = routes;
        this.key = prefix.before(RedisKey.ofNotes(SUBJECT, name));
    }

    /** Returns the number that each post raises; empty if there were none. */
    public CompletionStage<Optional<String>> count() {
        return run(CommandType.HGET, key, COUNT)
                .thenApply(reply -> reply.isEmpty()
                        ? Optional.empty()
                        : Optional.ofNullable(reply.get(0)).map(SharedNotes::text));
    }

    /** Returns Redis's time, microseconds. */
    public CompletionStage<Long> time() {
        return run(CommandType.TIME)
                .thenApply(reply -> Long.parseLong(text(reply.get(0))) * SECOND + Long.parseLong(text(reply.get(1))));
    }

    /** Returns every text by its name. */
    public CompletionStage<Map<String, String>> read() {
        return run(CommandType.HGETALL, key).thenApply(reply -> {
            Map<String, String> texts = new HashMap<>();
            for (int i = 0; i + 1 < reply.size(); i += 2) {
                String name = text(reply.get(i));
                String stamped = text(reply.get(i + 1));
                int space = stamped.indexOf(' ');
                if (!name.isEmpty() && space > 0) {
                    texts.put(name, stamped.substring(space + 1));
                }
            }
            return texts;
        });
    }

    /**
     * Posts {@code text}, unless the text under {@code name} is as new or newer; returns whether it was posted.
     *
     * @param count replaces the text however new it is if nothing was posted since {@link #count} returned this; empty for
     *     never
     */
    public CompletionStage<Boolean> post(String name, long stamp, String text, String count) {
        return run(
                        CommandType.EVAL,
                        POST,
                        ONE_KEY,
                        key,
                        bytes(name),
                        bytes(String.valueOf(stamp)),
                        bytes(text),
                        bytes(count))
                .thenApply(reply -> !reply.isEmpty() && reply.get(0) instanceof Long done && done == 1);
    }

    /** Deletes the text under {@code name}, unless it is newer than {@code stamp}; returns whether it was there. */
    public CompletionStage<Boolean> delete(String name, long stamp) {
        return run(CommandType.EVAL, DELETE, ONE_KEY, key, bytes(name), bytes(String.valueOf(stamp)))
                .thenApply(reply -> !reply.isEmpty() && reply.get(0) instanceof Long done && done == 1);
    }

    private CompletableFuture<List<Object>> run(CommandType type, byte[]... arguments) {
        return RoutedCommand.run(routes, SUBJECT, type, arguments);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(@Nullable Object bytes) {
        return bytes instanceof byte[] text ? new String(text, StandardCharsets.UTF_8) : "";
    }
}
