package dev.weir.benchmarks;

import java.util.Arrays;
import java.util.Random;

/** A million keys, and the sequence of callers: the i-th most frequent in proportion to 1 / i. */
final class StoreZipfKeys {
    private static final int DRAWS = 1 << 20;

    private final String[] keys;
    private final String[] callers = new String[DRAWS];
    private int next;

    StoreZipfKeys(int count) {
        Random random = new Random(42);
        keys = new String[count];
        double[] cumulative = new double[count];
        double sum = 0;
        for (int i = 0; i < count; i++) {
            keys[i] = "user-" + Integer.toHexString(random.nextInt()) + i;
            sum += 1.0 / (i + 1);
            cumulative[i] = sum;
        }
        for (int i = 0; i < DRAWS; i++) {
            int at = Arrays.binarySearch(cumulative, random.nextDouble() * sum);
            // Each key has its own chars, adjacent to those of the caller before: a request's key is in the cache,
            // whoever sent it.
            callers[i] = new String(keys[Math.min(count - 1, at < 0 ? ~at : at)].toCharArray());
        }
    }

    String[] all() {
        return keys;
    }

    /** The key of the next caller: a string that was not hashed before, as in a request. */
    String next() {
        next = (next + 1) & (DRAWS - 1);
        return new String(callers[next]);
    }
}
