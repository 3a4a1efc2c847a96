package dev.weir.simulation.store;

/**
 * The way between a node and the store.
 *
 * @param latency how long a message takes, one way
 * @param loss the share of messages that have to be sent again
 * @param resendNanos how long until they are, the first time
 * @param reconnectNanos how long it takes to connect anew
 * @param slots how many slots the counters live in: those of different ones share no call
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
