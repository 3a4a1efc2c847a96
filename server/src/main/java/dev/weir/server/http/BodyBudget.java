package dev.weir.server.http;

import io.vertx.core.http.HttpConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the request bodies of a port: the size of each, the memory of all incomplete ones, and the part of it that one
 * connection may use.
 */
public final class BodyBudget {
    private static final long MAX_BYTES = 32 << 20;
    private static final int SHARES = 16;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final int cap;
    private final long maxBytes;
    private final Duration timeout;
    private final AtomicLong kept = new AtomicLong();
    private final Map<HttpConnection, Long> keptByConnection = new ConcurrentHashMap<>();

    /** Allows bodies of up to {@code cap} bytes. */
    public BodyBudget(int cap) {
        this(cap, MAX_BYTES, TIMEOUT);
    }

    BodyBudget(int cap, long maxBytes, Duration timeout) {
        this.cap = cap;
        this.maxBytes = maxBytes;
        this.timeout = timeout;
    }

    /** The longest body, in bytes. */
    int cap() {
        return cap;
    }

    /** The time until a body must be complete. */
    Duration timeout() {
        return timeout;
    }

    /** The bytes of all incomplete requests. */
    long kept() {
        return kept.get();
    }

    /** Reserves {@code bytes} for a connection; returns whether they fit. */
    boolean reserve(HttpConnection connection, int bytes) {
        charge(connection, bytes);
        long own = keptByConnection.merge(connection, (long) bytes, Long::sum);
        return kept.addAndGet(bytes) <= maxBytes && own <= maxBytes / SHARES + cap;
    }

    void release(HttpConnection connection, int bytes) {
        charge(connection, -bytes);
        keptByConnection.computeIfPresent(connection, (of, own) -> own == bytes ? null : own - bytes);
        kept.addAndGet(-bytes);
    }

    private static void charge(HttpConnection connection, int bytes) {
        HttpConnectionMeter meter = HttpConnectionMeter.of(connection);
        if (meter != null) {
            meter.bodies(bytes);
        }
    }
}
