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
 * All quotas in memory, with the overrides of each that are effective now: the decision path looks a key up in a map
 * and compares no times. A timer updates the map when an override begins or ends.
 */
public final class QuotaCache implements OverrideLookup {
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    private final ScheduledExecutorService timer;
    private final ConcurrentSkipListMap<String, StoredQuota> all = new ConcurrentSkipListMap<>();
    private final Map<String, CallerOverrides> inForce = new ConcurrentHashMap<>();
    /** The next time at which a part of each quota begins or ends; and the same times, soonest first. */
    private final Map<String, Due> dueByKey = new HashMap<>();

    private final TreeSet<Due> due = new TreeSet<>();
    private @Nullable ScheduledFuture<?> pendingTick;
    /** The entry that {@link #pendingTick} is for. */
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

    /** Returns the number of quotas. */
    public int size() {
        return all.size();
    }

    public @Nullable StoredQuota get(String apiKey) {
        return all.get(apiKey);
    }

    /** Returns the first {@code most} quotas of {@code tier} (null: of any) whose keys come after {@code after}. */
    public List<StoredQuota> page(String after, @Nullable String tier, int most) {
        return all.tailMap(after, false).values().stream()
                .filter(each -> tier == null || tier.equals(each.tier()))
                .limit(most)
                .toList();
    }

    /** Returns every quota. */
    public Collection<StoredQuota> all() {
        return all.values();
    }

    /** Replaces one quota; null removes it. */
    public synchronized void set(String apiKey, @Nullable StoredQuota quota) {
        Instant now = Instant.now();
        put(apiKey, quota, now);
        schedule(now);
    }

    /** Replaces all quotas. */
    public synchronized void setAll(Collection<StoredQuota> quotas) {
        Instant now = Instant.now();
        Set<String> there = quotas.stream().map(StoredQuota::apiKey).collect(Collectors.toSet());
        all.keySet().stream().filter(each -> !there.contains(each)).toList().forEach(each -> put(each, null, now));
        quotas.forEach(each -> put(each.apiKey(), each, now));
        schedule(now);
    }

    private void put(String apiKey, @Nullable StoredQuota quota, Instant now) {
        if (quota == null) {
            all.remove(apiKey);
        } else {
            all.put(apiKey, quota);
        }
        CallerOverrides effective = quota == null ? null : quota.at(now);
        if (effective == null) {
            inForce.remove(apiKey);
        } else {
            inForce.put(apiKey, effective);
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

    /** Schedules the timer for the entry that is due first. */
    private void schedule(Instant now) {
        Due first = due.isEmpty() ? null : due.first();
        if (Objects.equals(first, awaited)) {
            return;
        }
        if (pendingTick != null) {
            pendingTick.cancel(false);
        }
        awaited = first;
        pendingTick = first == null ? null : timer.schedule(this::tick, wait(first.at(), now), TimeUnit.MILLISECONDS);
    }

    private static long wait(Instant at, Instant now) {
        // Do not sleep longer than a minute: if the system clock is set meanwhile, the change must not be late by much.
        return at.isAfter(now.plus(LONGEST_WAIT))
                ? LONGEST_WAIT.toMillis()
                : Duration.between(now, at).toMillis() + 1;
    }

    private synchronized void tick() {
        Instant now = Instant.now();
        while (!due.isEmpty() && !due.first().at().isAfter(now)) {
            String apiKey = due.first().apiKey();
            put(apiKey, all.get(apiKey), now);
        }
        awaited = null;
        schedule(now);
    }
}
