package dev.weir.server.rest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.internal.runtime.Sha256;
import dev.weir.internal.store.Idempotency;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * What is remembered of an idempotency key, here and in a shared store: SHA-256 of whose it is, of itself and of what was sent, each cut to 128 bits. So
 * every process says the same, nothing a caller sends is long, and neither keys nor bodies are stored.
 */
final class IdempotencyHashes {
    private final RestSettings.Idempotency settings;

    IdempotencyHashes(RestSettings.Idempotency settings) {
        this.settings = settings;
    }

    /** Of {@code key} as {@code caller}, who means nothing outside of {@code domain}, has sent it. */
    Idempotency of(String domain, String caller, String key, String path, byte[] body) {
        return new Idempotency(
                hash(domain, caller.getBytes(UTF_8)),
                hash("", key.getBytes(UTF_8)),
                hash(path, body),
                settings.keep().toNanos() / 1_000,
                settings.perCaller());
    }

    /** No two pairs are hashed alike: the first is told from the second by its length. */
    private static byte[] hash(String first, byte[] second) {
        MessageDigest digest = Sha256.digest();
        byte[] bytes = first.getBytes(UTF_8);
        digest.update((bytes.length + ":").getBytes(UTF_8));
        digest.update(bytes);
        return Arrays.copyOf(digest.digest(second), Idempotency.HASH);
    }
}
