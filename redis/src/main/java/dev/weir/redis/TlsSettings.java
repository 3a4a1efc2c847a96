package dev.weir.redis;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How Redis is trusted, and how we show who we are, where the address begins with {@code rediss}.
 *
 * @param trust certificates to trust, PEM; null for those that the JVM trusts
 * @param certificate our own certificate, PEM; null for none
 * @param key its private key, PEM; with {@code certificate} only
 * @param verifyHost whether the certificate must be for the host that was asked
 */
public record TlsSettings(
        @Nullable Path trust,
        @Nullable Path certificate,
        @Nullable Path key,
        boolean verifyHost) {
    public static final TlsSettings DEFAULT = new TlsSettings(null, null, null, true);

    public TlsSettings {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException(
                    "tls: " + (key == null ? "certificate without key" : "key without certificate")
                            + " (expected: both or neither)");
        }
    }
}
