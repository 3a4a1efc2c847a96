package dev.weir.server.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.redis.testkit.PemFiles;
import dev.weir.server.GrpcCaller;
import dev.weir.server.grpc.RawPeer;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attacks on TLS, on the gRPC port of a server with a heap of 256 MiB. */
class TlsAttackTest extends UnderAttack {
    /** A record that holds the beginning of a ClientHello: 16,000 bytes are announced, and few come. */
    private static final byte[] HALF_A_HELLO = {22, 3, 1, 0x3E, (byte) 0x80, 1, 0, 0x3E, 0x7C, 3, 3, 1, 2, 3, 4};

    /** As many as a port without TLS accepts with this heap, nearly. */
    private static final int NEARLY_ALL = 3_800;

    private static final int ADDRESSES = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** {@code max_connections} is one for each so many bytes. */
    private static final long HEAP_PER_CONNECTION = 64 << 10;

    private PemFiles files;

    TlsAttackTest() {
        super("256m", 1);
    }

    @BeforeAll
    void certificate(@TempDir Path folder) throws Exception {
        files = PemFiles.in(folder, "server");
    }

    @Override
    List<String> flags() {
        return List.of("--grpc-tls-cert=" + files.certificate(), "--grpc-tls-key=" + files.key());
    }

    @Override
    GrpcCaller grpc() throws IOException {
        return new GrpcCaller(server.grpc, files.certificate());
    }

    @Test
    void halfOpenHandshakes() throws Exception {
        underAttack(false, () -> sending(server.grpc, 1_500, HALF_A_HELLO));
    }

    /** Each connection is complete and idle. The bound on connections counts on less heap than they may take. */
    @Test
    void idleConnectionsByTheThousand() throws Exception {
        underAttack(false, () -> {
            AttackedServer.Memory before = server.memory();
            HostileSockets sockets = idle(server.grpc);
            assertHeapOfConnections(sockets, before, server.memory());
            return List.of(sockets);
        });
    }

    @Test
    void idleConnectionsToTheHttpPortByTheThousand() throws Exception {
        Path rules = Files.writeString(folder().resolve("one.yaml"), "domain: d\nrules:\n" + CostlyRequests.RULES);
        try (AttackedServer another = AttackedServer.start(
                "256m", rules, "--http-tls-cert=" + files.certificate(), "--http-tls-key=" + files.key())) {
            AttackedServer.Memory before = another.memory();
            try (HostileSockets sockets = idle(another.http)) {
                assertHeapOfConnections(sockets, before, another.memory());
            }
            assertThat(another.isAlive()).isTrue();
        }
    }

    private static HostileSockets idle(int port) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Anybody()}, null);
        int count = Boolean.getBoolean("weir.attack.long") ? NEARLY_ALL : NEARLY_ALL / 8;
        return HostileSockets.overTls(port, count, ADDRESSES, context, RawPeer.hello(), PATIENCE);
    }

    private static void assertHeapOfConnections(
            HostileSockets sockets, AttackedServer.Memory before, AttackedServer.Memory now) {
        assertThat(sockets.size()).as("connections").isGreaterThan(100);
        long each = (now.heap() - before.heap()) / sockets.size();
        System.out.println(sockets.size() + " idle connections over TLS, " + each + " bytes of heap each: " + now);
        assertThat(each).as("heap of a connection").isLessThan(HEAP_PER_CONNECTION / 2);
    }

    @Test
    void renegotiationByTheClient() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Anybody()}, null);
        try (SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), server.grpc)) {
            socket.setSoTimeout(10_000);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setProtocols(new String[] {"TLSv1.2"});
            parameters.setApplicationProtocols(new String[] {"h2"});
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.2");
            assertThatThrownBy(() -> {
                        socket.startHandshake();
                        while (socket.getInputStream().read() >= 0) {
                            // what the server had sent before it refused
                        }
                        throw new IOException("closed");
                    })
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(java.net.SocketTimeoutException.class);
        }
    }

    /** The peer is on this machine, and its certificate is not what is tested. */
    private static final class Anybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
