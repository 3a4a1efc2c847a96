package dev.weir.server.topkeys;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The last denials of callers: up to {@value #EACH} of each, of up to {@value #NEW} callers that were denied once and
 * {@value #KNOWN} that were denied again. A caller that sends a new key with each request therefore displaces only others
 * that were denied once. Not thread-safe.
 */
final class LastDenials {
    private static final int EACH = 5;
    private static final int NEW = 128;
    private static final int KNOWN = 128;

    /** Callers by rule and counter, the one that was denied longest ago first. */
    private final Map<String, Deque<Denial>> fresh = new LinkedHashMap<>();

    private final Map<String, Deque<Denial>> known = new LinkedHashMap<>();

    void add(Denial denial) {
        String caller =
                denial.domain() + '\n' + denial.rule() + '\n' + (denial.banned() ? denial.key() : denial.bucket());
        Deque<Denial> before = known.remove(caller);
        if (before == null) {
            before = fresh.remove(caller);
        }
        if (before == null) {
            Deque<Denial> first = new ArrayDeque<>(1);
            first.add(denial);
            put(fresh, caller, first, NEW);
            return;
        }
        if (before.size() == EACH) {
            before.removeFirst();
        }
        before.addLast(denial);
        put(known, caller, before, KNOWN);
    }

    private static void put(Map<String, Deque<Denial>> into, String caller, Deque<Denial> denials, int most) {
        into.put(caller, denials);
        if (into.size() > most) {
            Iterator<String> oldest = into.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** The last denials that are {@code wanted}, newest first. */
    List<Denial> last(Predicate<Denial> wanted, int most) {
        List<Denial> all = new ArrayList<>();
        for (Map<String, Deque<Denial>> each : List.of(fresh, known)) {
            each.values().forEach(ofCaller -> ofCaller.stream().filter(wanted).forEach(all::add));
        }
        all.sort(Comparator.comparingLong(Denial::atMillis).reversed());
        return List.copyOf(all.subList(0, Math.min(most, all.size())));
    }
}
