package dev.weir.redis.internal.script;

import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.LocalStore;
import dev.weir.redis.testkit.RedisProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The script on a real Redis at a given time, and nothing else: one batch, one call, one reply. */
final class ScriptStore implements LocalStore {
    /** The time comes with the call; and as it need not be the time by which Redis forgets, nothing is forgotten. */
    private static final String TOLD = "local now = tonumber(ARGV[#ARGV])\nlocal grace = " + ScriptStore.GRACE + "\n";

    static final long GRACE = 1_000_000_000;
    private static final long LAST_MOMENT = (1L << 52) - 1;

    private final BatchScript script = BatchScript.load(TOLD);
    private final RedisClient client;
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final ScriptBatch batch = new ScriptBatch();
    private final CheckGroup group = new CheckGroup();

    ScriptStore(RedisProcess redis) {
        client = RedisClient.create(redis.uri());
        connection = client.connect(ByteArrayCodec.INSTANCE);
        redis().scriptLoad(script.text());
    }

    RedisCommands<byte[], byte[]> redis() {
        return connection.sync();
    }

    /** Runs what {@code filled} holds. */
    BatchStatus run(ScriptBatch filled, long now) {
        return filled.read(call(filled, now, Long.MAX_VALUE));
    }

    List<@Nullable Object> call(ScriptBatch filled, long now, long expiry) {
        byte[][] args = filled.args(expiry);
        byte[][] timed = Arrays.copyOf(args, args.length + 1);
        long moment = Math.max(0, Math.min(now, LAST_MOMENT));
        timed[args.length] = Long.toString(moment).getBytes(StandardCharsets.US_ASCII);
        return redis().evalsha(script.digest(), ScriptOutputType.MULTI, filled.keys(false), timed);
    }

    @Override
    public synchronized boolean decide(Checks checks, long nowMicros) {
        group.clear();
        group.quotaPassed = checks.quotaPassed;
        for (int i = 0; i < checks.size(); i++) {
            name(checks.get(i));
            group.add(checks.get(i));
        }
        batch.clear();
        batch.add(group);
        if (run(batch, nowMicros) != BatchStatus.DONE) {
            throw new AssertionError("the twins do not agree");
        }
        return group.allowed;
    }

    /** Gives the counter a name derived from its hash. */
    static void name(Check check) {
        check.name.clear();
        check.name.subject(check.key0);
        for (byte digit : Long.toHexString(check.key0)
                .concat(Long.toHexString(check.key1))
                .getBytes(StandardCharsets.US_ASCII)) {
            check.name.append(digit);
        }
    }

    @Override
    public boolean forget(Check check) {
        name(check);
        return redis().del(RedisKey.of(check.name)) > 0;
    }

    /** Forgets all counters. */
    @Override
    public void close() {
        redis().flushall();
    }

    void shutDown() {
        connection.close();
        client.shutdown();
    }
}
