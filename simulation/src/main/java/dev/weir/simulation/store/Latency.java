package dev.weir.simulation.store;

import java.util.SplittableRandom;

/** The latency of a message: log-normal, given by its median and its 99th percentile. */
public record Latency(long medianNanos, long p99Nanos) {
    /** The 99th percentile of the standard normal distribution. */
    private static final double Z99 = 2.326347874;

    public Latency {
        if (medianNanos < 0 || p99Nanos < medianNanos) {
            throw new IllegalArgumentException("p99: " + p99Nanos + " (expected: >= median, " + medianNanos + ")");
        }
    }

    long sample(SplittableRandom random) {
        if (p99Nanos == medianNanos) {
            return medianNanos;
        }
        double sigma = Math.log((double) p99Nanos / Math.max(1, medianNanos)) / Z99;
        return (long) (Math.max(1, medianNanos) * Math.exp(sigma * random.nextGaussian()));
    }
}
