package dev.weir.server.replay;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.algorithm.BlockMeter;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.algorithm.SlotMeter;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds for each rule and tier the lowest limit that would have denied no more than a share of the callers. A caller is a
 * counter of the rule. Each rule is looked at alone: requests that another rule denies count, too.
 *
 * <h2>Search</h2>
 *
 * <p>A caller that is never denied under a limit is never denied under a higher one, because all of its hits count under
 * both. So the number of denied callers falls as the limit grows, and bisection finds the lowest limit. The rule's own
 * algorithm, window and ratio of burst to requests stay; the rule's meter decides.
 *
 * <h2>Memory</h2>
 *
 * <p>The hits of each counter are kept, eight million at most. Above that every second counter is dropped, chosen by
 * its hash, and the result is an estimate.
 */
public final class LimitSearch {
    private static final int MOST_HITS = 1 << 23;
    private static final long MOST_REQUESTS = 1L << 52;

    private final Map<String, Group> groups = new LinkedHashMap<>();
    private int level;
    private long kept;

    /**
     * The lowest limit of a rule for the callers of one tier.
     *
     * @param tier empty if requests name none
     * @param callers the counters that the traffic used
     * @param denied how many of them the suggested limit would have denied at least once
     * @param deniedNow how many the rule's own limit would have denied, if it alone decided
     * @param limit null if no limit that can be counted is high enough
     */
    public record Suggestion(
            Rule rule,
            String tier,
            long callers,
            long denied,
            long deniedNow,
            @Nullable Limit limit) {}

    private static final class Group {
        final Rule rule;
        final String tier;
        final Map<Long, Hits> counters = new HashMap<>();

        Group(Rule rule, String tier) {
            this.rule = rule;
            this.tier = tier;
        }
    }

    /** The hits of one counter: times and numbers in turn. */
    private static final class Hits {
        long[] words = new long[4];
        int size;
        long total;

        void add(long micros, long hits) {
            if (size == words.length) {
                words = Arrays.copyOf(words, size * 2);
            }
            words[size++] = micros;
            words[size++] = hits;
            total += Math.max(0, hits);
        }
    }

    /** Records the checks of {@code decision} on {@code request} at {@code micros}. */
    void add(Request request, MutableDecision decision, long micros) {
        for (int i = 0, size = decision.size(); i < size; i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            long counter = verdict.counter();
            if (rule != null
                    && rule.limit() != null
                    && rule.limit().algorithm() != Algorithm.CONCURRENCY
                    && (counter & ((1L << level) - 1)) == 0) {
                String tier = tier(request);
                Group group = groups.computeIfAbsent(
                        rule.domain() + "\n" + rule.id() + "\n" + tier, key -> new Group(rule, tier));
                group.counters.computeIfAbsent(counter, key -> new Hits()).add(micros, verdict.hits());
                if (++kept > MOST_HITS) {
                    thin();
                }
            }
        }
    }

    private static String tier(Request request) {
        for (int i = 0; i < request.descriptors(); i++) {
            String tier = request.value(i, Attributes.TIER);
            if (tier != null) {
                return tier;
            }
        }
        return "";
    }

    private void thin() {
        level++;
        kept = 0;
        for (Group each : groups.values()) {
            each.counters.keySet().removeIf(key -> (key & ((1L << level) - 1)) != 0);
            for (Hits hits : each.counters.values()) {
                kept += hits.size / 2;
            }
        }
    }

    /** Whether counters were left out, so that suggestions are estimates. */
    public boolean isEstimate() {
        return level > 0;
    }

    /**
     * Returns the lowest limits.
     *
     * @param percent the callers of a rule and tier that may be denied at least once, in percent
     */
    public List<Suggestion> suggest(double percent) {
        List<Suggestion> found = new ArrayList<>();
        for (Group each : groups.values()) {
            if (!each.counters.isEmpty()) {
                found.add(suggest(each, percent));
            }
        }
        return found;
    }

