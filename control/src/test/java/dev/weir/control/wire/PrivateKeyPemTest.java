package dev.weir.control.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrivateKeyPemTest {
    /** What PKCS#8 puts before an RSA key of 512 bits and more. */
    private static final int HEAD = 26;

    @ParameterizedTest
    @ValueSource(ints = {1024, 2048, 4096})
    void aKeyOfRsaAsGoWritesItIsTheSameKey(int bits) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(bits);
        PrivateKey key = generator.generateKeyPair().getPrivate();
        byte[] inner = Arrays.copyOfRange(key.getEncoded(), HEAD, key.getEncoded().length);
        String pem = "-----BEGIN RSA PRIVATE KEY-----\n"
                + Base64.getMimeEncoder().encodeToString(inner)
                + "\n-----END RSA PRIVATE KEY-----\n";
        String pkcs8 = new String(PrivateKeyPem.pkcs8(pem), StandardCharsets.US_ASCII);
        byte[] der = Base64.getMimeDecoder().decode(pkcs8.replaceAll("-----[A-Z ]+-----", ""));
        assertThat(KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(der)))
                .isEqualTo(key);
        assertThat(pkcs8).startsWith("-----BEGIN PRIVATE KEY-----\n");
    }

    @Test
    void whatIsAlreadyAsItShouldBeIsLeftAlone() {
        String pem = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
        assertThat(new String(PrivateKeyPem.pkcs8(pem), StandardCharsets.US_ASCII))
                .isEqualTo(pem);
    }
}
