package dev.weir.simulation.store;

import dev.weir.StoreFailure;
import dev.weir.internal.batching.AskMemory;
import dev.weir.internal.batching.BatchTransport;
import dev.weir.internal.batching.BatchedCall;
import dev.weir.internal.batching.Batcher;
import dev.weir.internal.batching.QueuedAsk;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.store.StoreClock;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import java.util.ArrayDeque;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A node's connection to one server of a shared store. Messages take time, and some are never answered. The real {@link
 * Batcher} decides which batches to send, and calls the waiting asks.
 */
public final class Link implements BatchTransport {
    /** The Redis store's default. */
    private static final int MOST_WAITING = 16_384;

    /** The round trips to a store in another region after which a batch is slow. */
    private static final long FAR_ROUND_TRIPS = 5;

    private final Timeline timeline;
    private final Host host;
    private final MachineClock clock;
    private final SimulatedStore store;
    private final LinkSettings settings;
    private final HostEventLoop loop;
    private final Batcher lane;
    private final BreakerProber prober;
    private final TcpDirection out;
    private final TcpDirection back;
    private final StoreClock storeClock = new StoreClock();
    private final ArrayDeque<RoundTrip> underWay = new ArrayDeque<>();
    private int connection;
    private long connectedAt;
    private long deliveredMicros;
    private long heardMicros;

    Link(
            Timeline timeline,
            Host host,
            MachineClock clock,
            SimulatedStore store,
            LinkSettings settings,
            SplittableRandom random) {
        this.timeline = timeline;
        this.host = host;
        this.clock = clock;
        this.store = store;
        this.settings = settings;
        this.loop = new HostEventLoop(timeline, host, clock);
        this.lane = new Batcher(loop, this, MOST_WAITING, AskMemory.unbounded());
        this.prober = new BreakerProber(loop, this);
        this.out = new TcpDirection(random.split(), settings);
        this.back = new TcpDirection(random.split(), settings);
        store.add(this);
        greet();
    }

    int node() {
        return host.number();
    }

    boolean isClosed() {
        return loop.isClosed();
    }

    int connection() {
        return connection;
    }

    /** When the hits of the ask being answered were taken, by the store's clock; now, if the store was not asked. */
    long chargedMicros() {
        return deliveredMicros == 0 ? store.clock().micros() : deliveredMicros;
    }

    /** The store's time of the last decision that this node received; now, if it received none. */
    long heardMicros() {
        return heardMicros == 0 ? store.clock().micros() : heardMicros;
    }

    void send(QueuedAsk pending) {
        if (isOpen()) {
            pending.refuse(StoreFailure.OPEN);
        } else {
            lane.add(pending);
        }
    }

    /**
     * Closes the link, because the process has ended: no ask is answered any more. Messages in flight may still arrive.
     */
    void close() {
        loop.close();
    }

    /** Breaks the connection: asks in flight have an unknown outcome, and reconnecting takes a while. */
    void breakOff() {
        connection++;
        connectedAt = Math.max(timeline.now(), host.pausedUntil()) + settings.reconnectNanos();
        greet();
        loop.execute(this::lost);
    }

    /** Handles the loss of the connection, once the process notices it. */
    private void lost() {
        lane.down();
        while (!underWay.isEmpty() && underWay.element().connection != connection) {
            for (SimulatedScriptCall call : underWay.remove().calls) {
                if (call.isAbandoned()) {
                    lane.lost(call);
                } else {
                    lane.failed(call, StoreFailure.UNREACHABLE);
                }
            }
        }
    }

    /** Blocks both directions for {@code nanos}; TCP delivers the messages afterwards. */
    void cut(long nanos) {
        out.cut(timeline.now() + nanos);
        back.cut(timeline.now() + nanos);
    }

    private void greet() {
        storeClock.forget();
        long rtt = 2 * settings.latency().medianNanos();
        storeClock.sample(
                clock.nanos() - rtt / 2, clock.nanos() + rtt / 2, store.clock().micros());
    }

    @Override
    public @Nullable StoreFailure down() {
        boolean up = !isClosed() && timeline.now() >= connectedAt && !store.isDown();
        return up ? null : StoreFailure.UNREACHABLE;
    }

    @Override
    public boolean isNew() {
        return false;
    }

    @Override
    public boolean isOpen() {
        return prober.isOpen();
    }

    @Override
    public BatchedCall call(int slot, boolean asking) {
        return new SimulatedScriptCall(slot, asking);
    }

    @Override
    public void send(List<BatchedCall> calls) {
        for (BatchedCall each : calls) {
            ((SimulatedScriptCall) each).expiryMicros = storeClock.at(each.deadlineNanos());
        }
        RoundTrip flight = new RoundTrip(this, store, connection, clock.nanos(), calls);
        underWay.add(flight);
        timeline.at(out.arrival(timeline.now()), flight);
    }

    void probe() {
        send(List.of());
    }

    void sendBack(RoundTrip done) {
        if (done.connection == connection && !isClosed()) {
            timeline.at(back.arrival(timeline.now()), done);
        }
    }

    void returned(RoundTrip done) {
        if (done.connection != connection || isClosed()) {
            return;
        }
        if (timeline.now() < host.pausedUntil()) {
            timeline.at(host.pausedUntil(), done);
            return;
        }
        underWay.remove(done);
        storeClock.sample(done.sentNanos, clock.nanos(), done.storeMicros);
        if (done.calls.isEmpty()) {
            prober.answered();
        }
        // The replies arrived together, so the batcher answers all their asks after the last of them.
        deliveredMicros = done.storeMicros;
        heardMicros = done.storeMicros;
        for (SimulatedScriptCall call : done.calls) {
            if (call.isAbandoned()) {
                lane.late(call);
            } else if (call.expired) {
                lane.expired(call);
            } else {
                lane.decided(call);
            }
        }
        deliveredMicros = 0;
    }

    @Override
    public void succeeded(long nanos) {
        prober.note(false);
    }

    @Override
    public void failed(long nanos) {
        prober.note(true);
    }

    @Override
    public long patienceNanos() {
        long far = FAR_ROUND_TRIPS * 2 * settings.latency().medianNanos();
        return Math.max(1_000 * LimiterSettings.defaults().deadlineMicros(), far);
    }

    @Override
    public void unanswered(StoreFailure failure) {}
}
