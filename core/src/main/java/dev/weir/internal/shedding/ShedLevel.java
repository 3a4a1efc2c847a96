package dev.weir.internal.shedding;

/**
 * Computes which part of a service's requests is admitted while the service is at its capacity, and which part of the
 * capacity is kept for critical requests. Plain arithmetic on ticks of 100 ms; not thread-safe.
 *
 * <pre>
 * of a tick: O(p) requests of priority p, P of them that passed, D that the counter denied, K critical ones;
 *            U the share of the room for others that is in use, as the counter last said
 * sums       fade by a tenth a tick, so that they cover about the last second
 * critical   the part of the capacity that critical requests use: their share of what passed · usage of the capacity
 * peak       max(peak · 0.995, critical)
 * reserve    kept free: min(R, 1.5 peak + 2 %) − critical, but at least 2 %; the rest of the written reserve R is lent
 * A          the admitted part of all others. While the counter denies more than 2 % of them (U ≥ 1), cut to P/O, by at
 *            most 5 points a tick; if U ≤ 0.9 for five seconds, or unknown, raised by 2.5 points; else by 0.1 points
 * a(p)       A·O is filled by priority: first writes, then reads, then tests
 * </pre>
 *
 * <p>The counter alone would hold the bound, but as a cliff: it admits whoever comes first. This level admits the most
 * important first, and always the same callers, so that a caller is served or refused and not both in turn. What was
 * shed comes back slowly: at once, it would bring the overload back.
 */
class ShedLevel {
    static final int OTHERS = 3;

    private static final double FADE = 0.9;
    private static final double PEAK_FADE = 0.995;
    private static final double PEAK_MARGIN = 1.5;
    private static final double LEAST_RESERVE = 0.02;
    private static final double CUT_ABOVE = 0.02;
    private static final double CALM_USAGE = 0.9;
    private static final int CALM_TICKS = 50;
    private static final double CUT = 0.05;
    private static final double RESTORED = 0.025;
    private static final double REGAINED = 0.001;
    /** Below so many requests a second the parts are too coarse; then the counter alone decides. */
    private static final double FEWEST = 20;

    /** The sums of the others by priority, the least important first. */
    private final double[] offered = new double[OTHERS];

    private final double[] admitted = {1, 1, 1};
    private double passed;
    private double denied;
    private double critical;
    private double peak;
    private double reserve;
    private double level = 1;
    private int calm;

    /**
     * Takes the last ticks into account.
     *
     * @param ticks how many have passed, at least one
     * @param usage the share of the room for others that is in use; NaN if unknown
     * @param written the reserve as written
     */
    final void tick(
            int ticks,
            double usage,
            long[] others,
            long othersPassed,
            long othersDenied,
            long criticals,
            double written) {
        double fade = Math.pow(FADE, ticks);
        for (int i = 0; i < OTHERS; i++) {
            offered[i] = offered[i] * fade + others[i];
        }
        passed = passed * fade + othersPassed;
        denied = denied * fade + othersDenied;
        critical = critical * fade + criticals;
        reserve(ticks, usage, written);
        level(ticks, usage, othersDenied);
        fill();
    }

    private void reserve(int ticks, double usage, double written) {
        double all = passed + critical;
        double used = all > 0 && !Double.isNaN(usage) ? critical / all * usage * (1 - reserve) : 0;
        peak = Math.max(peak * Math.pow(PEAK_FADE, ticks), used);
        // What critical requests use already needs no room beside it.
        double free = Math.min(written, PEAK_MARGIN * peak + LEAST_RESERVE) - used;
        reserve = Math.max(Math.min(written, LEAST_RESERVE), free);
    }

    private void level(int ticks, double usage, long deniedNow) {
        double all = offered[0] + offered[1] + offered[2];
        boolean isCalm = Double.isNaN(usage) || usage <= CALM_USAGE;
        calm = isCalm ? Math.min(calm + ticks, CALM_TICKS + ticks) : 0;
        if (deniedNow > 0 && all >= FEWEST && denied > CUT_ABOVE * all) {
            level = Math.min(level, Math.max(passed / all, level - CUT * ticks));
        } else {
            int restoring = Math.min(ticks, Math.max(0, calm - CALM_TICKS));
            level = Math.min(1, level + RESTORED * restoring + REGAINED * (ticks - restoring));
        }
    }

    /** Fills the admitted part by priority, the most important first. */
    private void fill() {
        double room = level * (offered[0] + offered[1] + offered[2]);
        for (int i = OTHERS - 1; i >= 0; i--) {
            boolean all = level >= 1 || (offered[i] <= 0 ? room > 0 : room >= offered[i]);
            admitted[i] = all ? 1 : offered[i] <= 0 ? 0 : room / offered[i];
            room = Math.max(0, room - offered[i]);
        }
    }

    /** The part of the requests of a priority that is admitted; 0 is the least important one. */
    final double admitted(int priority) {
        return admitted[priority];
    }

    /** The admitted part of all requests that are not critical. */
    final double level() {
        return level;
    }

    /** The part of the capacity that is kept free for critical requests now, beside what they use. */
    final double reserve() {
        return reserve;
    }
}