    private Suggestion suggest(Group group, double percent) {
        Limit written = Objects.requireNonNull(group.rule.limit());
        List<Hits> counters = List.copyOf(group.counters.values());
        long allowed = (long) Math.floor(counters.size() * percent / 100 + 1e-9);
        long high = 1;
        for (Hits each : counters) {
            high = Math.max(high, each.total);
        }
        if (written.burst() > 0 && written.burst() < written.requests()) {
            // A burst of all hits at once is enough, and it is only a part of the requests.
            high = (long) Math.min(MOST_REQUESTS, Math.ceil((double) high * written.requests() / written.burst()) + 1);
        }
        long low = 0; // denies too many, or is no limit
        Limit best = countable(written, high);
        if (best == null || denied(counters, best, allowed) > allowed) {
            best = highest(written, high);
            if (best == null || denied(counters, best, allowed) > allowed) {
                return suggestion(group, counters, null);
            }
        }
        high = best.requests();
        while (high - low > 1) {
            long middle = low + (high - low) / 2;
            Limit tried = countable(written, middle);
            if (tried == null || tried.requests() >= high) {
                high = middle; // no countable limit from here up to the best one
            } else if (denied(counters, tried, allowed) > allowed) {
                low = tried.requests();
            } else {
                best = tried;
                high = tried.requests();
            }
        }
        return suggestion(group, counters, best);
    }

    private Suggestion suggestion(Group group, List<Hits> counters, @Nullable Limit limit) {
        long scale = 1L << level;
        Limit written = Objects.requireNonNull(group.rule.limit());
        return new Suggestion(
                group.rule,
                group.tier,
                counters.size() * scale,
                limit == null ? 0 : denied(counters, limit, Long.MAX_VALUE) * scale,
                denied(counters, written, Long.MAX_VALUE) * scale,
                limit);
    }

    /** The lowest limit of at least {@code requests} that can be counted, with the other numbers of {@code written}. */
    private static @Nullable Limit countable(Limit written, long requests) {
        for (long each = requests; each <= requests + 1_000; each++) {
            Limit limit = scaled(written, each);
            if (Meters.refusal(limit) == null) {
                return limit;
            }
        }
        return null;
    }

    /** The highest limit below {@code requests} that can be counted, found by halving. */
    private static @Nullable Limit highest(Limit written, long requests) {
        long low = 0;
        long high = requests;
        while (high - low > 1) {
            long middle = low + (high - low) / 2;
            if (countable(written, middle) == null) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return low == 0 ? null : countable(written, low);
    }

    private static Limit scaled(Limit written, long requests) {
        double ratio = written.requests() == 0 ? 1 : (double) written.burst() / written.requests();
        long burst = written.burst() == written.requests() ? requests : Math.max(1, (long) Math.ceil(requests * ratio));
        return new Limit(
                written.algorithm(),
                requests,
                written.windowMicros(),
                burst,
                written.subWindows(),
                written.calendar(),
                written.credit());
    }

    /** How many counters {@code limit} denies at least once; stops above {@code enough}. */
    private static long denied(List<Hits> counters, Limit limit, long enough) {
        Meter meter = Meters.of(limit);
        long surely = Math.min(limit.requests(), limit.burst());
        long denied = 0;
        for (Hits each : counters) {
            if (each.total > surely && denies(meter, each)) {
                denied++;
                if (denied > enough) {
                    return denied;
                }
            }
        }
        return denied;
    }

    private static boolean denies(Meter meter, Hits hits) {
        Outcome out = new Outcome();
        if (meter instanceof SlotMeter slot) {
            long state0 = 0;
            long state1 = 0;
            for (int i = 0; i < hits.size; i += 2) {
                slot.apply(state0, state1, hits.words[i], hits.words[i + 1], false, out);
                if (!out.allowed) {
                    return true;
                }
                state0 = out.state0;
                state1 = out.state1;
            }
            return false;
        }
        return denies((BlockMeter) meter, hits, out);
    }

    private static boolean denies(BlockMeter meter, Hits hits, Outcome out) {
        long[] memory = {};
        int words = 0;
        for (int i = 0; i < hits.size; i += 2) {
            long micros = hits.words[i];
            long number = hits.words[i + 1];
            meter.ask(memory, 0, words, micros, number, out);
            if (!out.allowed) {
                return true;
            }
            int needed = meter.wordsToTake(memory, 0, words, micros, number);
            if (needed > memory.length) {
                memory = Arrays.copyOf(memory, Math.max(needed, memory.length * 2));
            }
            words = Math.max(words, needed);
            meter.take(memory, 0, words, micros, number);
        }
        return false;
    }
}
