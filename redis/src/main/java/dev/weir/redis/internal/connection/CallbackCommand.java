package dev.weir.redis.internal.connection;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A command that tells one listener, once, what came of it: Lettuce's futures do more than a batch needs. */
public final class CallbackCommand extends Command<byte[], byte[], List<Object>> {
    /** Who waits for a command. */
    public interface Listener {
        /** In the event loop of the connection. One of them is null: what Redis answered, or what went wrong. */
        void replied(@Nullable List<Object> reply, @Nullable Throwable lost, @Nullable String error);
    }

    private final Listener listener;
    private @Nullable DeadConnectionDetector silence;
    private boolean told;

    CallbackCommand(ProtocolKeyword type, CommandArgs<byte[], byte[]> args, Listener listener) {
        super(type, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), args);
        this.listener = listener;
    }

    /** Says so to {@code ofConnection} when something came of it. */
    void goesOver(DeadConnectionDetector ofConnection) {
        silence = ofConnection;
    }

    @Override
    public void complete() {
        super.complete();
        CommandOutput<byte[], byte[], List<Object>> answer = getOutput();
        if (answer.hasError()) {
            tell(null, null, RedisFailures.withoutArguments(answer.getError()));
        } else {
            tell(answer.get(), null, null);
        }
    }

    @Override
    public boolean completeExceptionally(Throwable lost) {
        super.completeExceptionally(lost);
        tell(null, lost, null);
        return true;
    }

    @Override
    public void cancel() {
        super.cancel();
        tell(null, new java.util.concurrent.CancellationException("cancelled"), null);
    }

    /** Tells all who wait for {@code calls} that they will not be answered. */
    static void fail(List<CallbackCommand> calls, RuntimeException why) {
        for (CallbackCommand each : calls) {
            each.completeExceptionally(why);
        }
    }

    private void tell(@Nullable List<Object> reply, @Nullable Throwable lost, @Nullable String error) {
        if (!told) {
            told = true;
            if (silence != null) {
                silence.answered();
            }
            listener.replied(reply, lost, error);
        }
    }
}
