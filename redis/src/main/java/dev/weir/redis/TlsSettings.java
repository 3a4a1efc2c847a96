package dev.weir.redis;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The TLS settings of a Redis whose scheme begins with {@code rediss}.
 *
 * @param trust the certificates to trust, PEM; null for those that the JVM trusts
 * @param certificate the client certificate, PEM; null for none
 * @param key the private key of {@code certificate}, PEM; null without one
 * @param verifyHost whether the server's certificate must match its host name
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
