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
 * Probes in the background whether a node serves again over one of its connections. It calls the script on a counter of
 * its own, because PING also succeeds if nothing can be written. The waits between probes grow; a change in the cluster
 * triggers a probe at once. A probe runs in the event loop of the connection.
 */
public final class NodeProbe implements BatchCall.Sender {
    private static final Limit LIMIT = Limit.of(Algorithm.FIXED_WINDOW, 1_000_000_000, Duration.ofSeconds(1));

    private final ReconnectingConnection connection;
    private final EventLoop loop;
    private final ScriptCommands commands;
    private final RedisStats stats;
    private final BreakerSettings settings;
    private final long timeoutNanos;
    private final RedisNode node;
    private final LongSupplier subject;
    private final CheckGroup group = new CheckGroup();

    private volatile boolean served;
    private boolean wanted;
    private boolean corrected;
    private long waitNanos;
    private @Nullable BatchCall inFlight;
    private @Nullable ScheduledFuture<?> next;

    NodeProbe(
            RedisNode node,
            ReconnectingConnection connection,
            ScriptCommands commands,
            RedisStats stats,
            RedisSettings settings,
            LongSupplier subject) {
        this.connection = connection;
        this.loop = connection.loop();
        this.commands = commands;
        this.stats = stats;
        this.settings = settings.breaker();
        this.timeoutNanos = Math.max(
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

    /** Returns whether the probe succeeded and the connection is still up. Any thread may call this. */
    boolean served() {
        return served && connection.down() == null;
    }

    /** Returns whether the connection is up but the probe has not succeeded yet. Any thread may call this. */
    boolean isPending() {
        return !served && connection.down() == null;
    }

    void start() {
        loop.execute(() -> {
            wanted = true;
            corrected = false;
            waitNanos = settings.firstProbe().toNanos();
            scheduleNext();
        });
    }

    /**
     * Probes now because something has changed. That may be early (the nodes of a cluster learn of a failover one after
     * the other), so if the probe fails, the next one follows soon.
     */
    void probeNow() {
        loop.execute(() -> {
            waitNanos = Math.min(waitNanos, settings.firstProbe().toNanos() / 8);
            probe();
        });
    }

    void stop() {
        served = false;
        loop.execute(() -> {
            wanted = false;
            cancel();
        });
    }

    private void scheduleNext() {
        cancel();
        if (wanted) {
            long jittered = waitNanos - ThreadLocalRandom.current().nextLong(waitNanos / 4 + 1);
            next = loop.schedule(this::probe, jittered, TimeUnit.NANOSECONDS);
            waitNanos = Math.min(waitNanos * 2, settings.lastProbe().toNanos());
        }
    }

    private void cancel() {
        if (next != null) {
            next.cancel(false);
            next = null;
        }
    }

    private void probe() {
        if (!wanted || inFlight != null) {
            return;
        }
        if (connection.down() != null) {
            scheduleNext(); // the node triggers a probe when the connection is up
            return;
        }
        cancel();
        group.get(0).name.subject(subject.getAsLong());
        ScriptBatch batch = new ScriptBatch();
        batch.add(group);
        BatchCall call = new BatchCall(batch, 0, false, commands, connection, stats, this);
        inFlight = call;
        List<CallbackCommand> out = new ArrayList<>(1);
        call.write(System.nanoTime() + timeoutNanos, out);
        next = loop.schedule(() -> timedOut(call), timeoutNanos, TimeUnit.NANOSECONDS);
        connection.send(out);
    }

    private void timedOut(BatchCall call) {
        if (call == inFlight) {
            inFlight = null;
            scheduleNext();
            connection.replyOverdue();
        }
    }

    @Override
    public void replied(BatchCall call, List<Object> reply) {
        if (call != inFlight) {
            return;
        }
        inFlight = null;
        scheduleNext();
        BatchStatus read = call.read(reply);
        if (read == BatchStatus.DONE) {
            wanted = false;
            cancel();
            connection.answered();
            served = true;
            node.probed();
        } else if (read == BatchStatus.EXPIRED && !corrected) {
            corrected = true; // the batch arrived in time, so the clock estimate was wrong; the reply has corrected it
            probe();
        }
    }

    @Override
    public void failed(BatchCall call, StoreFailure failure, @Nullable String error) {
        if (call == inFlight) {
            inFlight = null;
            scheduleNext();
            if (error != null) {
                node.repliedWithError(connection, call.generation(), error);
            }
        }
    }
}
