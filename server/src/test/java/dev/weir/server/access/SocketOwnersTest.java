package dev.weir.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The user who owns the other end of a connection. */
class SocketOwnersTest {
    private static final String HEAD =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt" + "   uid  timeout inode\n";
    private static final int OWN = 1000;
    private static final SocketOwners.Ends ENDS = new SocketOwners.Ends("127.0.0.1", 40001, "127.0.0.1", 6070);

    @TempDir
    private Path proc;

    @Test
    void aConnectionOfThisProcessIsItsOwn() throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket(0, 1, loopback);
                Socket client = new Socket(loopback, server.getLocalPort())) {
            SocketOwners.Ends ends =
                    new SocketOwners.Ends("127.0.0.1", client.getLocalPort(), "127.0.0.1", server.getLocalPort());
            assertThat(SocketOwners.ofSystem().own(List.of(ends))).containsExactly(ends);
        }
    }

    @Test
    void theUserOfTheTableDecides() throws Exception {
        Assumptions.assumeTrue(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN, "the tables are written for it");
        assertThat(isOwn("0100007F:9C41 0100007F:17B6 01", OWN)).isTrue();
        assertThat(isOwn("0100007F:9C41 0100007F:17B6 01", 0)).as("root").isTrue();
        assertThat(isOwn("0100007F:9C41 0100007F:17B6 01", 33)).as("nginx").isFalse();
        assertThat(isOwn("0100007F:9C42 0100007F:17B6 01", OWN))
                .as("another connection")
                .isFalse();
        assertThat(isOwn("0100007F:9C41 0100007F:17B7 01", OWN))
                .as("to another port")
                .isFalse();
        assertThat(isOwn("0100007F:9C41 0100007F:17B6 04", 0))
                .as("closed by its process; the kernel says root")
                .isFalse();
    }

    @Test
    void aSocketForBothFamiliesIsInTheTableOfIpv6() throws Exception {
        Assumptions.assumeTrue(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN, "the tables are written for it");
        String mapped = "0000000000000000FFFF00000100007F:";
        Files.createDirectories(proc.resolve("net"));
        Files.writeString(proc.resolve("net/tcp"), HEAD);
        Files.writeString(proc.resolve("net/tcp6"), HEAD + line(mapped + "9C41 " + mapped + "17B6 01", 33));
        assertThat(new SocketOwners(proc, OWN).own(List.of(ENDS))).isEmpty();
        assertThat(new SocketOwners(proc, 33).own(List.of(ENDS))).containsExactly(ENDS);
    }

    @Test
    void aSystemWithoutTablesDoesNotTell() {
        assertThat(new SocketOwners(proc, OWN).own(List.of(ENDS))).containsExactly(ENDS);
    }

    @Test
    void oneReadingAnswersForManyConnections() throws Exception {
        Assumptions.assumeTrue(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN, "the tables are written for it");
        SocketOwners.Ends foreign = new SocketOwners.Ends("127.0.0.1", 40002, "127.0.0.1", 6070);
        SocketOwners.Ends gone = new SocketOwners.Ends("127.0.0.1", 40003, "127.0.0.1", 6070);
        Files.createDirectories(proc.resolve("net"));
        Files.writeString(
                proc.resolve("net/tcp"),
                HEAD + line("0100007F:9C41 0100007F:17B6 01", OWN) + line("0100007F:9C42 0100007F:17B6 01", 33));
        assertThat(new SocketOwners(proc, OWN).own(List.of(ENDS, foreign, gone)))
                .containsExactly(ENDS);
    }

    private boolean isOwn(String socket, int user) throws Exception {
        Files.createDirectories(proc.resolve("net"));
        Files.writeString(proc.resolve("net/tcp"), HEAD + line(socket, user));
        return new SocketOwners(proc, OWN).own(List.of(ENDS)).contains(ENDS);
    }

    private static String line(String socket, int user) {
        return "   0: " + socket + " 00000000:00000000 00:00000000 00000000  " + user + "        0 1077 1\n";
    }
}
