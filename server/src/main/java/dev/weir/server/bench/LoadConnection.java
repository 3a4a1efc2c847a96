package dev.weir.server.bench;

import dev.weir.simulation.traffic.Zipf;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a service. Everything happens on its event loop.
 *
 * <p>With a rate, a request is due at a moment that does not depend on answers, and its latency counts from then: a service that
 * stalls is charged for every request that it kept waiting, also for those that could not be sent. Without a rate, the
 * next request leaves when an answer arrives.
 *
 * <p>A service may end a connection in an orderly way, as one does that drains connections by their age. A successor then takes
 * over what becomes due, and the requests that the service did not process.
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
    private final Opener opener;
    private double due;
    /** When the requests were due that another connection sent, and its service did not process. */
    private long[] again = {};

    private int againSize;
    private int inFlight;
    private boolean answered;
    /** Whether the connection before this one ended without an answer. */
    private boolean secondTry;

    private boolean started;
    private boolean stopped;
    /** The moment after which nothing becomes due. */
    private long end = Long.MAX_VALUE;

    private boolean scheduled;
    private @Nullable Channel channel;
    private @Nullable LoadConnection next;

    /** Opens channels for connections that take over from others. */
    interface Opener {
        /** Opens a channel for {@code connection} on the event loop of {@code ended}, or tells {@code failed} why not. */
        void open(LoadConnection connection, Channel ended, Consumer<Throwable> failed);
    }

    LoadConnection(LoadSettings settings, LoadTally tally, int number, Opener opener) {
        this.tally = tally;
        this.opener = opener;
        this.gapNanos = settings.rate() == 0 ? 0 : 1e9 * settings.connections() / settings.rate();
        this.keys = settings.keys();
        this.zipf = settings.zipf() > 0 && keys > 1 ? new Zipf(keys, settings.zipf()) : null;
        this.random = new SplittableRandom(number + 1L);
    }

    /** Takes over from {@code before}, on its event loop. */
    LoadConnection(LoadConnection before) {
        tally = before.tally;
        opener = before.opener;
        gapNanos = before.gapNanos;
        keys = before.keys;
        zipf = before.zipf;
        random = before.random;
        due = before.due;
        again = before.again;
        againSize = before.againSize;
        secondTry = !before.answered;
        started = before.started;
        stopped = before.stopped;
        end = before.end;
        before.again = new long[0];
        before.againSize = 0;
    }

    /** A connection of the same kind that takes over from this one. */
    LoadConnection successor() {
        throw new IllegalStateException("this protocol has no orderly end");
    }

    /** Sends nothing more here, because the service asks for that, and goes on with another connection. */
    final void retire() {
        if (next != null) {
            return;
        }
        Channel ended = Objects.requireNonNull(channel);
        if (!answered && secondTry) {
            throw new IllegalStateException("the service ends connections before it answers anything (GOAWAY)");
        }
        LoadConnection successor = successor();
        next = successor;
        if (!stopped) {
            opener.open(successor, ended, successor::refused);
        }
    }

    private void refused(Throwable cause) {
        failed("the service ended a connection, and accepts no other: " + cause.getMessage());
    }

    /** Hands a request to the successor that was due at {@code dueNanos} and that the service did not process. */
    final void unprocessed(long dueNanos) {
        inFlight--;
        Objects.requireNonNull(next).sendAgain(dueNanos);
    }

    private void sendAgain(long dueNanos) {
        LoadConnection after = next;
        if (after != null) {
            after.sendAgain(dueNanos);
            return;
        }
        if (againSize == again.length) {
            again = Arrays.copyOf(again, Math.max(64, againSize * 2));
        }
        again[againSize++] = dueNanos;
        send();
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
        if (to == null || !started || stopped || next != null || !isReady()) {
            return;
        }
        long now = Math.min(end, System.nanoTime());
        ByteBuf buffer = null;
        int room = room(inFlight);
        int sent = 0;
        while (room > 0
                && sent < MOST_PER_WRITE
                && (againSize > 0 || (gapNanos == 0 ? end == Long.MAX_VALUE : due <= now))) {
            if (buffer == null) {
                buffer = to.alloc().directBuffer(1 << 13);
            }
            int key = keys == 1 ? 0 : zipf == null ? random.nextInt(keys) : zipf.next(random);
            if (againSize > 0) {
                write(key, again[--againSize], buffer);
            } else {
                write(key, gapNanos == 0 ? now : (long) due, buffer);
                due += gapNanos;
            }
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
        answered = true;
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
        if (next != null) {
            next.end();
        }
    }

    /** How many requests are due or sent, and have no answer. */
    final long unanswered() {
        return inFlight + (next != null ? next.unanswered() : stopped ? 0 : againSize + overdue());
    }

    private long overdue() {
        return gapNanos > 0 && started && due <= end ? (long) ((end - due) / gapNanos) + 1 : 0;
    }

    /** Sends nothing more. Requests that were due and were not sent are charged with the time that they waited. */
    final void stop() {
        if (next != null) {
            next.stop();
        } else if (!stopped) {
            long now = System.nanoTime();
            while (againSize > 0) {
                tally.unsent(Math.min(LONGEST_MICROS, (now - again[--againSize]) / 1_000));
            }
            for (long left = overdue(); left > 0; left--) {
                tally.unsent(Math.min(LONGEST_MICROS, (now - (long) due) / 1_000));
                due += gapNanos;
            }
        }
        stopped = true;
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (next == null || inFlight > 0) {
            failed("the service closed a connection");
        }
    }

    /** Counts what has no answer as lost, because this connection is gone. */
    private void failed(String why) {
        if (!stopped) {
            stopped = true;
            tally.lost(inFlight + againSize, why);
            inFlight = 0;
            againSize = 0;
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        failed(String.valueOf(cause.getMessage()));
        var unused = ctx.close();
    }
}
