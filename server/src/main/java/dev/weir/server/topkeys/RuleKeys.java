package dev.weir.server.topkeys;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The heaviest callers of one rule. Not thread-safe. */
final class RuleKeys {
    static final long MINUTE = 60_000;
    static final long HOUR = 60 * MINUTE;
    /** A caller that is not denied for this long begins anew. */
    private static final long PAUSE = MINUTE;

    /** Above this, callers in no list are forgotten at once. All lists together hold fewer: eight tables, and the nearest. */
    private static final int MOST_NAMES = 2 * (8 * HeavyKeeper.TABLE + 2 * NearestKeys.MOST);

    /** A caller: its name once it is known, and since when it has been denied. */
    static final class Seen {
        @Nullable
        NamedKey name;

        long deniedSince;
        long deniedLast;

        /** Since when it has been denied without a pause; 0 if it is not. */
        long deniedSince(long now) {
            return deniedLast != 0 && now - deniedLast <= PAUSE ? deniedSince : 0;
        }
    }

    final String domain;
    final String rule;
    private final long seed;
    private final Map<Long, Seen> seen = new HashMap<>();
    private @Nullable SlidingCounts deniedMinute;
    private @Nullable SlidingCounts deniedHour;
    private @Nullable SlidingCounts allowedMinute;
    private @Nullable SlidingCounts allowedHour;
    private @Nullable NearestKeys nearest;
    private final HighestUse highest = new HighestUse();
    private long lastMillis;
    private long pruned;
    private int nameBytes;

    RuleKeys(String domain, String rule, long seed) {
        this.domain = domain;
        this.rule = rule;
        this.seed = seed;
    }

    /** Counts a check; {@code now} never goes back. */
    void add(long key, long attempted, long size, boolean allowed, int weight, long now) {
        lastMillis = now;
        highest.add(attempted, size, now);
        if (allowed) {
            allowedMinute = counts(allowedMinute, MINUTE);
            allowedHour = counts(allowedHour, HOUR);
            boolean heavy = add(allowedMinute, key, weight, now);
            heavy |= add(allowedHour, key, weight, now);
            if (size > 0) {
                nearest = nearest == null ? new NearestKeys() : nearest;
                heavy |= nearest.passed(key, attempted, size, allowedMinute.hasMoreThan(key, weight), now);
            }
            if (heavy) {
                seen(key);
            }
            return;
        }
        deniedMinute = counts(deniedMinute, MINUTE);
        deniedHour = counts(deniedHour, HOUR);
        if (nearest != null) {
            nearest.denied(key);
        }
        boolean heavy = add(deniedMinute, key, weight, now);
        heavy |= add(deniedHour, key, weight, now);
        if (heavy) {
            Seen caller = seen(key);
            if (now - caller.deniedLast > PAUSE) {
                caller.deniedSince = now;
            }
            caller.deniedLast = now;
        }
    }

    private SlidingCounts counts(@Nullable SlidingCounts counts, long period) {
        return counts == null ? new SlidingCounts(period, seed ^ period) : counts;
    }

    private static boolean add(SlidingCounts to, long key, int weight, long now) {
        to.advance(now);
        return to.add(key, weight);
    }

    private Seen seen(long key) {
        if (seen.size() >= MOST_NAMES) {
            prune();
        }
        return seen.computeIfAbsent(key, unseen -> new Seen());
    }

    /** Whether the name of {@code key} is wanted. */
    boolean lacksName(long key) {
        Seen caller = seen.get(key);
        return caller != null && caller.name == null;
    }

    void name(long key, NamedKey name) {
        Seen caller = seen.get(key);
        if (caller != null) {
            caller.name = name;
            nameBytes += name.bytes();
        }
    }

    /** Moves all windows on, and forgets callers that are in none; to be called every second or so. */
    void advance(long now) {
        for (SlidingCounts each : all()) {
            each.advance(now);
        }
        if (now - pruned > MINUTE) {
            pruned = now;
            prune();
        }
    }

    private List<SlidingCounts> all() {
        List<SlidingCounts> all = new ArrayList<>(4);
        for (@Nullable
        SlidingCounts each : new SlidingCounts[] {deniedMinute, deniedHour, allowedMinute, allowedHour}) {
            if (each != null) {
                all.add(each);
            }
        }
        return all;
    }

    private void prune() {
        List<SlidingCounts> all = all();
        seen.keySet()
                .removeIf(
                        key -> all.stream().noneMatch(each -> each.has(key)) && (nearest == null || !nearest.has(key)));
        nameBytes = 0;
        for (Seen each : seen.values()) {
            nameBytes += each.name == null ? 0 : each.name.bytes();
        }
    }

    /** When a check was last counted. */
    long lastMillis() {
        return lastMillis;
    }

    /** Whether nothing is left that anybody could ask for. */
    boolean isIdle(long now) {
        return now - lastMillis > 2 * HOUR;
    }

    int bytes() {
        int bytes = 512 + seen.size() * 96 + nameBytes + (nearest == null ? 0 : NearestKeys.bytes());
        for (SlidingCounts each : all()) {
            bytes += each.bytes();
        }
        return bytes;
    }

    /** The highest share of a limit that a caller has attempted lately; NaN if there was none. */
    double highestUse(long now) {
        return highest.of(now);
    }

    @Nullable
    SlidingCounts counts(boolean denied, boolean hour) {
        return denied ? (hour ? deniedHour : deniedMinute) : hour ? allowedHour : allowedMinute;
    }

    /** The sum over all callers. */
    double total(boolean denied, boolean hour, long now) {
        SlidingCounts counts = counts(denied, hour);
        if (counts == null) {
            return 0;
        }
        counts.advance(now);
        return counts.total(now);
    }

    /** Adds the callers of a window whose names are known, and who have at least {@code least}. */
    void collect(boolean denied, boolean hour, double least, long now, List<TopKey> into) {
        SlidingCounts counts = counts(denied, hour);
        if (counts == null) {
            return;
        }
        counts.advance(now);
        if (counts.total(now) < least) {
            return;
        }
        Set<Long> added = new HashSet<>();
        for (HeavyKeeper each : List.of(counts.current(), counts.closed())) {
            for (int i = 0; i < each.size(); i++) {
                long key = each.key(i);
                double count = counts.count(key, now);
                if (count >= least && count >= 0.5 && added.add(key)) {
                    add(key, count, now, into);
                }
            }
        }
    }

    private void add(long key, double count, long now, List<TopKey> into) {
        Seen caller = seen.get(key);
        NamedKey name = caller == null ? null : caller.name;
        if (caller != null && name != null) {
            into.add(new TopKey(domain, rule, name, count, caller.deniedSince(now), 0, 0));
        }
    }

    /** Adds the callers that passed nearest to their limit. */
    void collectNearest(long now, List<TopKey> into) {
        if (nearest != null) {
            nearest.each(now, (key, used, limit, again) -> {
                Seen caller = seen.get(key);
                NamedKey name = caller == null ? null : caller.name;
                if (name != null) {
                    into.add(new TopKey(domain, rule, name, again ? 2 : 1, 0, used, limit));
                }
            });
        }
    }

    /** Since when the counter with the id {@code bucket} has been denied; 0 if it is not, or if it is not known. */
    long deniedSince(String bucket, long now) {
        for (Seen each : seen.values()) {
            NamedKey name = each.name;
            if (name != null && name.bucket().equals(bucket)) {
                return each.deniedSince(now);
            }
        }
        return 0;
    }
}
