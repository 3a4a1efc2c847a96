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
 * more. The first {@link #MAX_SERIES} labels get one; the rules after them share {@link #OTHERS}, to bound the size of
 * a scrape.
 */
final class SeriesPositions {
    static final int MAX_SERIES = 1_000;
    static final int OTHERS = 0;
    static final int CALLERS = 1;

    /** A series, with the counts of its position at the time it was assigned, which belong to an earlier series. */
    static final class Series {
        final String domain;
        final String rule;
        final int position;
        private final long[] before;

        private Series(String domain, String rule, int position, long[] before) {
            this.domain = domain;
            this.rule = rule;
            this.position = position;
            this.before = before;
        }

        long before(int field) {
            return before[field];
        }
    }

    /** Sums a field of a position over all threads. */
    interface Totals {
        long total(int position, int field);
    }

    private record Name(String domain, String rule) {}

    private final Totals totals;
    private final Map<Name, Series> series = new LinkedHashMap<>();
    private final Deque<Integer> free = new ArrayDeque<>();
    private int unused = CALLERS + 1;

    SeriesPositions(Totals totals) {
        this.totals = totals;
    }

    /** The position of each of {@code rules}, by ordinal. */
    synchronized int[] assign(List<Rule> rules) {
        Set<Name> named = new HashSet<>();
        rules.forEach(each -> named.add(new Name(each.domain(), each.label())));
        series.entrySet().removeIf(each -> {
            boolean gone = !named.contains(each.getKey());
            if (gone) {
                free.add(each.getValue().position);
            }
            return gone;
        });
        int[] positions = new int[rules.size()];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = position(new Name(rules.get(i).domain(), rules.get(i).label()));
        }
        return positions;
    }

    private int position(Name name) {
        Series known = series.get(name);
        if (known == null && series.size() < MAX_SERIES) {
            int position = free.isEmpty() ? unused++ : free.remove();
            long[] before = new long[ThreadCounts.FIELDS];
            for (int field = 0; field < before.length; field++) {
                before[field] = totals.total(position, field);
            }
            known = new Series(name.domain, name.rule, position, before);
            series.put(name, known);
        }
        return known == null ? OTHERS : known.position;
    }

    /** An upper bound of the assigned positions. */
    synchronized int size() {
        return unused;
    }

    /** All series: those of the rules, of all rules beyond {@link #MAX_SERIES}, and of the limits that callers gave. */
    synchronized List<Series> series() {
        List<Series> all = new ArrayList<>(series.values());
        all.add(new Series("", "(others)", OTHERS, new long[ThreadCounts.FIELDS]));
        all.add(new Series("", "(given by callers)", CALLERS, new long[ThreadCounts.FIELDS]));
        return all;
    }
}
