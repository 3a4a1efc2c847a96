package dev.weir.server.rlqs;

import dev.weir.server.grpc.codec.ProtobufReader;
import dev.weir.server.grpc.codec.ProtobufWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Writes {@code envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse}, which Envoy applies in order.
 *
 * <p>A grant of n hits is two actions for one bucket: deny all, then a token bucket of n without a refill. Envoy 1.40
 * keeps the fill ratio of a token bucket that changes; after "deny all" the new one starts full.
 */
final class AssignmentWriter {
    /** The most hits of one grant: Envoy's number has 32 bits. */
    static final long MOST_HITS = 0xFFFF_FFFFL;

    private static final int RESPONSE_ACTION = 1 << 3 | ProtobufReader.BYTES;
    private static final int ACTION_BUCKET = 1 << 3 | ProtobufReader.BYTES;
    private static final int ACTION_ASSIGNMENT = 2 << 3 | ProtobufReader.BYTES;
    private static final int ACTION_ABANDON = 3 << 3 | ProtobufReader.BYTES;
    private static final int BUCKET_ENTRY = 1 << 3 | ProtobufReader.BYTES;
    private static final int ENTRY_KEY = 1 << 3 | ProtobufReader.BYTES;
    private static final int ENTRY_VALUE = 2 << 3 | ProtobufReader.BYTES;
    private static final int ASSIGNMENT_TTL = 2 << 3 | ProtobufReader.BYTES;
    private static final int ASSIGNMENT_STRATEGY = 3 << 3 | ProtobufReader.BYTES;
    private static final int STRATEGY_BLANKET = 1 << 3 | ProtobufReader.VARINT;
    private static final int STRATEGY_TOKENS = 3 << 3 | ProtobufReader.BYTES;
    private static final int TOKENS_MOST = 1 << 3 | ProtobufReader.VARINT;
    private static final int TOKENS_FILL_INTERVAL = 3 << 3 | ProtobufReader.BYTES;
    private static final int DURATION_SECONDS = 1 << 3 | ProtobufReader.VARINT;
    private static final int DENY_ALL = 1;

    /** Envoy divides by it, so it is never below a second; without {@code tokens_per_fill} nothing is filled. */
    private static final int FILL_INTERVAL_SECONDS = 60;

    /** The size from which actions go into a message of their own. */
    private static final int MOST_BYTES = 64 << 10;

    private static final int ROOM = 256;

    /** The largest array that is kept for the next message: there are thousands of streams. */
    private static final int MOST_KEPT = 1 << 10;

    private final int ttlSeconds;
    private final List<byte[]> full = new ArrayList<>();
    private ProtobufWriter out = new ProtobufWriter(ROOM);

    AssignmentWriter(int ttlSeconds) {
        this.ttlSeconds = ttlSeconds;
    }

    void allowAll(QuotaBucketId bucket) {
        byte[] strategy = {STRATEGY_BLANKET, 0};
        assign(encode(bucket), strategy);
    }

    void denyAll(QuotaBucketId bucket) {
        byte[] strategy = {STRATEGY_BLANKET, DENY_ALL};
        assign(encode(bucket), strategy);
    }

    /** Grants exactly {@code hits}, at most {@link #MOST_HITS}, in the place of all that was granted before. */
    void grant(QuotaBucketId bucket, long hits) {
        byte[] id = encode(bucket);
        byte[] deny = {STRATEGY_BLANKET, DENY_ALL};
        assign(id, deny);
        if (hits == 0) {
            return; // Envoy takes no token bucket without tokens
        }
        ProtobufWriter tokens = new ProtobufWriter(16);
        tokens.number(TOKENS_MOST, hits);
        nested(tokens, TOKENS_FILL_INTERVAL, seconds(FILL_INTERVAL_SECONDS));
        ProtobufWriter strategy = new ProtobufWriter(24);
        nested(strategy, STRATEGY_TOKENS, bytes(tokens));
        assign(id, bytes(strategy));
    }

    /** Makes Envoy forget the bucket, until a request meets it again. */
    void abandon(QuotaBucketId bucket) {
        ProtobufWriter action = new ProtobufWriter(64);
        nested(action, ACTION_BUCKET, encode(bucket));
        nested(action, ACTION_ABANDON, new byte[0]);
        add(action);
    }

    /** The messages with all actions so far, in their order; starts over. */
    List<byte[]> messages() {
        List<byte[]> messages = new ArrayList<>(full);
        full.clear();
        if (out.size() > 0) {
            messages.add(bytes(out));
            startOver();
        }
        return messages;
    }

    private void startOver() {
        if (out.array().length > MOST_KEPT) {
            out = new ProtobufWriter(ROOM);
        } else {
            out.size(0);
        }
    }

    /** The bytes that it keeps while nothing is written. */
    int kept() {
        return out.array().length;
    }

    private void assign(byte[] bucket, byte[] strategy) {
        ProtobufWriter assignment = new ProtobufWriter(32);
        nested(assignment, ASSIGNMENT_TTL, seconds(ttlSeconds));
        nested(assignment, ASSIGNMENT_STRATEGY, strategy);
        ProtobufWriter action = new ProtobufWriter(64);
        nested(action, ACTION_BUCKET, bucket);
        nested(action, ACTION_ASSIGNMENT, bytes(assignment));
        add(action);
    }

    private void add(ProtobufWriter action) {
        nested(out, RESPONSE_ACTION, bytes(action));
        if (out.size() >= MOST_BYTES) {
            full.add(bytes(out));
            startOver();
        }
    }

    private static byte[] seconds(int seconds) {
        ProtobufWriter duration = new ProtobufWriter(8);
        duration.number(DURATION_SECONDS, seconds);
        return bytes(duration);
    }

    private static byte[] encode(QuotaBucketId bucket) {
        ProtobufWriter id = new ProtobufWriter(64);
        for (Map.Entry<String, String> each : bucket.attributes().entrySet()) {
            ProtobufWriter entry = new ProtobufWriter(64);
            nested(entry, ENTRY_KEY, each.getKey().getBytes(StandardCharsets.UTF_8));
            nested(entry, ENTRY_VALUE, each.getValue().getBytes(StandardCharsets.UTF_8));
            nested(id, BUCKET_ENTRY, bytes(entry));
        }
        return bytes(id);
    }

    private static void nested(ProtobufWriter into, int tag, byte[] content) {
        into.room(content.length + 16);
        into.number(tag, content.length);
        into.put(content);
    }

    private static byte[] bytes(ProtobufWriter writer) {
        return Arrays.copyOf(writer.array(), writer.size());
    }
}
