package dev.weir.remote.internal;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.model.MutableDecision;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The local tier in front of a server: the leases of requests that meet {@code leased} rules alone, by what the request
 * says. Which rules allow it the server decides, and tells with each answer. Thread-safe.
 */
final class RequestLeases {
    /** The most kinds of requests with a lease; the others are asked one by one. */
    private static final int MOST = 10_000;

    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final RequestLease.Grantor server;
    private final TimeSource time;
    private final Map<RequestKey, RequestLease> leases = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** A request as it is sent. */
    private static final class RequestKey {
        private final byte[] bytes;
        private final int hash;

        RequestKey(byte[] bytes) {
            this.bytes = bytes;
            this.hash = Arrays.hashCode(bytes);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof RequestKey that && hash == that.hash && Arrays.equals(bytes, that.bytes);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    RequestLeases(RequestLease.Grantor server, TimeSource time) {
        this.server = server;
        this.time = time;
    }

    /** Pays for the request in {@code message}; null if it has to be asked. */
    @Nullable
    LeasedHits spend(byte[] message, long now) {
        if (leases.isEmpty()) {
            return null;
        }
        RequestLease lease = leases.get(new RequestKey(message));
        return lease == null ? null : lease.spend(now);
    }

    /**
     * Hears the server's answer to {@code request}, which was asked by itself as {@code message}.
     *
     * @param leaseMicros how long leased hits should last; 0 if the server grants none ahead
     */
    void heard(Request request, byte[] message, MutableDecision answer, long leaseMicros) {
        if (closed || !answer.allowed() || (leaseMicros == 0 && leases.isEmpty())) {
            return;
        }
        RequestKey key = new RequestKey(message);
        RequestLease lease = leases.get(key);
        if (leaseMicros == 0) {
            if (lease != null && !answer.degraded() && leases.remove(key, lease)) {
                lease.close(); // the rules have changed
            }
            return;
        }
        if (lease == null && leases.size() < MOST && takesOneHit(request)) {
            lease = leases.computeIfAbsent(key, ignored -> new RequestLease(server, time, request));
        }
        if (lease != null) {
            lease.allowed(TimeUnit.MICROSECONDS.toNanos(leaseMicros), RequestLease.remaining(answer));
        }
    }

    private static boolean takesOneHit(Request request) {
        boolean plain = !request.takesNothing()
                && request.takesPermits()
                && !request.isChargedInFull()
                && request.units().isEmpty()
                && request.descriptors() > 0;
        for (int i = 0; plain && i < request.descriptors(); i++) {
            plain = !request.hasOwnHits(i) && request.override(i) == null && request.hitsOf(i) == 1;
        }
        return plain;
    }

    /** Gives expired hits back, and forgets requests that nobody makes any more; called now and then by one thread. */
    void sweep() {
        long now = time.nanos();
        leases.forEach((key, lease) -> {
            if (lease.isIdle(now, FORGET_NANOS) && leases.remove(key, lease)) {
                lease.close();
            }
        });
    }

    /** Gives all hits back; returns whether anything was sent. */
    boolean close() {
        closed = true;
        boolean sent = false;
        for (RequestLease each : leases.values()) {
            sent |= each.close();
        }
        leases.clear();
        return sent;
    }
}
