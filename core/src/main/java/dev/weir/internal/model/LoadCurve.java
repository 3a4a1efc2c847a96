package dev.weir.internal.model;

import java.util.List;

/**
 * How a limit follows the load of a service: the share of the limit that is in force at a utilisation. It is linear
 * between the points and flat outside them. Shares and utilisations are thousandths.
 *
 * @param service the service whose load counts
 * @param points at least one, by rising utilisation and with shares that do not rise
 * @param floor the least share
 */
public record LoadCurve(String service, List<Point> points, int floor) {
    /** The whole limit, and full utilisation. */
    public static final int WHOLE = 1_000;

    /** The share of the limit at one utilisation. */
    public record Point(int utilisation, int share) {
        private boolean isBeyond(Point other) {
            return utilisation > other.utilisation && share <= other.share;
        }
    }

    public LoadCurve {
        points = List.copyOf(points);
        if (service.isBlank() || points.isEmpty() || floor < 1 || floor > WHOLE) {
            throw new IllegalArgumentException("follows: " + service + ", " + points + ", floor " + floor
                    + " (expected: a service, points, 1 to 1000)");
        }
        for (int i = 0; i < points.size(); i++) {
            Point each = points.get(i);
            boolean within = isShare(each.utilisation) && isShare(each.share);
            if (!within || (i > 0 && !each.isBeyond(points.get(i - 1)))) {
                throw new IllegalArgumentException(
                        "follows: " + points + " (expected: 0 to 1000, rising utilisation, shares that do not rise)");
            }
        }
    }

    private static boolean isShare(int thousandths) {
        return thousandths >= 0 && thousandths <= WHOLE;
    }

    /** The share of the limit at {@code utilisation}, a number from 0 to 1. */
    public int shareAt(double utilisation) {
        double at = utilisation * WHOLE;
        int above = 0;
        while (above < points.size() && at > points.get(above).utilisation) {
            above++;
        }
        return Math.max(floor, above == 0 || above == points.size() ? end(above) : between(above, at));
    }

    private int end(int above) {
        return points.get(above == 0 ? 0 : above - 1).share;
    }

    private int between(int above, double at) {
        Point low = points.get(above - 1);
        Point high = points.get(above);
        double way = (at - low.utilisation) / (high.utilisation - low.utilisation);
        return (int) Math.round(low.share + way * (high.share - low.share));
    }
}
