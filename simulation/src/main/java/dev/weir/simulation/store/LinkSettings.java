package dev.weir.simulation.store;

/**
 * The network between a node and the store.
 *
 * @param latency the latency of a message, one way
 * @param loss the share of messages that must be sent again
 * @param resendNanos the delay before the first retransmission
 * @param reconnectNanos the time to reconnect
 * @param slots the number of hash slots; counters of different slots share no call
 * @param servers the number of servers that share the slots, each with its own clock and connection
 */
public record LinkSettings(
        Latency latency, double loss, long resendNanos, long reconnectNanos, int slots, int servers) {
    private static final long MILLISECOND = 1_000_000;

    public LinkSettings {
        if (!(loss >= 0 && loss < 1)) {
            throw new IllegalArgumentException("loss: " + loss + " (expected: 0 to 1)");
        }
        if (servers < 1 || servers > slots) {
            throw new IllegalArgumentException("servers: " + servers + " (expected: 1 to " + slots + ", the slots)");
        }
    }

    /** Creates the settings for one server with all the slots. */
    public LinkSettings(Latency latency, double loss, long resendNanos, long reconnectNanos, int slots) {
        this(latency, loss, resendNanos, reconnectNanos, slots, 1);
    }

    /** Creates the settings of a good network: a quarter of a millisecond, nothing lost. */
    public static LinkSettings good() {
        return new LinkSettings(new Latency(MILLISECOND / 4, MILLISECOND), 0, 200 * MILLISECOND, 50 * MILLISECOND, 1);
    }
}
