package dev.weir.internal.place;

import java.util.Arrays;

/** The asks of one request, one for each place and kind of check. Buffers: they are filled again for the next request. */
final class PlaceAsks {
    /** As long as there are no more than this, looking at each is the fastest way to find one. */
    private static final int FEW = 8;

    private final MultiPlaceDecision decision;
    private PlaceAsk[] asks = new PlaceAsk[0];
    private int size;
    /** Places in {@link #asks}, plus one, by a hash: a request may have thousands of checks. 0 where there is none. */
    private int[] table = new int[0];
    /** How much of it is in use, less one; 0 if there are few. */
    private int mask;

    PlaceAsks(MultiPlaceDecision decision) {
        this.decision = decision;
    }

    /** Becomes empty, with room for up to {@code most} to be found. */
    void begin(int most) {
        size = 0;
        mask = most > FEW ? Integer.highestOneBit(most) * 4 - 1 : 0;
        if (table.length <= mask) {
            table = new int[mask + 1];
        } else if (mask > 0) {
            Arrays.fill(table, 0, mask + 1, 0);
        }
    }

    int size() {
        return size;
    }

    PlaceAsk get(int index) {
        return asks[index];
    }

    /** The ask of this kind; a new one, if there is none yet. */
    PlaceAsk find(long place, boolean counts, boolean refunds) {
        if (mask == 0) {
            for (int i = 0; i < size; i++) {
                if (asks[i].holds(place, counts, refunds)) {
                    return asks[i];
                }
            }
            return add(place, counts, refunds);
        }
        long hash = (place * 4 + (counts ? 2 : 0) + (refunds ? 1 : 0)) * 0x9E3779B97F4A7C15L;
        int at = (int) (hash >>> 32) & mask;
        while (table[at] != 0) {
            PlaceAsk found = asks[table[at] - 1];
            if (found.holds(place, counts, refunds)) {
                return found;
            }
            at = (at + 1) & mask;
        }
        PlaceAsk fresh = add(place, counts, refunds);
        table[at] = size;
        return fresh;
    }

    /** A new ask of this kind. */
    PlaceAsk add(long place, boolean counts, boolean refunds) {
        if (size == asks.length) {
            asks = Arrays.copyOf(asks, Math.max(4, 2 * size));
            for (int i = size; i < asks.length; i++) {
                asks[i] = new PlaceAsk(decision);
            }
        }
        PlaceAsk ask = asks[size++];
        ask.begin(place, counts, refunds);
        return ask;
    }

    /** Lets go of what others own. */
    void end() {
        for (int i = 0; i < size; i++) {
            asks[i].end();
        }
        size = 0;
    }
}
