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
import org.jspecify.annotations.Nullable;

/**
 * A stream of news, such as reset counters, that all servers on one Redis read in order. It keeps about the last {@value #MOST}
 * entries, and expires a minute after the last one. It has one reader, which asks for more only after the previous call
 * completed.
 */
public final class NewsStream {
    private static final String MOST = "1000";
    private static final String KEPT_MILLIS = "60000";
    private static final String FIELD = "r";
    private static final String BEGINNING = "0";
    /** The subject of all notes, so that they share a hash slot. */
    private static final long SUBJECT = 0;

    private final RedisRoutes routes;
    private final byte[] key;
    /** The id of the last entry read. */
    private volatile String last = BEGINNING;

    /** Opens the stream {@code name}. */
    public NewsStream(RedisRoutes routes, RedisKeyPrefix prefix, String name) {
        this.routes = routes;
        this.key = prefix.before(RedisKey.ofNotes(SUBJECT, name));
    }

    /** Adds {@code text} to the stream; completes when Redis has it. */
    public CompletionStage<Void> post(String text) {
        return run(CommandType.XADD, "MAXLEN", "~", MOST, "*", FIELD, text)
                .thenCompose(id -> run(CommandType.PEXPIRE, KEPT_MILLIS))
                .thenAccept(set -> {});
    }

    /**
     * Returns the entries since the last call, at most {@value #MOST}; at first, all. The last entry read is requested again. If even that is
     * missing, the stream has expired, and ids of the next stream may be lower, because they are Redis's time.
     */
    public CompletionStage<List<String>> next() {
        String from = last;
        return run(CommandType.XRANGE, from, "+", "COUNT", MOST).thenApply(entries -> {
            List<String> texts = new ArrayList<>();
            String read = BEGINNING;
            for (Object each : entries) {
                if (each instanceof List<?> entry && entry.size() == 2 && entry.get(1) instanceof List<?> fields) {
                    read = text(entry.get(0));
                    String text = reset(fields);
                    if (text != null && !read.equals(from)) {
                        texts.add(text);
                    }
                }
            }
            last = read;
            return texts;
        });
    }

    /** The news among the fields of an entry; null if a later version has other news. */
    private static @Nullable String reset(List<?> fields) {
        for (int i = 0; i + 1 < fields.size(); i += 2) {
            if (FIELD.equals(text(fields.get(i)))) {
                return text(fields.get(i + 1));
            }
        }
        return null;
    }

    private CompletableFuture<List<Object>> run(CommandType type, String... arguments) {
        byte[][] all = new byte[1 + arguments.length][];
        all[0] = key;
        for (int i = 0; i < arguments.length; i++) {
            all[1 + i] = arguments[i].getBytes(StandardCharsets.UTF_8);
        }
        return RoutedCommand.run(routes, SUBJECT, type, all);
    }

    private static String text(@Nullable Object bytes) {
        return bytes instanceof byte[] text ? new String(text, StandardCharsets.UTF_8) : "";
    }
}
