package dev.weir.server.metrics;

import dev.weir.internal.model.Rule;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Assigns each series, a domain and a rule's label, a position of its own, and frees it when no rule has the label any
 * more. The first {@link #MAX_COUNTED} labels get one; the rules after them share {@link #OTHERS}. To bound the size of a
 * scrape, metrics show the first {@link #MAX_SERIES}, and add up all others.
 */
final class SeriesPositions {
    static final int MAX_SERIES = 1_000;
    /** A position takes 104 bytes for each thread that decides. */
    static final int MAX_COUNTED = 20_000;

    static final int OTHERS = 0;
    static final int CALLERS = 1;
    /** Positions below this have histograms of their own: those of the series that metrics show. */
    static final int TIMED = CALLERS + 1 + MAX_SERIES;

    /** Sums a field of a position over all threads. */
    interface Totals {
        long total(int position, int field);
    }

    private record Name(String domain, String rule) {}

    private final Totals totals;
    private final Map<Name, RuleSeries> series = new LinkedHashMap<>();
    /** Positions below and from {@link #TIMED} that were used before. */
    private final Deque<Integer> freeTimed = new ArrayDeque<>();

    private final Deque<Integer> freeUntimed = new ArrayDeque<>();
    private int unusedTimed = CALLERS + 1;
    private int unusedUntimed = TIMED;
    /** The counts of series that metrics did not show, and that are gone: a counter must not fall. */
    private final long[] gone = new long[ThreadCounts.FIELDS];

    SeriesPositions(Totals totals) {
        this.totals = totals;
    }

    /** The position of each of {@code rules}, by ordinal. */
    synchronized int[] assign(List<Rule> rules) {
        Set<Name> named = new HashSet<>();
        rules.forEach(each -> named.add(new Name(each.domain(), each.label())));
        series.entrySet().removeIf(each -> {
            boolean isGone = !named.contains(each.getKey());
            if (isGone) {
                free(each.getValue());
            }
            return isGone;
        });
        int[] positions = new int[rules.size()];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = position(new Name(rules.get(i).domain(), rules.get(i).label()));
        }
        return positions;
    }

    private void free(RuleSeries series) {
        if (series.exposed()) {
            freeTimed.add(series.position());
            return;
        }
        for (int field = 0; field < gone.length; field++) {
            gone[field] += series.count(field);
        }
        freeUntimed.add(series.position());
    }

    private int position(Name name) {
        RuleSeries known = series.get(name);
        if (known == null && series.size() < MAX_COUNTED) {
            boolean exposed = unusedTimed < TIMED || !freeTimed.isEmpty();
            int position = exposed
                    ? freeTimed.isEmpty() ? unusedTimed++ : freeTimed.remove()
                    : freeUntimed.isEmpty() ? unusedUntimed++ : freeUntimed.remove();
            long[] before = new long[ThreadCounts.FIELDS];
            for (int field = 0; field < before.length; field++) {
                before[field] = totals.total(position, field);
            }
            known = new RuleSeries(name.domain, name.rule, position, exposed, before, totals);
            series.put(name, known);
        }
        return known == null ? OTHERS : known.position();
    }

    /** An upper bound of the assigned positions. */
    synchronized int size() {
        return unusedUntimed > TIMED ? unusedUntimed : unusedTimed;
    }

    /** The series of the rules, as many as are counted. */
    synchronized List<RuleSeries> rules() {
        return new ArrayList<>(series.values());
    }

    /**
     * The series that metrics show: those of the first {@link #MAX_SERIES} rules, of all other rules, and of the limits
     * that callers gave.
     */
    synchronized List<RuleSeries> exposed() {
        List<RuleSeries> all = new ArrayList<>();
        List<RuleSeries> hidden = new ArrayList<>();
        series.values().forEach(each -> (each.exposed() ? all : hidden).add(each));
        long[] lost = gone.clone();
        Totals others = (position, field) -> {
            long sum = totals.total(OTHERS, field) + lost[field];
            for (RuleSeries each : hidden) {
                sum += each.count(field);
            }
            return sum;
        };
        long[] nothing = new long[ThreadCounts.FIELDS];
        all.add(new RuleSeries("", "(others)", OTHERS, true, nothing, others));
        all.add(new RuleSeries("", "(given by callers)", CALLERS, true, nothing, totals));
        return all;
    }
}
