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

/**
 * One script call with its batch. If Redis does not know the script, the call repeats itself with the script's text.
 */
final class BatchCall extends BatchedCall implements CallbackCommand.Listener {
    /** Receives the result of a call, in the event loop. */
    interface Sender {
        void replied(BatchCall call, List<Object> reply);

        /** Called if the call failed; {@code error} is Redis's error, null if the connection was lost. */
        void failed(BatchCall call, StoreFailure failure, @Nullable String error);

        /** Called when {@code batch} may be reused. */
        default void done(ScriptBatch batch) {}
    }

    final ScriptBatch batch;
    private final ScriptCommands commands;
    private final ReconnectingConnection connection;
    private final RedisStats stats;
    private final Sender sender;

    private byte[][] keys = new byte[0][];
    private byte[][] args = new byte[0][];
    private boolean byText;
    /** The time at which the command was last sent. */
    private long sentNanos;
    /** The generation of the connection that the command was sent over. */
    private int generation;

    BatchCall(
            ScriptBatch batch,
            int slot,
            boolean asking,
            ScriptCommands commands,
            ReconnectingConnection connection,
            RedisStats stats,
            Sender sender) {
        super(slot, asking);
        this.batch = batch;
        this.commands = commands;
        this.connection = connection;
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

    /** Adds the commands to {@code out}. They expire at {@code deadlineNanos}, converted to Redis's clock. */
    void write(long deadlineNanos, List<CallbackCommand> out) {
        keys = batch.keys(slot != RedisKey.NO_SLOT);
        args = batch.args(connection.clock().at(deadlineNanos));
        write(out);
    }

    private void write(List<CallbackCommand> out) {
        if (asking) {
            out.add(ScriptCommands.asking());
        }
        out.add(commands.call(byText, keys, args, this));
        sentNanos = System.nanoTime();
        generation = connection.generation();
        stats.batches.increment();
    }

    /** Reads the reply, and updates the connection's clock with the time in it. */
    BatchStatus read(List<Object> reply) {
        long now = System.nanoTime();
        BatchStatus read = batch.read(reply);
        if (batch.timeMicros() > 0 && generation == connection.generation()) {
            connection.clock().sample(sentNanos, now, batch.timeMicros());
        }
        return read;
    }

    /** Returns the generation of the connection that the command was sent over. */
    int generation() {
        return generation;
    }

    @Override
    public void replied(@Nullable List<Object> reply, @Nullable Throwable lost, @Nullable String error) {
        if (reply != null) {
            sender.replied(this, reply);
        } else if (error == null) {
            sender.failed(this, RedisFailures.of(lost), null);
        } else if (!byText && ScriptCommands.isUnknownDigest(error)) {
            stats.noScript.increment();
            byText = true;
            List<CallbackCommand> again = new ArrayList<>(2);
            write(again);
            connection.send(again);
        } else {
            sender.failed(this, RedisFailures.ofError(error), error);
        }
    }
}
