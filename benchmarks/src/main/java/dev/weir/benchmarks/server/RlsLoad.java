package dev.weir.benchmarks.server;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** Callers of ShouldRateLimit that ask again as soon as they have an answer, and report the limit of each answer. */
final class RlsLoad implements AutoCloseable {
    private static final String METHOD = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
    private static final int CONNECTIONS = 2;

    private final Vertx vertx = Vertx.vertx();
    private final HttpClientAgent client;
    private final int port;
    private final Buffer message;
    private final LongConsumer limits;
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private volatile boolean stopped;

    /**
     * Starts {@code callers} that ask for one counter of {@code key} in {@code domain}; {@code limits} gets the limit
     * of every answer.
     */
    RlsLoad(int port, int callers, String domain, String key, LongConsumer limits) {
        this.port = port;
        this.limits = limits;
        Buffer entry = text(1, key).appendBuffer(text(2, "load"));
        Buffer request = text(1, domain).appendBuffer(field(2, field(1, entry)));
        message =
                Buffer.buffer().appendByte((byte) 0).appendInt(request.length()).appendBuffer(request);
        client = vertx.createHttpClient(
                new HttpClientOptions()
                        .setProtocolVersion(HttpVersion.HTTP_2)
                        .setHttp2ClearTextUpgrade(false)
                        .setHttp2MultiplexingLimit(callers / CONNECTIONS),
                new PoolOptions().setHttp2MaxSize(CONNECTIONS));
        for (int i = 0; i < callers; i++) {
            ask();
        }
    }

    long answered() {
        return answered.get();
    }

    /** Calls that did not end with an answer and the status OK. */
    long failed() {
        return failed.get();
    }

    private void ask() {
        Future<Buffer> answer = client.request(HttpMethod.POST, port, "127.0.0.1", METHOD)
                .compose(request -> request.putHeader("content-type", "application/grpc")
                        .putHeader("te", "trailers")
                        .send(message))
                .compose(response -> response.body().map(body -> checked(response, body)));
        var unused = answer.onComplete(done -> {
            if (stopped) {
                return;
            }
            if (done.failed()) {
                if (failed.incrementAndGet() == 1) {
                    System.err.println("the first call that failed: " + done.cause());
                }
            } else {
                answered.incrementAndGet();
                limits.accept(limit(done.result()));
            }
            ask();
        });
    }

    private static Buffer checked(HttpClientResponse response, Buffer body) {
        String status = response.getTrailer("grpc-status");
        if (response.statusCode() != 200 || !"0".equals(status)) {
            throw new IllegalStateException(
                    "status " + response.statusCode() + ", grpc-status " + status + " (expected: 200, 0)");
        }
        return body;
    }

    /** The requests_per_unit of the only status: field 1 of field 2 of field 2. */
    private static long limit(Buffer body) {
        int status = find(body, 5, 2);
        int limit = find(body, status, 2);
        return number(body, find(body, limit, 1));
    }

    /** Where the content of the first field {@code number} begins in the message at {@code from}. */
    private static int find(Buffer body, int from, int number) {
        int at = from;
        while (body.getByte(at) >> 3 != number) {
            int kind = body.getByte(at++) & 7;
            int length = kind == 2 ? (int) number(body, at) : 0;
            while (body.getByte(at++) < 0) {}
            at += length;
        }
        int content = at + 1;
        if ((body.getByte(at) & 7) == 2) {
            while (body.getByte(content++) < 0) {}
        }
        return content;
    }

    private static long number(Buffer body, int from) {
        long value = 0;
        for (int at = from, shift = 0; ; at++, shift += 7) {
            value |= (body.getByte(at) & 0x7FL) << shift;
            if (body.getByte(at) >= 0) {
                return value;
            }
        }
    }

    private static Buffer text(int number, String text) {
        return field(number, Buffer.buffer(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static Buffer field(int number, Buffer content) {
        return Buffer.buffer()
                .appendByte((byte) (number << 3 | 2))
                .appendByte((byte) content.length())
                .appendBuffer(content);
    }

    @Override
    public void close() {
        stopped = true;
        vertx.close()
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }
}
