package dev.weir.redis;

import dev.weir.coalesce.Call;
import dev.weir.coalesce.Carrier;
import dev.weir.coalesce.Lane;
import dev.weir.coalesce.Pending;
import dev.weir.redis.script.Batch;
import dev.weir.redis.script.Reply;
import dev.weir.store.StoreFailure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A lane over one line to Redis: its calls are calls of the script. What Redis says of them, the lane is told in its own words. */
final class ScriptLane implements Carrier, Line.User, BatchCall.Sender {
    private static final int KEPT_BATCHES = 64;

    private final Node node;
    private final Line line;
    private final ScriptCommands commands;
    private final RedisStats stats;
    private final long patienceNanos;
    private final Lane lane;
    private final ArrayDeque<Batch> batches = new ArrayDeque<>();

    ScriptLane(Node node, Line.Factory lines, ScriptCommands commands, RedisStats stats, RedisSettings settings) {
        this.node = node;
        this.line = lines.line(this);
        this.commands = commands;
        this.stats = stats;
        this.patienceNanos = settings.deadline().toNanos();
        this.lane = new Lane(new NettyLoop(line.loop()), this, settings.maxWaiting());
    }

    Line line() {
        return line;
    }

    /** Asks that wait, or are under way. */
    int waiting() {
        return lane.waiting();
    }

    /** Takes up {@code pending}, from any thread; who waits for it is told, also if that is at once. */
    void add(Pending pending) {
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
    public Call call(int slot, boolean asking) {
        Batch batch = batches.isEmpty() ? new Batch() : batches.pop();
        return new BatchCall(batch, slot, asking, commands, line, stats, this);
    }

    @Override
    public void done(Batch batch) {
        batch.clear();
        if (batches.size() < KEPT_BATCHES) {
            batches.push(batch);
        }
    }

    @Override
    public void send(List<Call> calls) {
        List<ScriptCall> out = new ArrayList<>(calls.size());
        for (Call call : calls) {
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

    private Reply read(BatchCall call, List<Object> reply) {
        try {
            return call.read(reply);
        } catch (RuntimeException e) {
            node.mismatched(e);
            return Reply.BROKEN;
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
        } else if (Failures.code(error).equals("TRYAGAIN")) {
            lane.divided(call);
        } else if (!redirected(call, error)) {
            stats.error(Failures.code(error));
            if (Failures.isOfSlot(error)) {
                lane.unserved(call, failure, node::lacksSlot);
            } else {
                lane.failed(call, failure, () -> node.complained(line, call.generation(), error));
            }
        }
    }

    /** Sends those who wait on to where Redis says they should have gone. */
    private boolean redirected(BatchCall call, String error) {
        Redirect redirect = Redirect.of(error);
        Node target = redirect == null ? null : node.redirected(redirect);
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
