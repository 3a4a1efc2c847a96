package dev.weir.redis;

import dev.weir.coalesce.Call;
import dev.weir.coalesce.Group;
import dev.weir.redis.script.Batch;
import dev.weir.redis.script.RedisKey;
import dev.weir.redis.script.Reply;
import dev.weir.store.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One script call and the batch it carries. That Redis forgot the script is nobody's business but its own. */
final class BatchCall extends Call implements ScriptCall.Listener {
    /** Who sent the call; told in the event loop. */
    interface Sender {
        void replied(BatchCall call, List<Object> reply);

        /** The error as Redis said it; null if the connection was lost. */
        void failed(BatchCall call, StoreFailure failure, @Nullable String error);

        /** Nobody looks into {@code batch} any more. */
        default void done(Batch batch) {}
    }

    final Batch batch;
    private final ScriptCommands commands;
    private final Line line;
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
            Batch batch,
            int slot,
            boolean asking,
            ScriptCommands commands,
            Line line,
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
    public boolean add(Group group) {
        return batch.add(group);
    }

    @Override
    public int groups() {
        return batch.groups();
    }

    @Override
    public Group group(int index) {
        return batch.group(index);
    }

    @Override
    protected void done() {
        sender.done(batch);
    }

    /** Adds what is to be sent to {@code out}: good until {@code deadlineNanos}, as Redis's clock will show it then. */
    void write(long deadlineNanos, List<ScriptCall> out) {
        keys = batch.keys(slot != RedisKey.NO_SLOT);
        args = batch.args(line.clock().at(deadlineNanos));
        write(out);
    }

    private void write(List<ScriptCall> out) {
        if (asking) {
            out.add(ScriptCommands.asking());
        }
        out.add(commands.call(byText, keys, args, this));
        sentNanos = System.nanoTime();
        generation = line.generation();
        stats.batches.increment();
    }

    /** Reads what came of it, and has the line's clock take in the time that the reply tells. */
    Reply read(List<Object> reply) {
        long now = System.nanoTime();
        Reply read = batch.read(reply);
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
            sender.failed(this, Failures.of(lost), null);
        } else if (!byText && Failures.code(error).equals("NOSCRIPT")) {
            stats.noScript.increment();
            byText = true;
            List<ScriptCall> again = new ArrayList<>(2);
            write(again);
            line.send(again);
        } else {
            sender.failed(this, Failures.ofError(error), error);
        }
    }
}
