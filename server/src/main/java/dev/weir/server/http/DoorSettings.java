package dev.weir.server.http;

import java.time.Duration;

/**
 * What a port lets in.
 *
 * @param connections open at once; further ones are told so and closed
 * @param head until the head of a request is whole, from its first byte
 */
public record DoorSettings(int connections, Duration head) {

    public static DoorSettings defaults() {
        return new DoorSettings(10_000, Duration.ofSeconds(10));
    }
}
