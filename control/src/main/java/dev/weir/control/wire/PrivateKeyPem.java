package dev.weir.control.wire;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Private keys as the JDK reads them: PKCS#8. Go writes those of RSA as PKCS#1, and so do the certificates of Envoy Gateway. */
final class PrivateKeyPem {
    private static final Pattern PKCS1 =
            Pattern.compile("-----BEGIN RSA PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END RSA PRIVATE KEY-----");
    /** Version 0, and the algorithm rsaEncryption without parameters. */
    private static final byte[] HEAD = HexFormat.of().parseHex("020100300d06092a864886f70d0101010500");

    private PrivateKeyPem() {}

    static byte[] pkcs8(String pem) {
        Matcher matcher = PKCS1.matcher(pem);
        if (!matcher.find()) {
            return pem.getBytes(StandardCharsets.US_ASCII);
        }
        byte[] key = Base64.getMimeDecoder().decode(matcher.group(1));
        ByteArrayOutputStream inner = new ByteArrayOutputStream();
        inner.writeBytes(HEAD);
        inner.writeBytes(element(0x04, key));
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(element(0x30, inner.toByteArray()));
        return ("-----BEGIN PRIVATE KEY-----\n" + body + "\n-----END PRIVATE KEY-----\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** An element of DER: tag, length, content. */
    private static byte[] element(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else {
            int bytes = (39 - Integer.numberOfLeadingZeros(content.length)) / 8;
            out.write(0x80 | bytes);
            for (int i = bytes - 1; i >= 0; i--) {
                out.write(content.length >>> (8 * i));
            }
        }
        out.writeBytes(content);
        return out.toByteArray();
    }
}
