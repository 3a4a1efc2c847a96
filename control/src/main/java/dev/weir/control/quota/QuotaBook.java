package dev.weir.control.quota;

import dev.weir.match.Quota;
import dev.weir.match.Quotas;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Every quota in memory, and of each what holds now: the decision path looks up a key in a map and compares no times. What
 * begins or ends later is put in its place by a timer, at that moment.
 */
public final class QuotaBook implements Quotas {
    private final ScheduledExecutorService timer;
    private final ConcurrentSkipListMap<String, StoredQuota> all = new ConcurrentSkipListMap<>();
    private final Map<String, Quota> inForce = new ConcurrentHashMap<>();
    /** What is to be looked at again, soonest first; a quota that was changed meanwhile is looked at once too often. */
    private final PriorityQueue<Due> due = new PriorityQueue<>();

    private record Due(Instant at, String apiKey) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            return at.compareTo(other.at);
        }
    }

    public QuotaBook(ScheduledExecutorService timer) {
        this.timer = timer;
    }

    @Override
    public @Nullable Quota of(String apiKey) {
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
        if (quota == null) {
            all.remove(apiKey);
            inForce.remove(apiKey);
            return;
        }
        all.put(apiKey, quota);
        refresh(quota, Instant.now());
    }

    /** Takes in all quotas; what is not among them is gone. */
    public synchronized void setAll(Collection<StoredQuota> quotas) {
        Map<String, StoredQuota> next = new ConcurrentHashMap<>();
        quotas.forEach(each -> next.put(each.apiKey(), each));
        all.keySet().stream().filter(each -> !next.containsKey(each)).toList().forEach(each -> set(each, null));
        Instant now = Instant.now();
        quotas.forEach(each -> {
            all.put(each.apiKey(), each);
            refresh(each, now);
        });
    }

    private void refresh(StoredQuota quota, Instant now) {
        Quota holds = quota.at(now);
        if (holds == null) {
            inForce.remove(quota.apiKey());
        } else {
            inForce.put(quota.apiKey(), holds);
        }
        Instant next = quota.nextChange(now);
        if (next != null) {
            Due soonest = due.peek();
            due.add(new Due(next, quota.apiKey()));
            if (soonest == null || next.isBefore(soonest.at())) {
                schedule(next, now);
            }
        }
    }

    private void schedule(Instant at, Instant now) {
        // Far ahead there is time to look again: a clock that is set meanwhile must not make it miss the moment by
        // much.
        long wait = Math.min(Duration.between(now, at).toMillis() + 1, TimeUnit.MINUTES.toMillis(1));
        var unused = timer.schedule(this::tick, wait, TimeUnit.MILLISECONDS);
    }

    private synchronized void tick() {
        Instant now = Instant.now();
        for (Due first = due.peek(); first != null && !first.at().isAfter(now); first = due.peek()) {
            due.remove();
            StoredQuota quota = all.get(first.apiKey());
            if (quota != null) {
                refresh(quota, now);
            }
        }
        Due next = due.peek();
        if (next != null) {
            schedule(next.at(), now);
        }
    }
}
