package dev.weir.client.internal;

/**
 * Finds out whether other processes spend a timed window, too: whether it ever loses hits that this process did not take. A
 * process that was alone in a whole window is taken to be alone in the next, until it sees others. Times are seconds.
 */
final class OtherCallers {
    /** The least share of a window that this process must have spent to know. */
    private static final double ENOUGH = 0.2;

    private double windowEnd = Double.NEGATIVE_INFINITY;
    private double mine;
    private boolean seen = true;
    private boolean alone;

    /**
     * Hears an answer of the window that ends at about {@code end}; {@code spent} hits of it are gone, and {@code inFlight}
     * other calls of this process may be among them.
     */
    void answered(double spent, double quota, int inFlight, double end, double window) {
        if (end > windowEnd + window / 2) {
            alone = !seen && mine > ENOUGH * quota;
            windowEnd = end;
            mine = 0;
            seen = false;
        } else if (end < windowEnd - window / 2) {
            return; // late, of the window before
        }
        mine++;
        if (spent > mine + inFlight) {
            seen = true;
            alone = false;
        }
    }

    /** Whether nobody else seems to call. */
    boolean isAlone() {
        return alone;
    }
}
