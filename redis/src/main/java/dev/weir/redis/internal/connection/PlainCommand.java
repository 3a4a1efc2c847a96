package dev.weir.redis.internal.connection;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A command that has nothing to do with deciding, on the line that is there. */
public final class PlainCommand {
    private static final long PATIENCE_MILLIS = 1_000;

    /** Redis said that it will not. */
    public static final class Refusal extends IOException {
        private static final long serialVersionUID = 1L;
        public final String error;

        Refusal(String error) {
            super("redis: " + error);
            this.error = error;
        }
    }

    private PlainCommand() {}

    /** What Redis answers; it fails with what Redis says, or if it says nothing for a second. */
    public static CompletableFuture<List<Object>> run(
            ReconnectingConnection line, CommandType type, byte[]... arguments) {
        return run(line, false, type, arguments);
    }

    /** The same, also of a slot that is on its way there. */
    public static CompletableFuture<List<Object>> run(
            ReconnectingConnection line, boolean asking, CommandType type, byte[]... arguments) {
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
        for (byte[] each : arguments) {
            args.add(each);
        }
        CallbackCommand call = new CallbackCommand(type, args, (reply, lost, error) -> {
            if (reply != null) {
                answer.complete(reply);
            } else {
                answer.completeExceptionally(
                        error == null ? new IOException("redis: " + RedisFailures.reason(lost)) : new Refusal(error));
            }
        });
        List<CallbackCommand> calls = asking ? List.of(ScriptCommands.asking(), call) : List.of(call);
        line.loop().execute(() -> line.send(calls));
        var unused = answer.orTimeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS).whenComplete((reply, failed) -> {
            if (failed instanceof TimeoutException) {
                line.loop().execute(line::doubt);
            }
        });
        return answer;
    }
}
