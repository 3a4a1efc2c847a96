package dev.weir.internal.region;

import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import org.jspecify.annotations.Nullable;

/**
 * The hits that one region is known to have admitted under one counter, by window, and the ask that reads
 * them in the store of that region. Only the region itself writes them. All methods but {@link #answered} are called
 * with the lock of the counter.
 */
final class RegionCell extends Ask {
    private final RegionalCounter counter;
    /** Null for the own region. */
    private final @Nullable RegionLink link;

    private boolean inFlight;
    private boolean asked;
    private long sentNanos;
    /** Whether an ask was sent since the last answer, and when the first of them was. */
    private boolean waiting;

    private long waitingSinceNanos;

    /** The latest window that hits are known of, and the one before: the clocks of regions differ. */
    private long window = Long.MIN_VALUE;

    private long used;
    private long windowBefore = Long.MIN_VALUE;
    private long usedBefore;

    private boolean heard;
    private long heardNanos;
    /** The window in which the last answer came, and the hits that were left of it for all regions. */
    private long heardWindow;

    private long left;

    RegionCell(RegionalCounter counter, Check like, int storeIndex, @Nullable RegionLink link) {
        this.counter = counter;
        this.link = link;
        Check check = checks.add();
        check.set(like);
        check.hits = 0;
        check.ahead = 0;
        check.window = 0;
        check.owed = false;
        check.countsDenied = false;
        check.role = Check.Role.SHADOW;
        check.store = storeIndex;
    }

    @Nullable
    RegionLink link() {
        return link;
    }

    int storeIndex() {
        return checks.get(0).store;
    }

    /** Whether to ask again, given that requests came until {@code usedNanos}. */
    boolean isDue(long nanos, long usedNanos, long intervalNanos) {
        return !inFlight && (!asked || (usedNanos - sentNanos >= 0 && nanos - sentNanos >= intervalNanos));
    }

    boolean isInFlight() {
        return inFlight;
    }

    void sending(long nanos) {
        inFlight = true;
        asked = true;
        sentNanos = nanos;
        deadlineNanos = nanos + RegionLink.SILENT_NANOS;
        patienceNanos = RegionLink.SILENT_NANOS;
        if (!waiting) {
            waiting = true;
            waitingSinceNanos = nanos;
        }
        if (link != null) {
            link.asked(nanos);
        }
    }

    @Override
    public void answered() {
        counter.answered(this);
    }

    /** Takes in the answer, of which the window now is {@code current}; returns whether there was one. */
    boolean merge(long current) {
        inFlight = false;
        Check check = checks.get(0);
        if (check.failure != null) {
            return false;
        }
        waiting = false;
        Outcome out = check.outcome;
        long known = counter.limit().requests() - out.remaining;
        long of = known == 0 ? current : out.state0;
        if (of > window) {
            windowBefore = window;
            usedBefore = used;
            window = of;
            used = known;
        } else if (of == window) {
            used = Math.max(used, known);
        } else if (of == windowBefore) {
            usedBefore = Math.max(usedBefore, known);
        }
        if (link != null) {
            link.answered(sentNanos);
        }
        return true;
    }

    /** Records that {@code hits} were left for all regions of the window {@code current} when this region answered. */
    void heard(long current, long hits) {
        heard = true;
        heardNanos = sentNanos;
        heardWindow = current;
        left = hits;
    }

    long sentNanos() {
        return sentNanos;
    }

    /** The hits that the region is known to have admitted in the window that starts at {@code start}. */
    long usedIn(long start) {
        return start == window ? used : start == windowBefore ? usedBefore : 0;
    }

    /** The hits that were left of the window at {@code start} when the region was last heard; all if that was before. */
    long leftOf(long start) {
        return heard && heardWindow == start ? left : counter.limit().requests();
    }

    /** Nanoseconds until the region counts as silent; 0 or less if it is. */
    long nanosUntilSilent(long nanos) {
        if (link == null) {
            return RegionLink.SILENT_NANOS;
        }
        long own = waiting ? RegionLink.SILENT_NANOS - (nanos - waitingSinceNanos) : RegionLink.SILENT_NANOS;
        return Math.min(own, link.nanosUntilSilent(nanos));
    }

    /** How long ago the region was last heard, nanoseconds; the largest number if never. */
    long sinceHeard(long nanos) {
        return heard ? nanos - heardNanos : Long.MAX_VALUE;
    }

    RegionView view(String ownName, long start, long nanos) {
        long age = heard ? Math.max(0, nanos - heardNanos) / 1_000 : -1;
        String name = link == null ? ownName : link.region();
        return new RegionView(name, usedIn(start), age, nanosUntilSilent(nanos) <= 0);
    }
}
