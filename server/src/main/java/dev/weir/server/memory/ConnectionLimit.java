package dev.weir.server.memory;

import io.netty.channel.Channel;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Bounds the connections of one port: all of them together, and those of one peer address. */
public final class ConnectionLimit {
    private final String port;
    private final int max;
    private final int maxPerAddress;
    private final ClosedConnections closed;
    private final AtomicInteger open = new AtomicInteger();
    private final ConcurrentMap<String, Integer> openByAddress = new ConcurrentHashMap<>();

    /** {@code port} is its name in the log. */
    public ConnectionLimit(String port, int max, int maxPerAddress, ClosedConnections closed) {
        this.port = port;
        this.max = max;
        this.maxPerAddress = maxPerAddress;
        this.closed = closed;
    }

    /** Counts a new connection until it closes. Returns null, or the message for the peer if a limit is exceeded. */
    public @Nullable String admit(Channel channel) {
        String address = PeerAddress.of(channel.remoteAddress());
        int all = open.incrementAndGet();
        int ofAddress = openByAddress.merge(address, 1, Integer::sum);
        channel.closeFuture().addListener(gone -> {
            open.decrementAndGet();
            openByAddress.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
        });
        if (ofAddress > maxPerAddress) {
            return refuse(
                    CloseReason.ADDRESS_CONNECTIONS,
                    "too many connections from " + address + " (expected: <= " + maxPerAddress + ")");
        }
        return all > max ? refuse(CloseReason.CONNECTIONS, "too many connections (expected: <= " + max + ")") : null;
    }

    private String refuse(CloseReason reason, String detail) {
        closed.add(reason, 1, port + ": " + detail);
        return detail;
    }
}
