package dev.weir.simulation.store;

import java.util.SplittableRandom;

/**
 * One direction of a TCP connection: messages arrive in order, some late. A lost message is sent again after a while,
 * and the messages behind it wait.
 */
final class TcpDirection {
    private final SplittableRandom random;
    private final LinkSettings settings;
    private long lastArrival;
    private long cutUntil;

    TcpDirection(SplittableRandom random, LinkSettings settings) {
        this.random = random;
        this.settings = settings;
    }

    /** Returns when a message sent now arrives. */
    long arrival(long now) {
        long arrival = Math.max(now, cutUntil) + settings.latency().sample(random);
        for (long again = settings.resendNanos(); random.nextDouble() < settings.loss(); again *= 2) {
            arrival += again;
        }
        lastArrival = Math.max(lastArrival, arrival);
        return lastArrival;
    }

    /** Blocks the direction until {@code moment}. */
    void cut(long moment) {
        cutUntil = Math.max(cutUntil, moment);
    }
}
