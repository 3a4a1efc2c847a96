package dev.weir.redis;

import dev.weir.redis.script.RedisKey;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * News of counters that were reset, as texts that all servers on one Redis read in order: a stream of the last {@value #MOST} or so,
 * which is forgotten when there was none for a minute. Of one reader, who asks for the next ones when the last have come.
 */
public final class ResetNews {
    private static final String MOST = "1000";
    private static final String KEPT_MILLIS = "60000";
    private static final String FIELD = "r";
    /** All notes of a Redis share a slot. */
    private static final long SUBJECT = 0;

    private final Routes routes;
    private final byte[] key = RedisKey.ofNotes(SUBJECT, "resets");
    /** The id of what was read last. */
    private volatile String last = "0";

    ResetNews(Routes routes) {
        this.routes = routes;
    }

    /** Tells everybody {@code text}; done when Redis has it. */
    public CompletionStage<Void> post(String text) {
        return run(CommandType.XADD, "MAXLEN", "~", MOST, "*", FIELD, text)
                .thenCompose(id -> run(CommandType.PEXPIRE, KEPT_MILLIS))
                .thenAccept(set -> {});
    }

    /** What was posted since this was asked last; at first, all there is. */
    public CompletionStage<List<String>> next() {
        return run(CommandType.XRANGE, "(" + last, "+").thenApply(entries -> {
            List<String> texts = new ArrayList<>();
            for (Object each : entries) {
                if (each instanceof List<?> entry && entry.size() == 2 && entry.get(1) instanceof List<?> fields) {
                    last = text(entry.get(0));
                    texts.add(fields.size() == 2 ? text(fields.get(1)) : "");
                }
            }
            return texts;
        });
    }

    private CompletableFuture<List<Object>> run(CommandType type, String... arguments) {
        Node node = routes.node(routes.bySlot() ? RedisKey.slot(SUBJECT) : 0);
        if (node == null) {
            return CompletableFuture.failedFuture(new IOException("redis: nobody is known to serve this"));
        }
        byte[][] all = new byte[1 + arguments.length][];
        all[0] = key;
        for (int i = 0; i < arguments.length; i++) {
            all[1 + i] = arguments[i].getBytes(StandardCharsets.UTF_8);
        }
        return PlainCommand.run(node.lane(SUBJECT).line(), type, all);
    }

    private static String text(Object bytes) {
        return bytes instanceof byte[] text ? new String(text, StandardCharsets.UTF_8) : "";
    }
}
