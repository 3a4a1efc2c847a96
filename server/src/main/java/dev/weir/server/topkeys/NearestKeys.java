package dev.weir.server.topkeys;

/** The keys of a rule that passed with the least share of their limit left, in the last minute. Not thread-safe. */
final class NearestKeys {
    private static final int MOST = 32;
    private static final long KEPT_MILLIS = 60_000;

    private final long[] keys = new long[MOST];
    private final long[] attempted = new long[MOST];
    private final long[] sizes = new long[MOST];
    private final long[] seen = new long[MOST];
    private int size;

    /** Notes that {@code key} passed; returns whether it is now one of the nearest. */
    boolean passed(long key, long used, long limit, long now) {
        int worst = -1;
        for (int i = 0; i < size; i++) {
            if (keys[i] == key) {
                set(i, key, used, limit, now);
                return true;
            }
            if (worst < 0 || isWorse(i, worst, now)) {
                worst = i;
            }
        }
        if (size < MOST) {
            set(size++, key, used, limit, now);
            return true;
        }
        if (isOld(worst, now) || share(used, limit) > share(attempted[worst], sizes[worst])) {
            set(worst, key, used, limit, now);
            return true;
        }
        return false;
    }

    /** Forgets a key that was denied: it is not near its limit any more, but over it. */
    void denied(long key) {
        for (int i = 0; i < size; i++) {
            if (keys[i] == key) {
                size--;
                set(i, keys[size], attempted[size], sizes[size], seen[size]);
                return;
            }
        }
    }

    private void set(int at, long key, long used, long limit, long now) {
        keys[at] = key;
        attempted[at] = used;
        sizes[at] = limit;
        seen[at] = now;
    }

    private boolean isWorse(int one, int other, long now) {
        boolean old = isOld(one, now);
        return old != isOld(other, now)
                ? old
                : share(attempted[one], sizes[one]) < share(attempted[other], sizes[other]);
    }

    private boolean isOld(int at, long now) {
        return now - seen[at] > KEPT_MILLIS;
    }

    private static double share(long used, long limit) {
        return used / (double) limit;
    }

    boolean has(long key) {
        for (int i = 0; i < size; i++) {
            if (keys[i] == key) {
                return true;
            }
        }
        return false;
    }

    int size() {
        return size;
    }

    boolean isFresh(int position, long now) {
        return !isOld(position, now);
    }

    long key(int position) {
        return keys[position];
    }

    long used(int position) {
        return attempted[position];
    }

    long limit(int position) {
        return sizes[position];
    }

    static int bytes() {
        return MOST * 4 * Long.BYTES + 64;
    }
}
