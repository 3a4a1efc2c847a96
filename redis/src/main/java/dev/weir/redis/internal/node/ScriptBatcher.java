package dev.weir.redis.internal.node;

import dev.weir.StoreFailure;
import dev.weir.internal.batching.BatchTransport;
import dev.weir.internal.batching.BatchedCall;
import dev.weir.internal.batching.Batcher;
import dev.weir.internal.batching.QueuedAsk;
import dev.weir.redis.internal.connection.CallbackCommand;
import dev.weir.redis.internal.connection.ClusterRedirect;
import dev.weir.redis.internal.connection.ReconnectingConnection;
import dev.weir.redis.internal.connection.RedisFailures;
import dev.weir.redis.internal.connection.ScriptCommands;
import dev.weir.redis.internal.script.BatchStatus;
import dev.weir.redis.internal.script.ScriptBatch;
import dev.weir.redis.internal.settings.RedisSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A lane over one line to Redis: its calls are calls of the script. What Redis says of them, the lane is told in its own words. */
public final class ScriptBatcher implements BatchTransport, ReconnectingConnection.User, BatchCall.Sender {
    private static final int KEPT_BATCHES = 64;

    private final RedisNode node;
    private final ReconnectingConnection line;
    private final ScriptCommands commands;
    private final RedisStats stats;
    private final long patienceNanos;
    private final Batcher lane;
    private final ArrayDeque<ScriptBatch> batches = new ArrayDeque<>();

    ScriptBatcher(
            RedisNode node,
            ReconnectingConnection.Factory lines,
            ScriptCommands commands,
            RedisStats stats,
            RedisSettings settings) {
        this.node = node;
        this.line = lines.line(this);
        this.commands = commands;
        this.stats = stats;
        this.patienceNanos = settings.deadline().toNanos();
        this.lane = new Batcher(new NettyLoop(line.loop()), this, settings.maxWaiting());
    }

    public ReconnectingConnection line() {
        return line;
    }

    /** Asks that wait, or are under way. */
    int waiting() {
        return lane.waiting();
    }

    /** Takes up {@code pending}, from any thread; who waits for it is told, also if that is at once. */
    public void add(QueuedAsk pending) {
        lane.add(pending);
    }

    @Override
    public @Nullable StoreFailure down() {
        return line.down();
    }

    @Override
    public boolean isNew() {
        return line.isNew();
    }

    @Override
    public boolean isOpen() {
        return node.isOpen();
    }

    @Override
    public BatchedCall call(int slot, boolean asking) {
        ScriptBatch batch = batches.isEmpty() ? new ScriptBatch() : batches.pop();
        return new BatchCall(batch, slot, asking, commands, line, stats, this);
    }

    @Override
    public void done(ScriptBatch batch) {
        batch.clear();
        if (batches.size() < KEPT_BATCHES) {
            batches.push(batch);
        }
    }

    @Override
    public void send(List<BatchedCall> calls) {
        List<CallbackCommand> out = new ArrayList<>(calls.size());
        for (BatchedCall call : calls) {
            ((BatchCall) call).write(call.deadlineNanos(), out);
        }
        line.send(out);
    }

    @Override
    public void succeeded(long nanos) {
        node.succeeded(nanos);
    }

    @Override
    public void failed(long nanos) {
        node.failed(nanos);
    }

    @Override
    public long patienceNanos() {
        return patienceNanos;
    }

    @Override
    public void unanswered(StoreFailure failure) {
        stats.failed(failure, 1);
        if (failure == StoreFailure.TIMEOUT) {
            line.doubt();
        }
    }

    @Override
    public void replied(BatchCall call, List<Object> reply) {
        if (call.isAbandoned()) {
            stats.late.increment();
            lane.late(call);
            return;
        }
        switch (read(call, reply)) {
            case DONE -> {
                line.served();
                stats.answered.add(call.batch.groups());
                lane.decided(call);
            }
            case EXPIRED -> {
                stats.expired.increment();
                lane.expired(call);
            }
            case BROKEN -> {
                stats.mismatches.increment();
                node.mismatched(null);
                lane.failed(call, StoreFailure.BROKEN);
            }
        }
    }

    private BatchStatus read(BatchCall call, List<Object> reply) {
        try {
            return call.read(reply);
        } catch (RuntimeException e) {
            node.mismatched(e);
            return BatchStatus.BROKEN;
        }
    }

    @Override
    public void failed(BatchCall call, StoreFailure failure, @Nullable String error) {
        if (call.isAbandoned()) {
            if (error == null) {
                lane.lost(call);
            } else {
                lane.late(call);
            }
        } else if (error == null) {
            lane.failed(call, failure, () -> line.renew(call.generation(), failure, "the connection was lost"));
        } else if (RedisFailures.code(error).equals("TRYAGAIN")) {
            lane.divided(call);
        } else if (!redirected(call, error)) {
            stats.error(RedisFailures.code(error));
            if (RedisFailures.isOfSlot(error)) {
                lane.unserved(call, failure, node::lacksSlot);
            } else {
                lane.failed(call, failure, () -> node.complained(line, call.generation(), error));
            }
        }
    }

    /** Sends those who wait on to where Redis says they should have gone. */
    private boolean redirected(BatchCall call, String error) {
        ClusterRedirect redirect = ClusterRedirect.of(error);
        RedisNode target = redirect == null ? null : node.redirected(redirect);
        if (redirect == null || target == null) {
            return false;
        }
        stats.redirects.increment();
        lane.redirected(call, redirect.ask(), each -> target.lane(each.subject()).lane);
        return true;
    }

    @Override
    public void up() {
        stats.connects.increment();
        node.up(line);
        lane.up();
    }

    @Override
    public void silent() {
        node.silent();
    }

    @Override
    public void down(StoreFailure failure, String reason) {
        node.down(failure, reason);
        lane.down();
    }
}
