package dev.weir.server.http;

import io.vertx.core.http.HttpConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bounds on the bodies of a port: on each, on what is kept of all that are not whole yet, and on how much of that one
 * connection may take.
 */
public final class BodyBudget {
    private static final long MOST = 32 << 20;
    private static final int SHARES = 16;
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final int cap;
    private final long most;
    private final Duration longest;
    private final AtomicLong kept = new AtomicLong();
    private final Map<HttpConnection, Long> keptOf = new ConcurrentHashMap<>();

    /** Bodies of up to {@code cap} bytes. */
    public BodyBudget(int cap) {
        this(cap, MOST, LONGEST);
    }

    BodyBudget(int cap, long most, Duration longest) {
        this.cap = cap;
        this.most = most;
        this.longest = longest;
    }

    /** Bytes that a body may have. */
    int cap() {
        return cap;
    }

    /** The time that a body may take. */
    Duration longest() {
        return longest;
    }

    /** Bytes of all requests that are not whole yet. */
    long kept() {
        return kept.get();
    }

    /** Keeps so many bytes more of a connection; whether there is room for them. */
    boolean keep(HttpConnection connection, int bytes) {
        charge(connection, bytes);
        long own = keptOf.merge(connection, (long) bytes, Long::sum);
        return kept.addAndGet(bytes) <= most && own <= most / SHARES + cap;
    }

    void letGo(HttpConnection connection, int bytes) {
        charge(connection, -bytes);
        keptOf.computeIfPresent(connection, (of, own) -> own == bytes ? null : own - bytes);
        kept.addAndGet(-bytes);
    }

    private static void charge(HttpConnection connection, int bytes) {
        HttpConnectionMeter meter = HttpConnectionMeter.of(connection);
        if (meter != null) {
            meter.bodies(bytes);
        }
    }
}
