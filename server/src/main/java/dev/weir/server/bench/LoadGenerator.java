package dev.weir.server.bench;

import dev.weir.server.bench.LoadReport.Point;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpResponseDecoder;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Opens connections to a service, loads it, and measures. */
public final class LoadGenerator implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5_000;
    private static final long LAST_ANSWERS_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int POINTS = 120;
    private static final long LEAST_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final EventLoopGroup loops;
    private final Bootstrap bootstrap;
    private final LoadTarget target;
    private final List<LoadConnection> connections = new ArrayList<>();
    private final List<Channel> channels = new ArrayList<>();
    private final List<LoadTally> tallies = new ArrayList<>();
    private boolean started;

    /**
     * Opens all connections.
     *
     * @throws IOException if one cannot be opened
     */
    public LoadGenerator(LoadSettings settings) throws IOException, InterruptedException {
        boolean epoll = Epoll.isAvailable();
        loops = new MultiThreadIoEventLoopGroup(
                settings.threads(), epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        bootstrap = new Bootstrap()
                .group(loops)
                .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS);
        target = settings.target();
        for (int i = 0; i < settings.connections(); i++) {
            LoadTally tally = new LoadTally();
            LoadConnection connection = target.grpc()
                    ? new GrpcLoadConnection(settings, tally, i, this::open)
                    : new HttpLoadConnection(settings, tally, i, this::open);
            ChannelFuture opened = connect(bootstrap.clone(), connection).await();
            if (!opened.isSuccess()) {
                close();
                Throwable cause = Objects.requireNonNull(opened.cause());
                throw new IOException(String.valueOf(cause.getMessage()), cause);
            }
            channels.add(opened.channel());
            connections.add(connection);
            tallies.add(tally);
        }
    }

    private ChannelFuture connect(Bootstrap with, LoadConnection connection) {
        return with.handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (!target.grpc()) {
                            channel.pipeline().addLast(new HttpResponseDecoder());
                        }
                        channel.pipeline().addLast(connection);
                    }
                })
                .connect(target.host(), target.port());
    }

    private void open(LoadConnection connection, Channel ended, Consumer<Throwable> failed) {
        var unused = connect(bootstrap.clone(ended.eventLoop()), connection).addListener(opened -> {
            if (!opened.isSuccess()) {
                failed.accept(Objects.requireNonNull(opened.cause()));
            }
        });
    }

    /** Loads without measuring. */
    public void warmUp(Duration time) throws InterruptedException {
        if (time.isZero()) {
            return;
        }
        start();
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }

    /** Measures for {@code time}, stops the load, and waits for the last answers; {@code progress} is told each second. */
    public LoadReport measure(Duration time, Consumer<Point> progress) throws InterruptedException {
        long allowedBefore = sum(LoadTally::allowed);
        long deniedBefore = sum(LoadTally::denied);
        long errorsBefore = sum(LoadTally::errors);
        long interval = Math.max(LEAST_INTERVAL_NANOS, time.toNanos() / POINTS);
        Histogram all = drained();
        all.reset();
        Histogram second = all.copy();
        List<Point> series = new ArrayList<>();
        long cpu = cpuNanos();
        start();
        long start = System.nanoTime();
        long end = start + time.toNanos();
        long last = start;
        long told = start;
        long answeredSoFar = 0;
        for (long next = start + interval; last < end; next += interval) {
            TimeUnit.NANOSECONDS.sleep(Math.min(next, end) - System.nanoTime());
            long now = System.nanoTime();
            Histogram drained = drained();
            long answered = sum(LoadTally::allowed) + sum(LoadTally::denied) - allowedBefore - deniedBefore;
            series.add(point(drained, answered - answeredSoFar, now - last));
            answeredSoFar = answered;
            all.add(drained);
            second.add(drained);
            last = now;
            if (now - told >= TimeUnit.SECONDS.toNanos(1)) {
                progress.accept(point(second, second.getTotalCount(), now - told));
                second.reset();
                told = now;
            }
        }
        double seconds = (last - start) / 1e9;
        double spent = (cpuNanos() - cpu) / 1e9;
        long allowed = sum(LoadTally::allowed) - allowedBefore;
        long denied = sum(LoadTally::denied) - deniedBefore;
        stop();
        all.add(drained());
        long errors = sum(LoadTally::errors) - errorsBefore + unanswered();
        return new LoadReport(seconds, allowed + denied, allowed, denied, errors, all, series, spent, problem());
    }

    private static Point point(Histogram latencies, long answered, long nanos) {
        return new Point(
                answered * 1e9 / nanos,
                latencies.getValueAtPercentile(50),
                latencies.getValueAtPercentile(99),
                latencies.getValueAtPercentile(99.9));
    }

    private void start() throws InterruptedException {
        if (!started) {
            started = true;
            onEach(LoadConnection::start);
        }
    }

    /** Lets nothing become due any more, waits for the last answers, and charges for those that did not come. */
    private void stop() throws InterruptedException {
        onEach(LoadConnection::end);
        long until = System.nanoTime() + LAST_ANSWERS_NANOS;
        while (unanswered() > 0 && System.nanoTime() < until) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        onEach(LoadConnection::stop);
    }

    private void onEach(Consumer<LoadConnection> task) throws InterruptedException {
        for (int i = 0; i < channels.size(); i++) {
            LoadConnection connection = connections.get(i);
            channels.get(i).eventLoop().submit(() -> task.accept(connection)).await();
        }
    }

    /** Requests without an answer; those of connections that were lost are counted as errors already. */
    private long unanswered() throws InterruptedException {
        long unanswered = 0;
        for (int i = 0; i < channels.size(); i++) {
            unanswered += channels.get(i)
                    .eventLoop()
                    .submit(connections.get(i)::unanswered)
                    .await()
                    .getNow();
        }
        return unanswered;
    }

    private long sum(ToLongFunction<LoadTally> of) {
        return tallies.stream().mapToLong(of).sum();
    }

    private Histogram drained() {
        Histogram all = new Histogram(LoadConnection.recorder().getIntervalHistogram());
        all.reset();
        tallies.forEach(each -> each.drainTo(all));
        return all;
    }

    private @Nullable String problem() {
        return tallies.stream()
                .map(LoadTally::problem)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static long cpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
    }

    @Override
    public void close() {
        for (Channel each : channels) {
            var unused = each.close();
        }
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
