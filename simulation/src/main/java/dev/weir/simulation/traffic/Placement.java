package dev.weir.simulation.traffic;

import java.util.List;
import java.util.SplittableRandom;

/** Chooses the node that a request goes to. */
public sealed interface Placement {

    int node(int caller, long now, int nodes, SplittableRandom random);

    /** A random node for each request, as with a load balancer. */
    record Spread() implements Placement {
        @Override
        public int node(int caller, long now, int nodes, SplittableRandom random) {
            return random.nextInt(nodes);
        }
    }

    /** Always the same node. */
    record Stick() implements Placement {
        @Override
        public int node(int caller, long now, int nodes, SplittableRandom random) {
            return at(caller, 0, 0, nodes);
        }
    }

    /** {@code width} nodes at a time, and others after each {@code everyNanos}, as with long-lived connections. */
    record Wander(int width, long everyNanos) implements Placement {
        public Wander {
            if (width < 1 || everyNanos < 1) {
                throw new IllegalArgumentException(
                        "wander: " + width + " nodes, " + everyNanos + " ns (expected: >= 1)");
            }
        }

        @Override
        public int node(int caller, long now, int nodes, SplittableRandom random) {
            return at(caller, now / everyNanos, random.nextInt(width), nodes);
        }
    }

    /** A random node; node k with a weight of 1 / (k+1)^exponent. */
    record Skewed(double exponent) implements Placement {
        @Override
        public int node(int caller, long now, int nodes, SplittableRandom random) {
            // A table is not worthwhile: the sampler is a handful of numbers.
            return new Zipf(nodes, exponent).next(random);
        }
    }

    /**
     * A random node of a region, which is drawn by its share of the demand; the shares change once.
     *
     * @param nodes the number of nodes of each region, in the order of their numbers
     * @param before the share of each region, in percent, until {@code movesNanos}
     * @param after the same from then on
     */
    record Regions(List<Integer> nodes, List<Integer> before, List<Integer> after, long movesNanos)
            implements Placement {
        private static final int PERCENT = 100;

        public Regions {
            nodes = List.copyOf(nodes);
            before = List.copyOf(before);
            after = List.copyOf(after);
        }

        @Override
        public int node(int caller, long now, int all, SplittableRandom random) {
            List<Integer> shares = now < movesNanos ? before : after;
            int drawn = random.nextInt(PERCENT);
            int first = 0;
            int region = 0;
            for (int sum = shares.get(0); drawn >= sum && region < shares.size() - 1; sum += shares.get(region)) {
                first += nodes.get(region++);
            }
            return first + random.nextInt(nodes.get(region));
        }
    }

    private static int at(long caller, long period, long place, int nodes) {
        long mixed = mix(caller * 0x9E3779B97F4A7C15L ^ mix(period * 31 + place + 1));
        return (int) Long.remainderUnsigned(mixed, nodes);
    }

    private static long mix(long bits) {
        long z = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
