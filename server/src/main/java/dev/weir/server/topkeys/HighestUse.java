package dev.weir.server.topkeys;

/** The highest share of a limit that was attempted in the last quarter of a minute to half a minute. */
final class HighestUse {
    private static final long PERIOD_MILLIS = 15_000;

    private long period;
    private double now = Double.NaN;
    private double before = Double.NaN;

    void add(long attempted, long size, long millis) {
        if (size > 0) {
            advance(millis);
            now = higher(now, attempted / (double) size);
        }
    }

    /** The highest share; above 1 if a check was denied, NaN if there was no check. */
    double of(long millis) {
        advance(millis);
        return higher(now, before);
    }

    private void advance(long millis) {
        long current = millis / PERIOD_MILLIS;
        if (current != period) {
            before = current == period + 1 ? now : Double.NaN;
            now = Double.NaN;
            period = current;
        }
    }

    private static double higher(double one, double other) {
        return Double.isNaN(one) || other > one ? other : one;
    }
}
