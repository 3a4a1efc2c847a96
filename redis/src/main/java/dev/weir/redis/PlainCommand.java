package dev.weir.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A command that has nothing to do with deciding, on the line that is there. */
final class PlainCommand {
    private static final long PATIENCE_MILLIS = 1_000;

    private PlainCommand() {}

    /** What Redis answers; it fails with what Redis says, or if it says nothing for a second. */
    static CompletableFuture<List<Object>> run(Line line, CommandType type, byte[]... arguments) {
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
        for (byte[] each : arguments) {
            args.add(each);
        }
        ScriptCall call = new ScriptCall(type, args, (reply, lost, error) -> {
            if (reply != null) {
                answer.complete(reply);
            } else {
                String why = error == null ? Failures.reason(lost) : error;
                answer.completeExceptionally(new IOException("redis: " + why));
            }
        });
        line.loop().execute(() -> line.send(List.of(call)));
        var unused = answer.orTimeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS).whenComplete((reply, failed) -> {
            if (failed instanceof TimeoutException) {
                line.loop().execute(line::doubt);
            }
        });
        return answer;
    }
}
