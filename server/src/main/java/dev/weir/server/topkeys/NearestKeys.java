package dev.weir.server.topkeys;

/**
 * The keys of a rule that passed with the least share of their limit left, in the last minute: up to {@value #MOST} that
 * were seen once, and as many that were seen again. A caller that sends a new key with each request therefore displaces
 * only keys that were seen once. Not thread-safe.
 */
final class NearestKeys {
    static final int MOST = 32;
    private static final long KEPT_MILLIS = 60_000;

    private final Slots once = new Slots();
    private final Slots again = new Slots();

    /** Reads a key. */
    interface Reader {
        void key(long key, long used, long limit, boolean again);
    }

    /**
     * Notes that {@code key} passed; returns whether it is now one of the nearest.
     *
     * @param known whether it is known that the key was seen before
     */
    boolean passed(long key, long used, long limit, boolean known, long now) {
        boolean seen = once.remove(key) || known || again.has(key);
        return (seen ? again : once).put(key, used, limit, now);
    }

    /** Forgets a key that was denied: it is not near its limit any more, but over it. */
    void denied(long key) {
        if (!once.remove(key)) {
            again.remove(key);
        }
    }

    boolean has(long key) {
        return once.has(key) || again.has(key);
    }

    /** Hands the keys of the last minute to {@code reader}. */
    void each(long now, Reader reader) {
        once.each(now, false, reader);
        again.each(now, true, reader);
    }

    static int bytes() {
        return 2 * (MOST * 4 * Long.BYTES + 64);
    }

    /** A bounded set of keys, which keeps those with the least share left. */
    private static final class Slots {
        private final long[] keys = new long[MOST];
        private final long[] attempted = new long[MOST];
        private final long[] sizes = new long[MOST];
        private final long[] seen = new long[MOST];
        private int size;

        boolean put(long key, long used, long limit, long now) {
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

        boolean remove(long key) {
            for (int i = 0; i < size; i++) {
                if (keys[i] == key) {
                    size--;
                    set(i, keys[size], attempted[size], sizes[size], seen[size]);
                    return true;
                }
            }
            return false;
        }

        boolean has(long key) {
            for (int i = 0; i < size; i++) {
                if (keys[i] == key) {
                    return true;
                }
            }
            return false;
        }

        void each(long now, boolean again, Reader reader) {
            for (int i = 0; i < size; i++) {
                if (!isOld(i, now)) {
                    reader.key(keys[i], attempted[i], sizes[i], again);
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
    }
}
