package dev.weir.server.http;

import java.time.Duration;

/**
 * Bounds on the connections of a port.
 *
 * @param connections open connections; further ones get an error and are closed
 * @param connectionsPerAddress open connections of one peer address
 * @param head the time from the first byte of a request's head until the head is complete
 */
public record ConnectionGuardSettings(int connections, int connectionsPerAddress, Duration head) {

    public static ConnectionGuardSettings defaults() {
        return new ConnectionGuardSettings(10_000, 5_000, Duration.ofSeconds(10));
    }
}
