package dev.weir.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientNameTrustManagerTest {
    private static final String PASSWORD = "password";

    @TempDir
    Path folder;

    @Test
    void aDnsNameOrAnAddressIsOneOfTheNames() throws Exception {
        X509Certificate caller = certificate("dns:Gateway.example,ip:10.0.0.7");
        assertThatCode(() -> check(caller, "gateway.example")).doesNotThrowAnyException();
        assertThatCode(() -> check(caller, "10.0.0.7")).doesNotThrowAnyException();
        assertThatThrownBy(() -> check(caller, "other.example")).isInstanceOf(CertificateException.class);
    }

    @Test
    void aNameOfAnotherKindIsNot() throws Exception {
        X509Certificate caller = certificate("email:gateway.example,uri:https://gateway.example");
        assertThatThrownBy(() -> check(caller, "gateway.example")).isInstanceOf(CertificateException.class);
    }

    @Test
    void aNameWithASchemeIsComparedWithUris() throws Exception {
        X509Certificate caller = certificate("uri:spiffe://example.org/gateway");
        assertThatCode(() -> check(caller, "spiffe://example.org/gateway")).doesNotThrowAnyException();
        assertThatThrownBy(() -> check(caller, "spiffe://example.org/other")).isInstanceOf(CertificateException.class);
    }

    private static void check(X509Certificate caller, String name) throws CertificateException {
        new ClientNameTrustManager(new Anybody(), List.of(name))
                .checkClientTrusted(new X509Certificate[] {caller}, "EC");
    }

    private X509Certificate certificate(String names) throws Exception {
        Path file = folder.resolve("caller.p12");
        Process made = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "it",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=it",
                        "-ext",
                        "san=" + names,
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(made.waitFor()).as(said).isZero();
        return (X509Certificate)
                KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray()).getCertificate("it");
    }

    /** Every signature is good. */
    private static final class Anybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
