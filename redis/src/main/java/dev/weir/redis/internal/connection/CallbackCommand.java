package dev.weir.redis.internal.connection;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A command that notifies one listener, once, of its result. Lettuce's futures do more than a batch needs. */
public final class CallbackCommand extends Command<byte[], byte[], List<Object>> {
    /** Receives the result of a command. */
    public interface Listener {
        /**
         * Called in the event loop of the connection. One argument is not null: the reply, the exception that lost it,
         * or Redis's error.
         */
        void replied(@Nullable List<Object> reply, @Nullable Throwable lost, @Nullable String error);
    }

    private final Listener listener;
    private @Nullable DeadConnectionDetector detector;
    private boolean notified;

    CallbackCommand(ProtocolKeyword type, CommandArgs<byte[], byte[]> args, Listener listener) {
        super(type, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), args);
        this.listener = listener;
    }

    /** Sets the detector of the connection that the command is sent over, which counts its reply. */
    void sentOver(DeadConnectionDetector detector) {
        this.detector = detector;
    }

    @Override
    public void complete() {
        super.complete();
        CommandOutput<byte[], byte[], List<Object>> answer = getOutput();
        if (answer.hasError()) {
            finish(null, null, RedisFailures.withoutArguments(answer.getError()));
        } else {
            finish(answer.get(), null, null);
        }
    }

    @Override
    public boolean completeExceptionally(Throwable lost) {
        super.completeExceptionally(lost);
        finish(null, lost, null);
        return true;
    }

    @Override
    public void cancel() {
        super.cancel();
        finish(null, new java.util.concurrent.CancellationException("cancelled"), null);
    }

    /** Completes all {@code calls} with an exception. */
    static void fail(List<CallbackCommand> calls, RuntimeException why) {
        for (CallbackCommand each : calls) {
            each.completeExceptionally(why);
        }
    }

    private void finish(@Nullable List<Object> reply, @Nullable Throwable lost, @Nullable String error) {
        if (!notified) {
            notified = true;
            if (detector != null) {
                detector.answered();
            }
            listener.replied(reply, lost, error);
        }
    }
}
