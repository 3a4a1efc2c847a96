package dev.weir.control.quota;

import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.match.override.OverrideLookup;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Every quota in memory, and of each what holds now: the decision path looks up a key in a map and compares no times. What
 * begins or ends later is put in its place by a timer, at that moment.
 */
public final class QuotaCache implements OverrideLookup {
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

    private final ScheduledExecutorService timer;
    private final ConcurrentSkipListMap<String, StoredQuota> all = new ConcurrentSkipListMap<>();
    private final Map<String, CallerOverrides> inForce = new ConcurrentHashMap<>();
    /** When each quota is to be looked at again; and the same, soonest first. */
    private final Map<String, Due> dueByKey = new HashMap<>();

    private final TreeSet<Due> due = new TreeSet<>();
    private @Nullable ScheduledFuture<?> ticking;
    /** What it ticks for. */
    private @Nullable Due awaited;

    private record Due(Instant at, String apiKey) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            int first = at.compareTo(other.at);
            return first != 0 ? first : apiKey.compareTo(other.apiKey);
        }
    }

    public QuotaCache(ScheduledExecutorService timer) {
        this.timer = timer;
    }

    @Override
    public @Nullable CallerOverrides of(String apiKey) {
        return inForce.get(apiKey);
    }

    /** How many there are. */
    public int size() {
        return all.size();
    }

    public @Nullable StoredQuota get(String apiKey) {
        return all.get(apiKey);
    }

    /** The first {@code most} quotas whose keys come after {@code after}. */
    public List<StoredQuota> page(String after, int most) {
        return all.tailMap(after, false).values().stream().limit(most).toList();
    }

    /** Every quota. */
    public Collection<StoredQuota> all() {
        return all.values();
    }

    /** Takes in one quota as it is now; null if it is gone. */
    public synchronized void set(String apiKey, @Nullable StoredQuota quota) {
        Instant now = Instant.now();
        put(apiKey, quota, now);
        await(now);
    }

    /** Takes in all quotas; what is not among them is gone. */
    public synchronized void setAll(Collection<StoredQuota> quotas) {
        Instant now = Instant.now();
        Set<String> there = quotas.stream().map(StoredQuota::apiKey).collect(Collectors.toSet());
        all.keySet().stream().filter(each -> !there.contains(each)).toList().forEach(each -> put(each, null, now));
        quotas.forEach(each -> put(each.apiKey(), each, now));
        await(now);
    }

    private void put(String apiKey, @Nullable StoredQuota quota, Instant now) {
        if (quota == null) {
            all.remove(apiKey);
        } else {
            all.put(apiKey, quota);
        }
        CallerOverrides holds = quota == null ? null : quota.at(now);
        if (holds == null) {
            inForce.remove(apiKey);
        } else {
            inForce.put(apiKey, holds);
        }
        Instant next = quota == null ? null : quota.nextChange(now);
        Due before = next == null ? dueByKey.remove(apiKey) : dueByKey.put(apiKey, new Due(next, apiKey));
        if (before != null) {
            due.remove(before);
        }
        if (next != null) {
            due.add(new Due(next, apiKey));
        }
    }

    /** Has the timer run for what is due first, and for nothing else. */
    private void await(Instant now) {
        Due first = due.isEmpty() ? null : due.first();
        if (Objects.equals(first, awaited)) {
            return;
        }
        if (ticking != null) {
            ticking.cancel(false);
        }
        awaited = first;
        ticking = first == null ? null : timer.schedule(this::tick, wait(first.at(), now), TimeUnit.MILLISECONDS);
    }

    private static long wait(Instant at, Instant now) {
        // Far ahead there is time to look again: a clock that is set meanwhile must not make it miss the moment by
        // much.
        return at.isAfter(now.plus(LOOK_AGAIN))
                ? LOOK_AGAIN.toMillis()
                : Duration.between(now, at).toMillis() + 1;
    }

    private synchronized void tick() {
        Instant now = Instant.now();
        while (!due.isEmpty() && !due.first().at().isAfter(now)) {
            String apiKey = due.first().apiKey();
            put(apiKey, all.get(apiKey), now);
        }
        awaited = null;
        await(now);
    }
}
