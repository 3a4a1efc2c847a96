package dev.weir.simulation.store;

/**
 * The network between a node and the store.
 *
 * @param latency how long a message takes, one way
 * @param loss the share of messages that have to be sent again
 * @param resendNanos how long until they are, the first time
 * @param reconnectNanos how long it takes to connect anew
 * @param slots how many slots the counters live in: those of different ones share no call
 * @param servers how many servers have the slots between them, each with a clock and a connection of its own
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

    /** One server with all the slots. */
    public LinkSettings(Latency latency, double loss, long resendNanos, long reconnectNanos, int slots) {
        this(latency, loss, resendNanos, reconnectNanos, slots, 1);
    }

    /** A good network: a quarter of a millisecond, nothing lost. */
    public static LinkSettings good() {
        return new LinkSettings(new Latency(MILLISECOND / 4, MILLISECOND), 0, 200 * MILLISECOND, 50 * MILLISECOND, 1);
    }
}
