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
 * Gives each series, a domain and a rule's label, a slot of its own, and takes it back when no rule bears the label any more.
 * The first {@link #MOST} labels have one; the rules after them share {@link #OTHERS}, for a scrape must stay a scrape.
 */
final class SeriesPositions {
    static final int MOST = 1_000;
    static final int OTHERS = 0;
    static final int CALLERS = 1;

    /** A series and what its slot had counted when the series got it, which belongs to an earlier owner. */
    static final class Series {
        final String domain;
        final String rule;
        final int slot;
        private final long[] before;

        private Series(String domain, String rule, int slot, long[] before) {
            this.domain = domain;
            this.rule = rule;
            this.slot = slot;
            this.before = before;
        }

        long before(int field) {
            return before[field];
        }
    }

    /** What all threads together counted in a slot. */
    interface Totals {
        long total(int slot, int field);
    }

    private record Name(String domain, String rule) {}

    private final Totals totals;
    private final Map<Name, Series> series = new LinkedHashMap<>();
    private final Deque<Integer> free = new ArrayDeque<>();
    private int unused = CALLERS + 1;

    SeriesPositions(Totals totals) {
        this.totals = totals;
    }

    /** The slot of each of {@code rules}, by ordinal. */
    synchronized int[] assign(List<Rule> rules) {
        Set<Name> named = new HashSet<>();
        rules.forEach(each -> named.add(new Name(each.domain(), each.label())));
        series.entrySet().removeIf(each -> {
            boolean gone = !named.contains(each.getKey());
            if (gone) {
                free.add(each.getValue().slot);
            }
            return gone;
        });
        int[] slots = new int[rules.size()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = slot(new Name(rules.get(i).domain(), rules.get(i).label()));
        }
        return slots;
    }

    private int slot(Name name) {
        Series known = series.get(name);
        if (known == null && series.size() < MOST) {
            int slot = free.isEmpty() ? unused++ : free.remove();
            long[] before = new long[ThreadCounts.FIELDS];
            for (int field = 0; field < before.length; field++) {
                before[field] = totals.total(slot, field);
            }
            known = new Series(name.domain, name.rule, slot, before);
            series.put(name, known);
        }
        return known == null ? OTHERS : known.slot;
    }

    /** Slots are below this. */
    synchronized int size() {
        return unused;
    }

    /** Every series: those of the rules, of all rules beyond {@link #MOST}, and of the limits that callers gave. */
    synchronized List<Series> series() {
        List<Series> all = new ArrayList<>(series.values());
        all.add(new Series("", "(others)", OTHERS, new long[ThreadCounts.FIELDS]));
        all.add(new Series("", "(given by callers)", CALLERS, new long[ThreadCounts.FIELDS]));
        return all;
    }
}
