package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.PemFiles;
import dev.weir.server.tls.ClientTls;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every port over TLS, with certificates that are renewed while it runs. */
class TlsPortsTest {
    private static final Duration BUDGET = Duration.ofSeconds(20);

    @TempDir
    static Path made;

    private static PemFiles first;
    private static PemFiles second;
    private static PemFiles caller;

    @TempDir
    Path folder;

    private Path rules;
    private Path certificate;
    private Path key;

    @BeforeAll
    static void certificates() throws Exception {
        first = PemFiles.in(made, "first");
        second = PemFiles.in(made, "second");
        caller = PemFiles.in(made, "caller");
    }

    /** As Kubernetes mounts a secret: the files are links into a folder that is itself a link, which is swapped. */
    @BeforeEach
    void mount() throws Exception {
        rules = Files.writeString(folder.resolve("api.yaml"), "{domain: api, rules: []}");
        swap("1", first.certificate(), first.key());
        certificate = Files.createSymbolicLink(folder.resolve("tls.crt"), Path.of("..data", "tls.crt"));
        key = Files.createSymbolicLink(folder.resolve("tls.key"), Path.of("..data", "tls.key"));
    }

    private void swap(String revision, Path newCertificate, Path newKey) throws IOException {
        Path data = Files.createDirectory(folder.resolve(".." + revision));
        Files.copy(newCertificate, data.resolve("tls.crt"));
        Files.copy(newKey, data.resolve("tls.key"));
        Path link = Files.createSymbolicLink(folder.resolve("..data_tmp"), data.getFileName());
        Files.move(link, folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private RunningServer start(String... more) throws Exception {
        String[] all = new String[more.length + 4];
        System.arraycopy(more, 0, all, 4, more.length);
        all[0] = "tls_cert";
        all[1] = certificate.toString();
        all[2] = "tls_key";
        all[3] = key.toString();
        return RunningServer.with(rules, all);
    }

    @Test
    void aRenewedCertificateIsShownToNewCallersAndThoseThatAreThereStay() throws Exception {
        try (RunningServer server = start();
                Talk http = new Talk(server.server.http().port(), first, null);
                Talk admin = new Talk(server.server.admin().port(), first, null);
                Rpc rpc = new Rpc(server, first, null)) {
            assertThat(List.of(http.certificate(), admin.certificate())).containsOnly("CN=first");
            assertThat(http.get("/healthcheck")).contains(" 200 ");
            assertThat(admin.get("/version")).contains(" 200 ");
            assertThat(rpc.check()).isEqualTo(ServingStatus.SERVING);
            swap("2", second.certificate(), second.key());
            for (int port : ports(server)) {
                await().atMost(BUDGET).until(() -> shown(port).equals("CN=second"));
            }
            assertThat(http.get("/healthcheck")).contains(" 200 ");
            assertThat(admin.get("/version")).contains(" 200 ");
            assertThat(rpc.check()).isEqualTo(ServingStatus.SERVING);
            try (Rpc distrusting = new Rpc(server, first, null)) {
                assertThatThrownBy(distrusting::check).isInstanceOf(StatusRuntimeException.class);
            }
            try (Rpc next = new Rpc(server, second, null)) {
                assertThat(next.check()).isEqualTo(ServingStatus.SERVING);
            }
        }
    }

    @Test
    void aPairThatDoesNotFitChangesNothingAndIsCounted() throws Exception {
        try (RunningServer server = start("http_tls_cert", certificate.toString(), "http_tls_key", key.toString());
                Talk metrics = new Talk(server.server.http().port(), first, null)) {
            assertThat(metrics.get("/metrics"))
                    .contains("ratelimit_certificate_reloads_total{outcome=\"refused\",port=\"grpc\"} 0.0")
                    .containsPattern("ratelimit_certificate_expiry_seconds\\{port=\"admin\"} 17\\d{4}\\.0");
            swap("2", second.certificate(), first.key());
            for (String port : List.of("grpc", "http", "admin")) {
                String refused = "ratelimit_certificate_reloads_total{outcome=\"refused\",port=\"" + port + "\"} 1.0";
                await().atMost(BUDGET).until(() -> metrics.get("/metrics").contains(refused));
            }
            for (int port : ports(server)) {
                assertThat(shown(port)).isEqualTo("CN=first");
            }
            swap("3", second.certificate(), second.key());
            for (int port : ports(server)) {
                await().atMost(BUDGET).until(() -> shown(port).equals("CN=second"));
            }
        }
    }

    @Test
    void whereCallersMustShowACertificateNobodyElseIsAnswered() throws Exception {
        try (RunningServer server = start("tls_client_ca", caller.certificate().toString())) {
            for (int port : new int[] {
                server.server.http().port(), server.server.admin().port()
            }) {
                try (Talk known = new Talk(port, first, caller)) {
                    assertThat(known.get("/version")).startsWith("HTTP/1.1 ");
                }
                assertThatThrownBy(() -> ask(port, null)).isInstanceOf(IOException.class);
                assertThatThrownBy(() -> ask(port, second)).isInstanceOf(IOException.class);
            }
            try (Rpc known = new Rpc(server, first, caller);
                    Rpc nobody = new Rpc(server, first, null)) {
                assertThat(known.check()).isEqualTo(ServingStatus.SERVING);
                assertThatThrownBy(nobody::check).isInstanceOf(StatusRuntimeException.class);
            }
        }
    }

    @Test
    void aCallerMustBeCalledAsItWasSaid() throws Exception {
        String authority = caller.certificate().toString();
        try (RunningServer server = start(
                        "tls_client_ca",
                        authority,
                        "admin_tls_client_names",
                        "ops",
                        "tls_client_names",
                        "x, LOCALHOST");
                Talk known = new Talk(server.server.http().port(), first, caller)) {
            assertThat(known.get("/healthcheck")).contains(" 200 ");
            assertThatThrownBy(() -> ask(server.server.admin().port(), caller)).isInstanceOf(IOException.class);
        }
    }

    private static String ask(int port, @Nullable PemFiles shows) throws Exception {
        try (Talk talk = new Talk(port, first, shows)) {
            return talk.get("/version");
        }
    }

    private static int[] ports(RunningServer server) {
        return new int[] {
            server.server.grpc().port(),
            server.server.http().port(),
            server.server.admin().port()
        };
    }

    /** The name in the certificate that a new caller sees. */
    private static String shown(int port) throws Exception {
        for (PemFiles each : List.of(first, second)) {
            try (Talk talk = new Talk(port, each, null)) {
                return talk.certificate();
            } catch (IOException e) {
                // Not this one, then the other.
            }
        }
        return "";
    }

    /** One connection over TLS that stays open. */
    private static final class Talk implements AutoCloseable {
        private final SSLSocket socket;
        private final BufferedReader in;

        Talk(int port, PemFiles trusted, @Nullable PemFiles shows) throws Exception {
            socket = (SSLSocket) ClientTls.of(
                            trusted.certificate(),
                            shows == null ? null : shows.certificate(),
                            shows == null ? null : shows.key())
                    .getSocketFactory()
                    .createSocket(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(20_000);
            var parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"http/1.1"});
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        }

        String certificate() throws Exception {
            X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            return shown.getSubjectX500Principal().getName();
        }

        /** The status line and the body. */
        String get(String path) throws IOException {
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String status = in.readLine();
            if (status == null) {
                throw new IOException("closed");
            }
            int length = 0;
            for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
                    length = Integer.parseInt(
                            line.substring(line.indexOf(':') + 1).strip());
                }
            }
            StringBuilder body = new StringBuilder();
            int bytes = 0;
            while (bytes < length) {
                int c = in.read();
                if (c < 0) {
                    throw new IOException("closed");
                }
                body.append((char) c);
                bytes += String.valueOf((char) c).getBytes(StandardCharsets.UTF_8).length;
            }
            return status + "\n" + body;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** One gRPC channel. */
    private static final class Rpc implements AutoCloseable {
        private final ManagedChannel channel;

        Rpc(RunningServer server, PemFiles trusted, @Nullable PemFiles shows) throws Exception {
            SslContextBuilder tls = GrpcSslContexts.forClient()
                    .trustManager(trusted.certificate().toFile());
            if (shows != null) {
                tls.keyManager(shows.certificate().toFile(), shows.key().toFile());
            }
            channel = NettyChannelBuilder.forAddress("127.0.0.1", server.grpcPort())
                    .sslContext(tls.build())
                    .build();
        }

        ServingStatus check() {
            return HealthGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(20, TimeUnit.SECONDS)
                    .check(HealthCheckRequest.getDefaultInstance())
                    .getStatus();
        }

        @Override
        public void close() {
            channel.shutdownNow();
        }
    }
}
