package dev.weir.server.http;

import java.time.Duration;

/**
 * What a port lets in.
 *
 * @param connections open at once on a port; further ones are told so and closed
 * @param connectionsOfAddress those of them that may be of one peer address
 * @param head until the head of a request is whole, from its first byte
 */
public record ConnectionGuardSettings(int connections, int connectionsOfAddress, Duration head) {

    public static ConnectionGuardSettings defaults() {
        return new ConnectionGuardSettings(10_000, 5_000, Duration.ofSeconds(10));
    }
}
