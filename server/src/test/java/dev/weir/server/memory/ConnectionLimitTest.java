package dev.weir.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

@SuppressWarnings("AddressSelection") // addresses, not names
class ConnectionLimitTest {
    private final AtomicLong nanos = new AtomicLong();
    private final ClosedConnections closed = new ClosedConnections(nanos::get);
    private final ConnectionLimit limit = new ConnectionLimit("gRPC", 3, 2, closed);

    @Test
    void oneAddressCannotTakeAllConnections() {
        EmbeddedChannel first = from("10.0.0.1");
        assertThat(limit.admit(first)).isNull();
        assertThat(limit.admit(from("10.0.0.1"))).isNull();
        refusedAndClosed("10.0.0.1", "too many connections from 10.0.0.1 (expected: <= 2)");
        assertThat(limit.admit(from("10.0.0.2"))).isNull();
        refusedAndClosed("10.0.0.3", "too many connections (expected: <= 3)");
        first.close().syncUninterruptibly();
        assertThat(limit.admit(from("10.0.0.3"))).isNull();
        assertThat(closed.count(CloseReason.ADDRESS_CONNECTIONS)).isEqualTo(1);
        assertThat(closed.count(CloseReason.CONNECTIONS)).isEqualTo(1);
    }

    private void refusedAndClosed(String address, String why) {
        EmbeddedChannel channel = from(address);
        assertThat(limit.admit(channel)).isEqualTo(why);
        channel.close().syncUninterruptibly();
    }

    private static EmbeddedChannel from(String address) {
        return new EmbeddedChannel() {
            @Override
            protected SocketAddress remoteAddress0() {
                return new InetSocketAddress(address, 1);
            }
        };
    }
}
