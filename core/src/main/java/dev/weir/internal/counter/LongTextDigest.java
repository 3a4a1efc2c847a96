package dev.weir.internal.counter;

import dev.weir.internal.runtime.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;

/**
 * Replaces text that is too long for a counter name by its SHA-256 in 43 characters of base64url. Allocates nothing.
 */
final class LongTextDigest {
    private static final byte[] BASE64 =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".getBytes(StandardCharsets.US_ASCII);

    private final MessageDigest text = Sha256.digest();
    private final MessageDigest name = Sha256.digest();
    private final byte[] block = new byte[256];
    private final byte[] sum = new byte[32];

    /** Takes in the next piece of a long name. */
    void ofName(CounterName piece) {
        name.update(piece.bytes(), 0, piece.length());
    }

    /** Ends the long name and appends its digest. */
    void nameTo(CounterName into) {
        write(name, into);
    }

    /** Appends the digest of {@code value}, computed over its chars. */
    void textTo(String value, CounterName into) {
        int filled = 0;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            block[filled++] = (byte) (c >> 8);
            block[filled++] = (byte) c;
            if (filled == block.length) {
                text.update(block, 0, filled);
                filled = 0;
            }
        }
        text.update(block, 0, filled);
        write(text, into);
    }

    private void write(MessageDigest digest, CounterName into) {
        try {
            digest.digest(sum, 0, sum.length);
        } catch (DigestException e) {
            throw new IllegalStateException("SHA-256 did not fit 32 bytes", e);
        }
        int bits = 0;
        int have = 0;
        for (byte each : sum) {
            bits = bits << 8 | (each & 0xff);
            for (have += 8; have >= 6; have -= 6) {
                into.append(BASE64[(bits >> (have - 6)) & 0x3f]);
            }
        }
        into.append(BASE64[(bits << (6 - have)) & 0x3f]);
    }
}
