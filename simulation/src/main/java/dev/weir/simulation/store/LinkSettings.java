package dev.weir.simulation.store;

/**
 * The network between a node and the store.
 *
 * @param latency the one-way latency of a message
 * @param loss the share of messages that are lost and sent again
 * @param resendNanos the time until the first resend
 * @param reconnectNanos the time to reconnect
 * @param slots the number of hash slots; counters of different hash slots share no call
 */
public record LinkSettings(Latency latency, double loss, long resendNanos, long reconnectNanos, int slots) {
    private static final long MILLISECOND = 1_000_000;

    public LinkSettings {
        if (!(loss >= 0 && loss < 1)) {
            throw new IllegalArgumentException("loss: " + loss + " (expected: 0 to 1)");
        }
    }

    /** A good network: a quarter of a millisecond, nothing lost. */
    public static LinkSettings good() {
        return new LinkSettings(new Latency(MILLISECOND / 4, MILLISECOND), 0, 200 * MILLISECOND, 50 * MILLISECOND, 1);
    }
}
