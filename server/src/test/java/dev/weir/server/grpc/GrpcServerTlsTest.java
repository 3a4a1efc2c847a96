package dev.weir.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.PemFiles;
import dev.weir.server.listener.GrpcTls;
import dev.weir.server.settings.Settings;
import dev.weir.server.tls.TlsIdentity;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrpcServerTlsTest {
    @TempDir
    static Path folder;

    private static PemFiles server;
    private static PemFiles other;

    @BeforeAll
    static void certificates() throws Exception {
        server = PemFiles.in(folder, "server");
        other = PemFiles.in(folder, "other");
    }

    @Test
    void callsAreAnsweredOverTls13And12() throws Exception {
        try (TestGrpcServer rig = rig(null)) {
            for (String version : new String[] {"TLSv1.3", "TLSv1.2"}) {
                assertThat(check(rig, client(server).protocols(version)))
                        .as(version)
                        .isEqualTo(ServingStatus.SERVING);
            }
            assertThat(rig.failures).isEmpty();
        }
    }

    @Test
    void whoDoesNotTrustTheCertificateOrSpeaksClearTextGetsNoFurtherAndNobodyElseNotices() throws Exception {
        try (TestGrpcServer rig = rig(null)) {
            assertThatThrownBy(() -> check(rig, client(other))).isInstanceOf(StatusRuntimeException.class);
            try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), rig.port())) {
                plain.setSoTimeout(10_000);
                plain.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                plain.getInputStream().readAllBytes(); // comes to an end: the server hung up
            }
            await().until(() -> rig.cutOff.contains("TLS: not a TLS record"));
            assertThat(check(rig, client(server))).isEqualTo(ServingStatus.SERVING);
            assertThat(rig.failures).isEmpty();
        }
    }

    @Test
    void aPeerThatDoesNotChooseH2IsLetGo() throws Exception {
        SSLContext trusting = SSLContext.getInstance("TLS");
        trusting.init(null, new javax.net.ssl.TrustManager[] {new Trusting()}, null);
        try (TestGrpcServer rig = rig(null);
                SSLSocket socket = (SSLSocket)
                        trusting.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), rig.port())) {
            socket.setSoTimeout(10_000);
            socket.setSSLParameters(new SSLParameters());
            socket.startHandshake();
            assertEnds(socket.getInputStream());
            await().until(() -> rig.cutOff.contains("TLS without ALPN h2"));
        }
    }

    @Test
    void whereCallersMustShowACertificateOnlyASignedOneOpensTheDoor() throws Exception {
        try (TestGrpcServer rig = rig(other.certificate())) {
            assertThat(check(
                            rig,
                            client(server)
                                    .keyManager(
                                            other.certificate().toFile(),
                                            other.key().toFile())))
                    .isEqualTo(ServingStatus.SERVING);
            assertThatThrownBy(() -> check(rig, client(server))).isInstanceOf(StatusRuntimeException.class);
            assertThatThrownBy(() -> check(
                            rig,
                            client(server)
                                    .keyManager(
                                            server.certificate().toFile(),
                                            server.key().toFile())))
                    .isInstanceOf(StatusRuntimeException.class);
        }
    }

    @Test
    void whatIsWrongWithAFileIsToldWithItsName() throws Exception {
        Path missing = folder.resolve("missing.pem");
        Path empty = Files.writeString(folder.resolve("empty.pem"), "");
        Path old = Files.writeString(folder.resolve("old.key"), "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n");
        Path broken = Files.writeString(
                folder.resolve("broken.key"), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
        assertRefused(missing, server.key(), "missing.pem (expected: a PEM file): there is no such file");
        assertRefused(server.certificate(), missing, "missing.pem (expected: a PEM file): there is no such file");
        assertRefused(folder, server.key(), folder + " (expected: a PEM file)");
        assertRefused(empty, server.key(), "empty.pem (expected: certificates in PEM)");
        assertRefused(server.key(), server.key(), "server.key (expected: certificates in PEM)");
        assertRefused(server.certificate(), old, "old.key (expected: a private key in PEM, not encrypted");
        assertRefused(server.certificate(), broken, "broken.key (expected: the private key of");
        assertRefused(server.certificate(), other.key(), "other.key (expected: the private key of");
    }

    private static void assertRefused(Path certificate, Path key, String text) {
        assertThatThrownBy(() -> TlsIdentity.read(new Settings.Tls(certificate, key, null, List.of())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(text);
    }

    private static void assertEnds(InputStream in) {
        try {
            in.readAllBytes();
        } catch (IOException e) {
            assertThat(e).hasMessageNotContaining("timed out");
        }
    }

    private static TestGrpcServer rig(@Nullable Path callers) throws IOException {
        SslContext tls =
                GrpcTls.of(TlsIdentity.read(new Settings.Tls(server.certificate(), server.key(), callers, List.of())));
        return new TestGrpcServer(
                new CountingDecider(3), GrpcServerSettings.defaults().with(() -> tls));
    }

    private static SslContextBuilder client(PemFiles trusted) {
        return GrpcSslContexts.forClient().trustManager(trusted.certificate().toFile());
    }

    private static ServingStatus check(TestGrpcServer rig, SslContextBuilder tls) throws IOException {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", rig.port())
                .sslContext(tls.build())
                .build();
        try {
            return HealthGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(20, TimeUnit.SECONDS)
                    .check(HealthCheckRequest.getDefaultInstance())
                    .getStatus();
        } finally {
            channel.shutdownNow();
        }
    }

    /** Trusts anybody, for a client that is only there to shake hands. */
    private static final class Trusting extends javax.net.ssl.X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(java.security.cert.X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(
                java.security.cert.X509Certificate[] chain, String type, javax.net.ssl.SSLEngine engine) {}

        @Override
        public void checkServerTrusted(
                java.security.cert.X509Certificate[] chain, String type, javax.net.ssl.SSLEngine engine) {}

        @Override
        public void checkClientTrusted(java.security.cert.X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String type) {}

        @Override
        public java.security.cert.X509Certificate[] getAcceptedIssuers() {
            return new java.security.cert.X509Certificate[0];
        }
    }
}
