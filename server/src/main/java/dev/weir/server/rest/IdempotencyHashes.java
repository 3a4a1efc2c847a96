package dev.weir.server.rest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.internal.runtime.Sha256;
import dev.weir.internal.store.Idempotency;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * Hashes an idempotency key, for this process and for shared stores: SHA-256 of its {@linkplain
 * IdempotencyScope owner}, of the key and of the request, each cut to 128 bits. All processes compute the same hashes, their length is fixed, and neither keys nor
 * bodies are stored.
 */
final class IdempotencyHashes {
    private final RestSettings.Idempotency settings;

    IdempotencyHashes(RestSettings.Idempotency settings) {
        this.settings = settings;
    }

    /** Hashes {@code key} of the owner {@code scope}. */
    Idempotency of(byte[] scope, String key, String path, byte[] body) {
        return new Idempotency(
                scope,
                hash("", key.getBytes(UTF_8)),
                hash(path, body),
                settings.keep().toNanos() / 1_000,
                settings.perCaller());
    }

    /**
     * Hashes a pair. The length of the first separates it from the second, so that no two pairs have the same input.
     */
    private static byte[] hash(String first, byte[] second) {
        MessageDigest digest = Sha256.digest();
        byte[] bytes = first.getBytes(UTF_8);
        digest.update((bytes.length + ":").getBytes(UTF_8));
        digest.update(bytes);
        return Arrays.copyOf(digest.digest(second), Idempotency.HASH);
    }
}
