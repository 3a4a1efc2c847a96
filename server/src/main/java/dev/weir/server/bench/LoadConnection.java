package dev.weir.server.bench;

import dev.weir.simulation.traffic.Zipf;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a service. Everything happens on its event loop.
 *
 * <p>With a rate, a request is due at a moment that does not depend on answers, and its latency counts from then: a service that
 * stalls is charged for every request that it kept waiting, also for those that could not be sent. Without a rate, the
 * next request leaves when an answer arrives.
 */
abstract class LoadConnection extends ChannelInboundHandlerAdapter {
    /** The longest latency that is told apart. */
    private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(1);

    /** Waking up more often than this costs more than it gains. */
    private static final long LEAST_WAIT_NANOS = 50_000;

    private static final int MOST_PER_WRITE = 256;

    private final LoadTally tally;
    private final double gapNanos;
    private final int keys;
    private final @Nullable Zipf zipf;
    private final SplittableRandom random;
    private final Runnable wake = this::wake;
    private double due;
    private int inFlight;
    private boolean started;
    private boolean stopped;
    /** The moment after which nothing becomes due. */
    private long end = Long.MAX_VALUE;

    private boolean scheduled;
    private @Nullable Channel channel;

    LoadConnection(LoadSettings settings, LoadTally tally, int number) {
        this.tally = tally;
        this.gapNanos = settings.rate() == 0 ? 0 : 1e9 * settings.connections() / settings.rate();
        this.keys = settings.keys();
        this.zipf = settings.zipf() > 0 && keys > 1 ? new Zipf(keys, settings.zipf()) : null;
        this.random = new SplittableRandom(number + 1L);
    }

    /** How many more requests may be sent now. */
    abstract int room(int inFlight);

    /** Appends a request with {@code key} to {@code to}; it is due at {@code dueNanos}. */
    abstract void write(int key, long dueNanos, ByteBuf to);

    /** Whether the connection is ready for requests. */
    abstract boolean isReady();

    static SingleWriterRecorder recorder() {
        return new SingleWriterRecorder(LONGEST_MICROS, 3);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        channel = ctx.channel();
        opened(ctx);
    }

    /** Called once, when the connection is open. */
    abstract void opened(ChannelHandlerContext ctx);

    private void wake() {
        scheduled = false;
        send();
    }

    /** Sends what is due, and schedules the next. */
    final void send() {
        Channel to = channel;
        if (to == null || !started || stopped || !isReady()) {
            return;
        }
        long now = Math.min(end, System.nanoTime());
        ByteBuf buffer = null;
        int room = room(inFlight);
        int sent = 0;
        while (room > 0 && sent < MOST_PER_WRITE && (gapNanos == 0 ? end == Long.MAX_VALUE : due <= now)) {
            if (buffer == null) {
                buffer = to.alloc().directBuffer(1 << 13);
            }
            int key = keys == 1 ? 0 : zipf == null ? random.nextInt(keys) : zipf.next(random);
            write(key, gapNanos == 0 ? now : (long) due, buffer);
            due += gapNanos;
            inFlight++;
            sent++;
            room--;
        }
        if (buffer != null) {
            var unused = to.writeAndFlush(buffer, to.voidPromise());
        }
        if (sent == MOST_PER_WRITE) {
            to.eventLoop().execute(this::send);
        } else if (gapNanos > 0 && room > 0 && !scheduled && end == Long.MAX_VALUE) {
            scheduled = true;
            long wait = Math.max(LEAST_WAIT_NANOS, (long) due - System.nanoTime());
            var unused = to.eventLoop().schedule(wake, wait, TimeUnit.NANOSECONDS);
        }
    }

    /** Records an answer to a request that was due at {@code dueNanos}. */
    final void answered(long dueNanos, LoadTally.Answer answer) {
        inFlight--;
        tally.add(answer, Math.min(LONGEST_MICROS, (System.nanoTime() - dueNanos) / 1_000));
    }

    /** Begins to send. */
    final void start() {
        // Connections take turns within the first gap.
        due = System.nanoTime() + random.nextDouble() * gapNanos;
        started = true;
        send();
    }

    /** Lets nothing become due from now on. Requests that are due already are still sent. */
    final void end() {
        end = System.nanoTime();
        send();
    }

    /** How many requests are due or sent, and have no answer. */
    final long unanswered() {
        return inFlight + (stopped ? 0 : overdue());
    }

    private long overdue() {
        return gapNanos > 0 && started && due <= end ? (long) ((end - due) / gapNanos) + 1 : 0;
    }

    /** Sends nothing more. Requests that were due and were not sent are charged with the time that they waited. */
    final void stop() {
        long now = System.nanoTime();
        for (long left = unanswered() - inFlight; left > 0; left--) {
            tally.unsent(Math.min(LONGEST_MICROS, (now - (long) due) / 1_000));
            due += gapNanos;
        }
        stopped = true;
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (!stopped) {
            stopped = true;
            tally.lost(inFlight, "the service closed a connection");
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!stopped) {
            stopped = true;
            tally.lost(inFlight, String.valueOf(cause.getMessage()));
        }
        var unused = ctx.close();
    }
}
