package dev.weir.server.attack;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.weir.server.GrpcCaller;
import dev.weir.server.HttpCaller;
import dev.weir.server.StallMeter;
import dev.weir.server.grpc.RawPeer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/**
 * A well-behaved caller that asks all the time: over gRPC, over REST, and over connections that it opens anew. Over REST it
 * also counts by itself what is left of its limit: the server may neither forget a request of it nor count another's.
 */
final class SteadyCaller implements AutoCloseable {
    private static final int PERIOD_MILLIS = 25;

    /** One way of asking. */
    private interface Ask {
        void ask() throws Exception;
    }

    private final GrpcCaller grpc;
    private final HttpCaller http;
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(4, work -> {
        Thread thread = new Thread(work, "steady caller");
        thread.setDaemon(true);
        return thread;
    });
    private final StallMeter stalls = new StallMeter();
    private final Map<String, Long> slowest = new ConcurrentHashMap<>();
    private final Map<String, Integer> asked = new ConcurrentHashMap<>();
    private final List<String> failures = new CopyOnWriteArrayList<>();
    /** The rest of its limit over REST; -1 if that is not known. */
    private long left = -1;

    private SteadyCaller(AttackedServer server, GrpcCaller grpc) {
        this.grpc = grpc;
        http = new HttpCaller(server.http);
    }

    static SteadyCaller of(AttackedServer server, GrpcCaller grpc) {
        SteadyCaller caller = new SteadyCaller(server, grpc);
        byte[] prefixed = RawPeer.message("steady");
        byte[] message = Arrays.copyOfRange(prefixed, 5, prefixed.length);
        caller.every("gRPC", () -> caller.grpc.call(message));
        caller.every("REST", caller::check);
        caller.every("new HTTP connection", () -> fresh(server.http, "/healthcheck"));
        caller.every("new admin connection", () -> fresh(server.admin, "/version"));
        return caller;
    }

    /** Asks over REST; by one thread at a time. */
    private void check() throws Exception {
        long before = left;
        left = -1;
        HttpResponse<String> answer = http.post(
                "/v1/ratelimit/check",
                new JsonObject()
                        .put("user_id", "steady")
                        .put("endpoint", "/steady")
                        .encode(),
                "X-Weir-Priority",
                "critical"); // counts where the server trusts it
        if (answer.statusCode() != 200) {
            throw new IllegalStateException("status " + answer.statusCode());
        }
        long now = new JsonObject(answer.body()).getLong("remaining");
        if (before >= 0 && now != before - 1) {
            throw new IllegalStateException("remaining " + now + " after " + before);
        }
        left = now;
    }

    private static void fresh(int port, String path) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000); // how long it may take, the case judges
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nConnection: close\r\n\r\n")
                            .getBytes(US_ASCII));
            String answer = new String(socket.getInputStream().readNBytes(12), US_ASCII);
            if (!answer.equals("HTTP/1.1 200")) {
                throw new IllegalStateException("answer \"" + answer + "\"");
            }
        }
    }

    /** The longest that this machine was too busy to run a thread. */
    long stallMillis() {
        return stalls.longestMillis();
    }

    private void every(String what, Ask ask) {
        var unused = threads.scheduleWithFixedDelay(() -> once(what, ask), 0, PERIOD_MILLIS, MILLISECONDS);
    }

    private void once(String what, Ask ask) {
        long began = System.nanoTime();
        try {
            ask.ask();
        } catch (Exception e) {
            if (!threads.isShutdown() && failures.size() < 20) {
                failures.add(what + ": " + e);
            }
        }
        slowest.merge(what, System.nanoTime() - began, Math::max);
        asked.merge(what, 1, Integer::sum);
    }

    /** Forgets what was. */
    void reset() {
        stalls.reset();
        failures.clear();
        slowest.clear();
        asked.clear();
    }

    /** The fewest answers to one way of asking. */
    int answers() {
        return asked.size() < 4
                ? 0
                : asked.values().stream().mapToInt(each -> each).min().orElse(0);
    }

    /** The longest that an answer took. */
    long slowestMillis() {
        return NANOSECONDS.toMillis(
                slowest.values().stream().mapToLong(each -> each).max().orElse(0));
    }

    List<String> failures() {
        return List.copyOf(failures);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        slowest.forEach((what, nanos) -> text.append(what)
                .append(" slowest ")
                .append(NANOSECONDS.toMillis(nanos))
                .append(" ms of ")
                .append(asked.get(what))
                .append("; "));
        return text + "machine stalled " + stallMillis() + " ms; failures " + failures;
    }

    @Override
    public void close() {
        threads.shutdownNow();
        stalls.close();
        grpc.close();
    }
}
