package dev.weir.redis.internal.node;

import dev.weir.StoreFailure;
import dev.weir.internal.batching.BatchedCall;
import dev.weir.internal.batching.CheckGroup;
import dev.weir.redis.internal.connection.CallbackCommand;
import dev.weir.redis.internal.connection.ReconnectingConnection;
import dev.weir.redis.internal.connection.RedisFailures;
import dev.weir.redis.internal.connection.ScriptCommands;
import dev.weir.redis.internal.script.BatchStatus;
import dev.weir.redis.internal.script.RedisKey;
import dev.weir.redis.internal.script.ScriptBatch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One script call and the batch it carries. That Redis forgot the script is nobody's business but its own. */
final class BatchCall extends BatchedCall implements CallbackCommand.Listener {
    /** Who sent the call; told in the event loop. */
    interface Sender {
        void replied(BatchCall call, List<Object> reply);

        /** The error as Redis said it; null if the connection was lost. */
        void failed(BatchCall call, StoreFailure failure, @Nullable String error);

        /** Nobody looks into {@code batch} any more. */
        default void done(ScriptBatch batch) {}
    }

    final ScriptBatch batch;
    private final ScriptCommands commands;
    private final ReconnectingConnection line;
    private final RedisStats stats;
    private final Sender sender;

    private byte[][] keys = new byte[0][];
    private byte[][] args = new byte[0][];
    private boolean byText;
    /** When the command that was answered had been sent. */
    private long sentNanos;
    /** Over which of the line's connections. */
    private int generation;

    BatchCall(
            ScriptBatch batch,
            int slot,
            boolean asking,
            ScriptCommands commands,
            ReconnectingConnection line,
            RedisStats stats,
            Sender sender) {
        super(slot, asking);
        this.batch = batch;
        this.commands = commands;
        this.line = line;
        this.stats = stats;
        this.sender = sender;
    }

    @Override
    public boolean add(CheckGroup group) {
        return batch.add(group);
    }

    @Override
    public int groups() {
        return batch.groups();
    }

    @Override
    public CheckGroup group(int index) {
        return batch.group(index);
    }

    @Override
    protected void done() {
        sender.done(batch);
    }

    /** Adds what is to be sent to {@code out}: good until {@code deadlineNanos}, as Redis's clock will show it then. */
    void write(long deadlineNanos, List<CallbackCommand> out) {
        keys = batch.keys(slot != RedisKey.NO_SLOT);
        args = batch.args(line.clock().at(deadlineNanos));
        write(out);
    }

    private void write(List<CallbackCommand> out) {
        if (asking) {
            out.add(ScriptCommands.asking());
        }
        out.add(commands.call(byText, keys, args, this));
        sentNanos = System.nanoTime();
        generation = line.generation();
        stats.batches.increment();
    }

    /** Reads what came of it, and has the line's clock take in the time that the reply tells. */
    BatchStatus read(List<Object> reply) {
        long now = System.nanoTime();
        BatchStatus read = batch.read(reply);
        if (batch.timeMicros() > 0 && generation == line.generation()) {
            line.clock().sample(sentNanos, now, batch.timeMicros());
        }
        return read;
    }

    /** Which of the line's connections it was sent over. */
    int generation() {
        return generation;
    }

    @Override
    public void replied(@Nullable List<Object> reply, @Nullable Throwable lost, @Nullable String error) {
        if (reply != null) {
            sender.replied(this, reply);
        } else if (error == null) {
            sender.failed(this, RedisFailures.of(lost), null);
        } else if (!byText && RedisFailures.code(error).equals("NOSCRIPT")) {
            stats.noScript.increment();
            byText = true;
            List<CallbackCommand> again = new ArrayList<>(2);
            write(again);
            line.send(again);
        } else {
            sender.failed(this, RedisFailures.ofError(error), error);
        }
    }
}
