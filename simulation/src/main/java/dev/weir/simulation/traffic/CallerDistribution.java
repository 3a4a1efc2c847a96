package dev.weir.simulation.traffic;

import java.util.SplittableRandom;

/** The distribution of requests over callers, which are numbered from 0. */
public sealed interface CallerDistribution permits CallerDistribution.Alike, Zipf {

    int count();

    /** Draws the caller of the next request. */
    int next(SplittableRandom random);

    /** The share of all requests that {@code caller} sends. */
    double share(int caller);

    /** All callers send alike. */
    record Alike(int count) implements CallerDistribution {
        public Alike {
            if (count < 1) {
                throw new IllegalArgumentException("callers: " + count + " (expected: >= 1)");
            }
        }

        @Override
        public int next(SplittableRandom random) {
            return count == 1 ? 0 : random.nextInt(count);
        }

        @Override
        public double share(int caller) {
            return 1.0 / count;
        }
    }
}
