package dev.weir.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.redis.testkit.PemFiles;
import dev.weir.server.settings.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TlsIdentityTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"EC, -groupname, secp256r1", "EC, -groupname, secp521r1", "RSA, -keysize, 2048"})
    void aKeyAsOpenSslAndCertManagerWriteItIsRead(String algorithm, String option, String size) throws Exception {
        PemFiles pem = PemFiles.in(folder, "server", algorithm, option, size);
        byte[] inner = inside(pem.key());
        Path old = Files.writeString(
                folder.resolve("old.key"),
                "-----BEGIN " + algorithm + " PRIVATE KEY-----\n"
                        + Base64.getMimeEncoder().encodeToString(inner) + "\n-----END " + algorithm
                        + " PRIVATE KEY-----\n");
        TlsIdentity identity = TlsIdentity.read(new Settings.Tls(pem.certificate(), old, null, List.of()));
        assertThat(identity.toString()).startsWith("CN=server, valid until ");
    }

    /** The key that PKCS#8 wraps: after the version and the algorithm, what is in the last element. */
    private static byte[] inside(Path key) throws Exception {
        String text = Files.readString(key).replaceAll("-----[^-]+-----", "");
        byte[] der = Base64.getMimeDecoder().decode(text);
        int[] at = {0};
        header(der, at);
        skip(der, at); // the version
        skip(der, at); // the algorithm
        int length = header(der, at);
        byte[] inner = new byte[length];
        System.arraycopy(der, at[0], inner, 0, length);
        return inner;
    }

    private static void skip(byte[] der, int[] at) {
        int length = header(der, at);
        at[0] += length;
    }

    private static int header(byte[] der, int[] at) {
        at[0]++;
        int length = der[at[0]++] & 0xFF;
        if (length > 0x80) {
            int bytes = length & 0x7F;
            length = 0;
            for (int i = 0; i < bytes; i++) {
                length = (length << 8) | (der[at[0]++] & 0xFF);
            }
        }
        return length;
    }

    @Test
    void theKeyOfAnotherCertificateIsRefused() throws Exception {
        PemFiles one = PemFiles.in(folder, "one");
        PemFiles other = PemFiles.in(folder, "other");
        assertThatThrownBy(() -> TlsIdentity.read(new Settings.Tls(one.certificate(), other.key(), null, List.of())))
                .hasMessageContaining("other.key (expected: the private key of")
                .hasMessageContaining("the key belongs to another certificate");
    }
}
