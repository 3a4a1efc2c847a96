package dev.weir.redis.internal.node;

import dev.weir.StoreFailure;
import dev.weir.internal.batching.AskMemory;
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

/**
 * Connects a {@link Batcher} to one Redis connection: it sends batches as script calls and translates Redis's replies.
 */
public final class ScriptBatcher implements BatchTransport, ReconnectingConnection.Listener, BatchCall.Sender {
    private static final int POOLED_BATCHES = 64;

    private final RedisNode node;
    private final ReconnectingConnection connection;
    private final ScriptCommands commands;
    private final RedisStats stats;
    private final long patienceNanos;
    private final Batcher batcher;
    private final ArrayDeque<ScriptBatch> batches = new ArrayDeque<>();

    ScriptBatcher(
            RedisNode node,
            ReconnectingConnection.Factory factory,
            ScriptCommands commands,
            RedisStats stats,
            RedisSettings settings) {
        this.node = node;
        this.connection = factory.create(this);
        this.commands = commands;
        this.stats = stats;
        this.patienceNanos = settings.deadline().toNanos();
        this.batcher =
                new Batcher(new NettyLoop(connection.loop()), this, settings.maxWaiting(), AskMemory.ofThisProcess());
    }

    public ReconnectingConnection connection() {
        return connection;
    }

    /** Returns the number of asks that wait or are in flight. */
    int waiting() {
        return batcher.waiting();
    }

    /** Queues {@code pending}, from any thread. Its waiter is notified, also if it fails at once. */
    public void add(QueuedAsk pending) {
        batcher.add(pending);
    }

    @Override
    public @Nullable StoreFailure down() {
        return connection.down();
    }

    @Override
    public boolean isNew() {
        return connection.isNew();
    }

    @Override
    public boolean isOpen() {
        return node.isOpen();
    }

    @Override
    public BatchedCall call(int slot, boolean asking) {
        ScriptBatch batch = batches.isEmpty() ? new ScriptBatch() : batches.pop();
        return new BatchCall(batch, slot, asking, commands, connection, stats, this);
    }

    @Override
    public void done(ScriptBatch batch) {
        batch.clear();
        if (batches.size() < POOLED_BATCHES) {
            batches.push(batch);
        }
    }

    @Override
    public void send(List<BatchedCall> calls) {
        List<CallbackCommand> out = new ArrayList<>(calls.size());
        for (BatchedCall call : calls) {
            ((BatchCall) call).write(call.deadlineNanos(), out);
        }
        connection.send(out);
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
            connection.replyOverdue();
        }
    }

    @Override
    public void replied(BatchCall call, List<Object> reply) {
        if (call.isAbandoned()) {
            stats.late.increment();
            batcher.late(call);
            return;
        }
        switch (read(call, reply)) {
            case DONE -> {
                connection.answered();
                stats.answered.add(call.batch.groups());
                if (call.batch.unknownChecks() > 0) {
                    stats.failed(StoreFailure.UNKNOWN_FORMAT, call.batch.unknownChecks());
                    node.unknownFormat();
                }
                batcher.decided(call);
            }
            case EXPIRED -> {
                stats.expired.increment();
                batcher.expired(call);
            }
            case BROKEN -> {
                stats.mismatches.increment();
                node.mismatched(null);
                batcher.failed(call, StoreFailure.BROKEN);
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
                batcher.lost(call);
            } else {
                batcher.late(call);
            }
        } else if (error == null) {
            batcher.failed(
                    call, failure, () -> connection.renew(call.generation(), failure, "the connection was lost"));
        } else if (RedisFailures.code(error).equals("TRYAGAIN")) {
            batcher.divided(call);
        } else if (!redirected(call, error)) {
            stats.error(RedisFailures.code(error));
            if (RedisFailures.isOfHashSlot(error)) {
                batcher.unserved(call, failure, node::hashSlotUnserved);
            } else {
                batcher.failed(call, failure, () -> node.repliedWithError(connection, call.generation(), error));
            }
        }
    }

    /** Redirects the asks of a call to the node that Redis names; returns false if it names none. */
    private boolean redirected(BatchCall call, String error) {
        ClusterRedirect redirect = ClusterRedirect.of(error);
        RedisNode target = redirect == null ? null : node.redirected(redirect);
        if (redirect == null || target == null) {
            return false;
        }
        stats.redirects.increment();
        batcher.redirected(call, redirect.ask(), each -> target.batcher(each.subject()).batcher);
        return true;
    }

    @Override
    public void up() {
        stats.connects.increment();
        node.up(connection);
        batcher.up();
    }

    @Override
    public void dead() {
        node.connectionDead();
    }

    @Override
    public void down(StoreFailure failure, String reason) {
        node.down(failure, reason);
        batcher.down();
    }
}
