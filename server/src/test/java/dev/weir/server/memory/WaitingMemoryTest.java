package dev.weir.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.junit.jupiter.api.Test;

class WaitingMemoryTest {
    private final WaitingMemory memory = new WaitingMemory(1_000);

    private static SocketAddress peer(int last) throws Exception {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last}), 1234 + last);
    }

    @Test
    void oneAddressHasHalf() throws Exception {
        assertThat(memory.take(peer(1), 400)).isTrue();
        assertThat(memory.take(peer(1), 101)).isFalse();
        assertThat(memory.take(peer(1), 100)).isTrue();
        assertThat(memory.take(peer(2), 500)).isTrue();
        assertThat(memory.take(peer(3), 1)).as("all is taken").isFalse();
        assertThat(memory.held()).isEqualTo(1_000);
    }

    @Test
    void whatIsGivenBackCanBeTaken() throws Exception {
        assertThat(memory.take(peer(1), 500)).isTrue();
        memory.giveBack(peer(1), 300);
        assertThat(memory.take(peer(1), 300)).isTrue();
        memory.giveBack(peer(1), 300);
        memory.giveBack(peer(1), 200);
        assertThat(memory.held()).isZero();
    }
}
