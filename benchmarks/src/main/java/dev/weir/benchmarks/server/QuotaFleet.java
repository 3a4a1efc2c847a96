package dev.weir.benchmarks.server;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Measures the quota service under 500 simulated Envoys with 100,000 buckets, 20,000 names of which each is on five Envoys:
 * the CPU time of a reported bucket with all grants that follow, the memory of a bucket, and the time until a new bucket
 * has its first assignment. The server runs in a process of its own, with its counters in memory.
 *
 * <pre>{@code
 * MAIN=QuotaFleet benchmarks/run [ENVOYS [BUCKETS_OF_EACH [SECONDS]]]
 * }</pre>
 */
public final class QuotaFleet {
    private static final int HOSTS = 4;
    private static final String PATH = "/envoy.service.rate_limit_quota.v3.RateLimitQuotaService/StreamRateLimitQuotas";
    private static final int ON_ENVOYS = 5;
    private static final Duration REPORTS = Duration.ofSeconds(5);
    private static final long PROBE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** A server takes 16 lasting streams of one connection. */
    private static final int STREAMS_OF_CONNECTION = 15;

    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final int envoys;
    private final int ofEach;
    private final List<Stream> streams = new ArrayList<>();
    private final LongAdder actions = new LongAdder();

    private QuotaFleet(int envoys, int ofEach) {
        this.envoys = envoys;
        this.ofEach = ofEach;
    }

    /** One Envoy's stream. */
    private static final class Stream {
        final HttpClientRequest request;
        final byte[] first;
        final byte[] report;

        Stream(HttpClientRequest request, byte[] first, byte[] report) {
            this.request = request;
            this.first = first;
            this.report = report;
        }

        void send(byte[] message) {
            var unused = request.write(framed(message));
        }
    }

