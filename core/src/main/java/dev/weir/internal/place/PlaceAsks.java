package dev.weir.internal.place;

import java.util.Arrays;

/** The asks of one request, one for each place and kind of check. The buffers are reused for the next request. */
final class PlaceAsks {
    /** Up to this number of asks a linear search is fastest. */
    private static final int FEW = 8;

    private final MultiPlaceDecision decision;
    private PlaceAsk[] asks = new PlaceAsk[0];
    private int size;
    /** A hash table of indices into {@link #asks}, plus one; 0 if empty. A request may have thousands of checks. */
    private int[] table = new int[0];
    /** The used size of the table, minus one; 0 if a linear search is used. */
    private int mask;

    PlaceAsks(MultiPlaceDecision decision) {
        this.decision = decision;
    }

    /** Clears the asks, and makes room in the table for up to {@code most}. */
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

    /** Returns the ask of this kind that has room for {@code cost}, creating it if there is none yet. */
    PlaceAsk find(long place, boolean counts, boolean refunds, long cost) {
        if (mask == 0) {
            for (int i = 0; i < size; i++) {
                if (asks[i].accepts(place, counts, refunds, cost)) {
                    return asks[i];
                }
            }
            return add(place, counts, refunds);
        }
        long hash = (place * 4 + (counts ? 2 : 0) + (refunds ? 1 : 0)) * 0x9E3779B97F4A7C15L;
        int at = (int) (hash >>> 32) & mask;
        while (table[at] != 0) {
            PlaceAsk found = asks[table[at] - 1];
            if (found.accepts(place, counts, refunds, cost)) {
                return found;
            }
            at = (at + 1) & mask;
        }
        PlaceAsk fresh = add(place, counts, refunds);
        table[at] = size;
        return fresh;
    }

    /** Adds an ask of this kind. */
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

    /** Releases references to objects of others. */
    void end() {
        for (int i = 0; i < size; i++) {
            asks[i].end();
        }
        size = 0;
    }
}
