package dev.weir.server.memory;

import io.netty.channel.Channel;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Bounds the connections of one port: all of them together, and those of one peer address. */
public final class ConnectionLimit {
    private final String port;
    private final int most;
    private final int mostOfAddress;
    private final ClosedConnections closed;
    private final AtomicInteger open = new AtomicInteger();
    private final ConcurrentMap<String, Integer> openOf = new ConcurrentHashMap<>();

    /** {@code port} is its name in the log. */
    public ConnectionLimit(String port, int most, int mostOfAddress, ClosedConnections closed) {
        this.port = port;
        this.most = most;
        this.mostOfAddress = mostOfAddress;
        this.closed = closed;
    }

    /** Counts a new connection until it closes. Returns null, or what the peer is told if there is no room for it. */
    public @Nullable String admit(Channel channel) {
        String address = PeerAddress.of(channel.remoteAddress());
        int all = open.incrementAndGet();
        int ofAddress = openOf.merge(address, 1, Integer::sum);
        channel.closeFuture().addListener(gone -> {
            open.decrementAndGet();
            openOf.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
        });
        if (ofAddress > mostOfAddress) {
            return refuse(
                    CloseReason.ADDRESS_CONNECTIONS,
                    "connections of " + address + ": more than " + mostOfAddress + " are open");
        }
        return all > most ? refuse(CloseReason.CONNECTIONS, "connections: more than " + most + " are open") : null;
    }

    private String refuse(CloseReason reason, String detail) {
        closed.add(reason, 1, port + ": " + detail);
        return detail;
    }
}