    public static void main(String[] args) throws Exception {
        int envoys = args.length > 0 ? Integer.parseInt(args[0]) : 500;
        int ofEach = args.length > 1 ? Integer.parseInt(args[1]) : 200;
        int seconds = args.length > 2 ? Integer.parseInt(args[2]) : 60;
        Vertx vertx = Vertx.vertx();
        try (ServerProcess server = ServerProcess.start("weir", List.of("-Xms4g", "-Xmx4g"))) {
            // No address may have all the buckets, so the Envoys have several, and the one that is measured its own.
            List<HttpClient> hosts = new ArrayList<>();
            for (int i = 0; i < HOSTS; i++) {
                hosts.add(client(vertx, "127.0.0." + (2 + i), envoys / HOSTS));
            }
            new QuotaFleet(envoys, ofEach).run(hosts, client(vertx, "127.0.0.1", 1), server, seconds);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
    }

    private static HttpClient client(Vertx vertx, String address, int streams) {
        return vertx.createHttpClient(
                new HttpClientOptions()
                        .setProtocolVersion(HttpVersion.HTTP_2)
                        .setHttp2ClearTextUpgrade(false)
                        .setHttp2MultiplexingLimit(STREAMS_OF_CONNECTION)
                        .setLocalAddress(address),
                new PoolOptions().setHttp2MaxSize(1 + streams / STREAMS_OF_CONNECTION));
    }

    private void run(List<HttpClient> hosts, HttpClient other, ServerProcess server, int seconds) throws Exception {
        long buckets = (long) envoys * ofEach;
        int names = (int) Math.max(1, buckets / ON_ENVOYS);
        for (int i = 0; i < envoys; i++) {
            streams.add(new Stream(
                    open(hosts.get(i % HOSTS), server.port(), chunk -> {}),
                    report(i, names, true),
                    report(i, names, false)));
        }
        long before = liveBytes(server.pid());
        long began = System.nanoTime();
        streams.forEach(each -> each.send(each.first));
        // A grant is two actions: deny all, then its tokens.
        await(() -> actions.sum() >= 2 * buckets);
        double assigned = (System.nanoTime() - began) / 1e9;
        System.out.printf(
                Locale.ROOT,
                "%,d buckets of %d Envoys at once: all assigned after %.1f s%n",
                buckets,
                envoys,
                assigned);
        Probe probe = new Probe();
        Stream asking = new Stream(open(other, server.port(), probe::answered), new byte[0], new byte[0]);
        report(seconds / 3, probe, asking); // for the JVM to compile it
        await(probe::isAnswered); // the server reads in order: all reports before were worked on
        probe.clear();
        long cpu = cpuNanos(server.pid());
        long reported = report(seconds, probe, asking);
        await(probe::isAnswered);
        double micros = (cpuNanos(server.pid()) - cpu) / 1e3 / reported;
        long after = liveBytes(server.pid());
        System.out.printf(
                Locale.ROOT,
                "%,d buckets reported in %d s: %.1f µs of CPU for each, with the grants that follow (%.0f %% of a core)%n",
                reported,
                seconds,
                micros,
                100 * micros * reported / 1e6 / seconds);
        System.out.printf(
                Locale.ROOT, "memory: %.0f bytes a bucket, with its counter%n", (after - before) / (double) buckets);
        long[] latencies = probe.sorted();
        System.out.printf(
                Locale.ROOT,
                "first assignments: %,d, median %.1f ms, p99 %.1f ms, worst %.1f ms%n",
                latencies.length,
                latencies[latencies.length / 2] / 1e6,
                latencies[latencies.length * 99 / 100] / 1e6,
                latencies[latencies.length - 1] / 1e6);
    }

    /** Lets each Envoy report every five seconds, spread evenly; {@code probe} asks on {@code asking}. Returns the buckets. */
    private long report(int seconds, Probe probe, Stream asking) {
        long reported = 0;
        long gap = REPORTS.toNanos() / envoys;
        long next = System.nanoTime();
        long nextProbe = next;
        long end = next + TimeUnit.SECONDS.toNanos(seconds);
        int turn = 0;
        while (next < end) {
            pauseUntil(Math.min(next, Math.max(nextProbe, System.nanoTime() + PROBE_NANOS / 20)));
            long now = System.nanoTime();
            if (now >= next) {
                Stream each = streams.get(turn++ % envoys);
                each.send(each.report);
                reported += ofEach;
                next += gap;
            }
            if (now >= nextProbe && probe.ask(asking)) {
                nextProbe = now + PROBE_NANOS;
            }
        }
        return reported;
    }

    private HttpClientRequest open(HttpClient client, int port, Consumer<Buffer> answered) throws Exception {
        CountDownLatch opened = new CountDownLatch(1);
        HttpClientRequest request = client.request(HttpMethod.POST, port, "127.0.0.1", PATH)
                .toCompletionStage()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
        request.exceptionHandler(failure -> {}); // the server ends before the streams do
        request.putHeader("content-type", "application/grpc")
                .putHeader("te", "trailers")
                .setChunked(true);
        var unused = request.response()
                .onSuccess(response -> response.exceptionHandler(failure -> {}).handler(chunk -> {
                    actions.add(count(chunk));
                    answered.accept(chunk);
                }));
        request.sendHead().onComplete(done -> opened.countDown());
        if (!opened.await(10, TimeUnit.SECONDS)) {
            throw new IOException("no stream after 10 s");
        }
        return request;
    }

    /** The actions in a part of an answer, counted by the time to live that each assignment begins with. */
    private static long count(Buffer chunk) {
        long count = 0;
        for (int i = 0; i + 3 < chunk.length(); i++) {
            // Field 2, four bytes or less, of which the first is a varint of field 1: 15 seconds.
            if (chunk.getByte(i) == 0x12
                    && chunk.getByte(i + 1) == 2
                    && chunk.getByte(i + 2) == 8
                    && chunk.getByte(i + 3) == 15) {
                count++;
            }
        }
        return count;
    }

    /** A bucket that no Envoy has yet, asked for again and again under other names. */
    private static final class Probe {
        private final List<Long> latencies = new ArrayList<>();
        private int asked;
        private byte[] wanted = {};
        private volatile long sentNanos;

        /** Asks for a new bucket; false if the last one has no assignment yet. */
        boolean ask(Stream stream) {
            if (sentNanos != 0) {
                return false;
            }
            String user = "probe-" + asked + "-";
            wanted = user.getBytes(StandardCharsets.UTF_8);
            byte[] message = asked == 0 ? join(domain(), usage(user, 1)) : usage(user, 1);
            asked++;
            sentNanos = System.nanoTime();
            stream.send(message);
            return true;
        }

        synchronized void answered(Buffer chunk) {
            long sent = sentNanos;
            if (sent != 0
                    && chunk.toString(StandardCharsets.ISO_8859_1)
                            .contains(new String(wanted, StandardCharsets.UTF_8))) {
                latencies.add(System.nanoTime() - sent);
                sentNanos = 0;
            }
        }

        boolean isAnswered() {
            return sentNanos == 0;
        }

        synchronized void clear() {
            latencies.clear();
        }

        synchronized long[] sorted() {
            return latencies.stream().mapToLong(Long::longValue).sorted().toArray();
        }
    }

    private byte[] report(int envoy, int names, boolean first) {
        List<byte[]> parts = new ArrayList<>();
        if (first) {
            parts.add(domain());
        }
        for (int i = 0; i < ofEach; i++) {
            parts.add(usage("user-" + (envoy * (long) ofEach + i) % names, first ? 1 : 10));
        }
        return join(parts.toArray(new byte[0][]));
    }

    private static byte[] domain() {
        return field(1, "bench".getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] usage(String user, int allowed) {
        byte[] entry = join(
                field(1, "user".getBytes(StandardCharsets.UTF_8)), field(2, user.getBytes(StandardCharsets.UTF_8)));
        byte[] bucket = field(1, field(1, entry));
        return field(2, join(bucket, new byte[] {3 << 3, (byte) allowed}));
    }

    /** A field of less than 128 bytes. */
    private static byte[] field(int number, byte[] content) {
        return join(new byte[] {(byte) (number << 3 | 2), (byte) content.length}, content);
    }

    private static byte[] join(byte[]... parts) {
        Buffer all = Buffer.buffer();
        Arrays.stream(parts).forEach(all::appendBytes);
        return all.getBytes();
    }

    private static Buffer framed(byte[] message) {
        return Buffer.buffer().appendByte((byte) 0).appendInt(message.length).appendBytes(message);
    }

    private static long cpuNanos(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(each -> each.info().totalCpuDuration())
                .orElseThrow()
                .toNanos();
    }

    /** The bytes of all live objects of a JVM, after a collection. */
    private static long liveBytes(long pid) throws IOException {
        Process jcmd = new ProcessBuilder("jcmd", Long.toString(pid), "GC.class_histogram").start();
        try (BufferedReader lines = jcmd.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("Total")) {
                    return Long.parseLong(line.trim().split("\\s+", -1)[2]);
                }
            }
        }
        throw new IOException("jcmd: no total (expected: the jcmd of a JDK on the PATH)");
    }

    private static void await(BooleanSupplier condition) throws IOException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new IOException("not after two minutes");
            }
            pauseUntil(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2));
        }
    }

    private static void pauseUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
