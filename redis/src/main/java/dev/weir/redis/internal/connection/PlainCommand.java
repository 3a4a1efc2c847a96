package dev.weir.redis.internal.connection;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A command that is not part of a decision, sent over an open connection. */
public final class PlainCommand {
    private static final long TIMEOUT_MILLIS = 1_000;

    /** Thrown if Redis replies with an error. */
    public static final class Refusal extends IOException {
        private static final long serialVersionUID = 1L;
        public final String error;

        Refusal(String error) {
            super(RedisFailures.REDIS + error);
            this.error = error;
        }
    }

    private PlainCommand() {}

    /** Sends a command. The future fails with Redis's error, or if there is no reply within a second. */
    public static CompletableFuture<List<Object>> run(
            ReconnectingConnection connection, CommandType type, byte[]... arguments) {
        return run(connection, false, type, arguments);
    }

    /** Sends a command; with {@code asking}, also for a hash slot that is migrating to the server. */
    public static CompletableFuture<List<Object>> run(
            ReconnectingConnection connection, boolean asking, CommandType type, byte[]... arguments) {
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
                        error == null
                                ? new IOException(RedisFailures.REDIS + RedisFailures.reason(lost))
                                : new Refusal(error));
            }
        });
        List<CallbackCommand> calls = asking ? List.of(ScriptCommands.asking(), call) : List.of(call);
        connection.loop().execute(() -> connection.send(calls));
        var unused = answer.orTimeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS).whenComplete((reply, failed) -> {
            if (failed instanceof TimeoutException) {
                connection.loop().execute(connection::replyOverdue);
            }
        });
        return answer;
    }
}
