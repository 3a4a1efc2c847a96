package dev.weir.redis.internal.connection;

import dev.weir.redis.internal.script.BatchScript;
import dev.weir.redis.internal.script.RedisKeyPrefix;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;

/** Creates script calls: by digest, or by text after Redis answered {@code NOSCRIPT} to the digest. */
public final class ScriptCommands {
    private final byte[] digest;
    private final byte[] text;
    private final RedisKeyPrefix prefix;

    /** Creates calls of {@code script} on keys that begin with {@code prefix}. */
    public ScriptCommands(BatchScript script, RedisKeyPrefix prefix) {
        this.digest = script.digest().getBytes(StandardCharsets.US_ASCII);
        this.text = script.text();
        this.prefix = prefix;
    }

    public CallbackCommand call(boolean byText, byte[][] keys, byte[][] args, CallbackCommand.Listener listener) {
        CommandArgs<byte[], byte[]> all = new CommandArgs<>(ByteArrayCodec.INSTANCE);
        all.add(byText ? text : digest).add(keys.length);
        for (byte[] key : keys) {
            all.add(prefix.before(key));
        }
        for (byte[] arg : args) {
            all.add(arg);
        }
        return new CallbackCommand(byText ? CommandType.EVAL : CommandType.EVALSHA, all, listener);
    }

    /** Whether Redis does not know the digest, because it was restarted or its scripts were flushed: ask by text. */
    public static boolean isUnknownDigest(String error) {
        return RedisFailures.code(error).equals("NOSCRIPT");
    }

    /** Creates {@code ASKING}, which admits the next command for a hash slot that is migrating to the server. */
    public static CallbackCommand asking() {
        return new CallbackCommand(
                CommandType.ASKING, new CommandArgs<>(ByteArrayCodec.INSTANCE), (reply, lost, error) -> {});
    }
}
