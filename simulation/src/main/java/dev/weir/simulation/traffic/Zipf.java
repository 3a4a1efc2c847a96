package dev.weir.simulation.traffic;

import java.util.SplittableRandom;

/**
 * Callers of which number k sends in proportion to 1 / (k+1)^exponent. Sampled by rejection-inversion, in constant time
 * and memory for any number of callers.
 *
 * @see <a href="https://doi.org/10.1145/235025.235029">Hörmann, Derflinger: Rejection-inversion to generate variates
 *     from monotone discrete distributions</a>
 */
public final class Zipf implements CallerDistribution {
    private static final double TINY = 1e-8;

    private final int count;
    private final double exponent;
    private final double top;
    private final double bottom;
    private final double sure;
    private double sum;

    public Zipf(int count, double exponent) {
        if (count < 1) {
            throw new IllegalArgumentException("callers: " + count + " (expected: >= 1)");
        }
        if (!(exponent > 0)) {
            throw new IllegalArgumentException("zipf: " + exponent + " (expected: > 0)");
        }
        this.count = count;
        this.exponent = exponent;
        this.top = integral(1.5) - 1;
        this.bottom = integral(count + 0.5);
        this.sure = 2 - inverse(integral(2.5) - height(2));
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public int next(SplittableRandom random) {
        while (true) {
            double u = bottom + random.nextDouble() * (top - bottom);
            double x = inverse(u);
            int k = (int) Math.max(1, Math.min(count, (long) (x + 0.5)));
            if (k - x <= sure || u >= integral(k + 0.5) - height(k)) {
                return k - 1;
            }
        }
    }

    @Override
    public double share(int caller) {
        if (sum == 0) {
            for (int k = 1; k <= count; k++) {
                sum += height(k);
            }
        }
        return height(caller + 1) / sum;
    }

    private double height(double x) {
        return Math.exp(-exponent * Math.log(x));
    }

    /** An antiderivative of {@link #height}: (x^(1-s) - 1) / (1-s), which for s = 1 is log x. */
    private double integral(double x) {
        double log = Math.log(x);
        double t = (1 - exponent) * log;
        return (Math.abs(t) > TINY ? Math.expm1(t) / t : 1 + t / 2) * log;
    }

    private double inverse(double y) {
        double t = Math.max(-1, y * (1 - exponent));
        return Math.exp((Math.abs(t) > TINY ? Math.log1p(t) / t : 1 - t / 2) * y);
    }
}
