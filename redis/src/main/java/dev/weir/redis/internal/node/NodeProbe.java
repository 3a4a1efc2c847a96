package dev.weir.redis.internal.node;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import dev.weir.redis.BreakerSettings;
import dev.weir.redis.internal.connection.CallbackCommand;
import dev.weir.redis.internal.connection.ReconnectingConnection;
import dev.weir.redis.internal.connection.ScriptCommands;
import dev.weir.redis.internal.script.BatchStatus;
import dev.weir.redis.internal.script.ScriptBatch;
import dev.weir.redis.internal.settings.RedisSettings;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tries in the background whether a node serves again over one of its lines: with the script, on a counter of its own, for PING also
 * answers where nothing can be written. Later and later; at once where there is news. Lives in the event loop of the line.
 */
public final class NodeProbe implements BatchCall.Sender {
    private static final Limit LIMIT = Limit.of(Algorithm.FIXED_WINDOW, 1_000_000_000, Duration.ofSeconds(1));

    private final ReconnectingConnection line;
    private final EventLoop loop;
    private final ScriptCommands commands;
    private final RedisStats stats;
    private final BreakerSettings settings;
    private final long patienceNanos;
    private final RedisNode node;
    private final LongSupplier subject;
    private final CheckGroup group = new CheckGroup();

    private volatile boolean served;
    private boolean wanted;
    private boolean corrected;
    private long waitNanos;
    private @Nullable BatchCall underWay;
    private @Nullable ScheduledFuture<?> next;

    NodeProbe(
            RedisNode node,
            ReconnectingConnection line,
            ScriptCommands commands,
            RedisStats stats,
            RedisSettings settings,
            LongSupplier subject) {
        this.line = line;
        this.loop = line.loop();
        this.commands = commands;
        this.stats = stats;
        this.settings = settings.breaker();
        this.patienceNanos = Math.max(
                settings.breaker().slow().toNanos(), settings.deadline().toNanos());
        this.node = node;
        this.subject = subject;
        Check check = new Check();
        check.key0 = 1;
        check.meter = Meters.of(LIMIT);
        check.hits = 1;
        for (byte each : "probe".getBytes(StandardCharsets.US_ASCII)) {
            check.name.append(each);
        }
        group.add(check);
    }

    /** Whether the node was found to serve over the line, and that is up. Any thread may ask. */
    boolean served() {
        return served && line.down() == null;
    }

    /** Whether there is something to wait for: it was not found to serve, and the line is up. Any thread may ask. */
    boolean isAwaited() {
        return !served && line.down() == null;
    }

    void start() {
        loop.execute(() -> {
            wanted = true;
            corrected = false;
            waitNanos = settings.firstProbe().toNanos();
            later();
        });
    }

    /**
     * There is news: no need to wait. It may be early (the nodes of a cluster hear of a failover one after the other), so if this
     * fails it is tried again soon.
     */
    void now() {
        loop.execute(() -> {
            waitNanos = Math.min(waitNanos, settings.firstProbe().toNanos() / 8);
            tryIt();
        });
    }

    void stop() {
        served = false;
        loop.execute(() -> {
            wanted = false;
            cancel();
        });
    }

    private void later() {
        cancel();
        if (wanted) {
            long jittered = waitNanos - ThreadLocalRandom.current().nextLong(waitNanos / 4 + 1);
            next = loop.schedule(this::tryIt, jittered, TimeUnit.NANOSECONDS);
            waitNanos = Math.min(waitNanos * 2, settings.lastProbe().toNanos());
        }
    }

    private void cancel() {
        if (next != null) {
            next.cancel(false);
            next = null;
        }
    }

    private void tryIt() {
        if (!wanted || underWay != null) {
            return;
        }
        if (line.down() != null) {
            later(); // a new connection is news
            return;
        }
        cancel();
        group.get(0).name.subject(subject.getAsLong());
        ScriptBatch batch = new ScriptBatch();
        batch.add(group);
        BatchCall call = new BatchCall(batch, 0, false, commands, line, stats, this);
        underWay = call;
        List<CallbackCommand> out = new ArrayList<>(1);
        call.write(System.nanoTime() + patienceNanos, out);
        next = loop.schedule(() -> timedOut(call), patienceNanos, TimeUnit.NANOSECONDS);
        line.send(out);
    }

    private void timedOut(BatchCall call) {
        if (call == underWay) {
            underWay = null;
            later();
            line.doubt();
        }
    }

    @Override
    public void replied(BatchCall call, List<Object> reply) {
        if (call != underWay) {
            return;
        }
        underWay = null;
        later();
        BatchStatus read = call.read(reply);
        if (read == BatchStatus.DONE) {
            wanted = false;
            cancel();
            line.served();
            served = true;
            node.probed();
        } else if (read == BatchStatus.EXPIRED && !corrected) {
            corrected = true; // it came in time, so it was the clock: that is known better now
            tryIt();
        }
    }

    @Override
    public void failed(BatchCall call, StoreFailure failure, @Nullable String error) {
        if (call == underWay) {
            underWay = null;
            later();
            if (error != null) {
                node.complained(line, call.generation(), error);
            }
        }
    }
}
