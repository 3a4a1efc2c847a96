package dev.weir.redis.internal.connection;

import dev.weir.redis.internal.script.BatchScript;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;

/** Writes script calls: by digest, or by text where the digest is not known. */
public final class ScriptCommands {
    private final byte[] digest;
    private final byte[] text;

    public ScriptCommands(BatchScript script) {
        this.digest = script.digest().getBytes(StandardCharsets.US_ASCII);
        this.text = script.text();
    }

    public CallbackCommand call(boolean byText, byte[][] keys, byte[][] args, CallbackCommand.Listener listener) {
        CommandArgs<byte[], byte[]> all = new CommandArgs<>(ByteArrayCodec.INSTANCE);
        all.add(byText ? text : digest).add(keys.length);
        for (byte[] key : keys) {
            all.add(key);
        }
        for (byte[] arg : args) {
            all.add(arg);
        }
        return new CallbackCommand(byText ? CommandType.EVAL : CommandType.EVALSHA, all, listener);
    }

    /** Lets the next command through to a slot that is on its way here. */
    public static CallbackCommand asking() {
        return new CallbackCommand(
                CommandType.ASKING, new CommandArgs<>(ByteArrayCodec.INSTANCE), (reply, lost, error) -> {});
    }
}
