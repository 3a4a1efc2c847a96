package dev.weir.internal.match.pattern;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The cost of requests by endpoint, as a rule file writes it: {@code costs: { "POST *": 5, "/search": 10 }}. Of several
 * patterns that match, the most specific one holds: a path without a star, then the path with more characters beside its
 * stars, then the one that also names the method.
 *
 * @param ignoresCase whether endpoints that differ in letter case alone are one endpoint
 */
public record EndpointCosts(List<Entry> entries, boolean ignoresCase) {

    /** The hits of a request whose endpoint matches {@code pattern}. */
    public record Entry(EndpointPattern pattern, long hits) {}

    public EndpointCosts {
        entries = List.copyOf(entries);
    }

    /** Compiles the costs for endpoints in {@code form}. */
    public EndpointCostTable in(EndpointForm form) {
        return new EndpointCostTable(this, form);
    }

    /**
     * Returns the entry before {@code index} that is as specific as the entry there and matches some of the same
     * requests; null if there is none.
     */
    public @Nullable Entry tieWith(int index) {
        EndpointPattern later = entries.get(index).pattern().in(EndpointForm.NORMAL, ignoresCase);
        for (Entry each : entries.subList(0, index)) {
            EndpointPattern earlier = each.pattern().in(EndpointForm.NORMAL, ignoresCase);
            if (earlier.method().equals(later.method())
                    && rank(earlier) == rank(later)
                    && overlap(earlier.path().text(), later.path().text())) {
                return each;
            }
        }
        return null;
    }

    /** How specific the path of {@code pattern} is: the higher, the more. */
    static int rank(EndpointPattern pattern) {
        String path = pattern.path().text();
        return pattern.exactPath() != null
                ? Integer.MAX_VALUE
                : (int) path.chars().filter(c -> c != '*').count();
    }

    /** Whether some text matches both globs. */
    private static boolean overlap(String a, String b) {
        if (a.indexOf('*') < 0 && b.indexOf('*') < 0) {
            return Objects.equals(a, b);
        }
        boolean[] below = new boolean[b.length() + 1];
        for (int i = a.length(); i >= 0; i--) {
            boolean[] row = new boolean[b.length() + 1];
            for (int j = b.length(); j >= 0; j--) {
                boolean starA = i < a.length() && a.charAt(i) == '*';
                boolean starB = j < b.length() && b.charAt(j) == '*';
                boolean ends = i == a.length() && j == b.length();
                boolean pair = i < a.length() && j < b.length() && a.charAt(i) == b.charAt(j) && below[j + 1];
                boolean skipA = (starA || (starB && i < a.length())) && below[j];
                boolean skipB = (starB || (starA && j < b.length())) && row[j + 1];
                row[j] = ends || pair || skipA || skipB;
            }
            below = row;
        }
        return below[0];
    }
}
