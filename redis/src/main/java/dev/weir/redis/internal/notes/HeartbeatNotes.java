package dev.weir.redis.internal.notes;

import dev.weir.redis.internal.routing.RedisRoutes;
import dev.weir.redis.internal.routing.RoutedCommand;
import dev.weir.redis.internal.script.RedisKey;
import dev.weir.redis.internal.script.RedisKeyPrefix;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Texts that servers on one Redis write again and again, each under its own name. A reader learns how long ago each was
 * written, by Redis's clock. A text that was not written again for {@value #KEPT_MILLIS} ms is deleted.
 */
public final class HeartbeatNotes {
    private static final String KEPT_MILLIS = "600000";

    private static final byte[] POST = """
            local time = redis.call('TIME')
            local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
            redis.call('HSET', KEYS[1], ARGV[1], now .. ' ' .. ARGV[2])
            redis.call('PEXPIRE', KEYS[1], ARGV[3])
            return 1
            """.getBytes(StandardCharsets.UTF_8);

    private static final byte[] READ = """
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            local all = redis.call('HGETALL', KEYS[1])
            local found = {}
            for i = 1, #all, 2 do
              local stamp, text = string.match(all[i + 1], '^(%d+) (.*)$')
              if stamp and now - stamp <= tonumber(ARGV[1]) then
                found[#found + 1] = all[i]
                found[#found + 1] = math.max(0, now - stamp)
                found[#found + 1] = text
              else
                redis.call('HDEL', KEYS[1], all[i])
              end
            end
            return found
            """.getBytes(StandardCharsets.UTF_8);

    private static final byte[] ONE_KEY = {'1'};
    /** The subject of all notes, so that they share a hash slot. */
    private static final long SUBJECT = 0;

    private final RedisRoutes routes;
    private final byte[] key;

    /**
     * A text, and how long ago it was written.
     *
     * @param ageMillis by Redis's clock
     */
    public record Heartbeat(String name, long ageMillis, String text) {}

    public HeartbeatNotes(RedisRoutes routes, RedisKeyPrefix prefix, String name) {
        this.routes = routes;
        this.key = prefix.before(RedisKey.ofNotes(SUBJECT, name));
    }

    /** Writes the text of {@code name}. */
    public CompletionStage<Void> post(String name, String text) {
        return run(CommandType.EVAL, POST, ONE_KEY, key, bytes(name), bytes(text), bytes(KEPT_MILLIS))
                .thenAccept(done -> {});
    }

    /** Deletes the text of {@code name}. */
    public CompletionStage<Void> remove(String name) {
        return run(CommandType.HDEL, key, bytes(name)).thenAccept(done -> {});
    }

    /** Returns all texts, and deletes those that are too old. */
    public CompletionStage<List<Heartbeat>> read() {
        return run(CommandType.EVAL, READ, ONE_KEY, key, bytes(KEPT_MILLIS)).thenApply(reply -> {
            List<Heartbeat> found = new ArrayList<>();
            for (int i = 0; i + 2 < reply.size(); i += 3) {
                if (reply.get(i) instanceof byte[] name
                        && reply.get(i + 1) instanceof Long age
                        && reply.get(i + 2) instanceof byte[] text) {
                    found.add(new Heartbeat(
                            new String(name, StandardCharsets.UTF_8), age, new String(text, StandardCharsets.UTF_8)));
                }
            }
            return found;
        });
    }

    private CompletableFuture<List<Object>> run(CommandType type, byte[]... arguments) {
        return RoutedCommand.run(routes, SUBJECT, type, arguments);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
