package dev.weir.internal.match.pattern;

import dev.weir.internal.model.EndpointCosts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@link EndpointCosts} compiled for lookup, which allocates nothing if the endpoint is in its normal form already. */
public final class EndpointCostTable {
    /** The cost of a request that no pattern matches. */
    private static final long OTHERS = 1;

    private static final long NONE = -1;

    private record Priced(EndpointPattern pattern, long hits) {}

    private final EndpointForm form;
    private final boolean ignoresCase;
    /** Paths without a star, sorted, each with an entry of every method. */
    private final String[] paths;

    private final Priced[][] byPath;
    /** Patterns with a star, the most specific first; {@link #ranks} tells how specific each is. */
    private final Priced[] globs;

    private final int[] ranks;
    private final long withoutEndpoint;

    /** Compiles {@code costs} for endpoints in {@code form}. */
    public EndpointCostTable(EndpointCosts costs, EndpointForm form) {
        this.form = form;
        this.ignoresCase = costs.ignoresCase();
        List<Priced> exact = new ArrayList<>();
        List<Priced> stars = new ArrayList<>();
        long any = OTHERS;
        for (EndpointCosts.Entry each : costs.entries()) {
            EndpointPattern pattern = EndpointPattern.parse(each.pattern()).in(form, ignoresCase);
            (pattern.exactPath() == null ? stars : exact).add(new Priced(pattern, each.hits()));
            any = pattern.isAny() ? each.hits() : any;
        }
        this.withoutEndpoint = any;
        this.paths =
                exact.stream().map(EndpointCostTable::path).distinct().sorted().toArray(String[]::new);
        this.byPath = new Priced[paths.length][];
        for (int i = 0; i < paths.length; i++) {
            String path = paths[i];
            byPath[i] = exact.stream().filter(each -> path(each).equals(path)).toArray(Priced[]::new);
        }
        stars.sort(
                Comparator.comparingInt((Priced each) -> rank(each.pattern())).reversed());
        this.globs = stars.toArray(Priced[]::new);
        this.ranks = stars.stream().mapToInt(each -> rank(each.pattern())).toArray();
    }

    private static String path(Priced entry) {
        return entry.pattern().path().text();
    }

    /**
     * The hits of a request to {@code endpoint}, which may have a method before its path, else {@code method}. If the
     * method is unknown, the costliest of equally specific patterns holds, so that leaving it out saves nothing.
     */
    public long of(@Nullable String endpoint, @Nullable String method) {
        if (endpoint == null) {
            return withoutEndpoint;
        }
        String normal = form.of(endpoint);
        String compared = ignoresCase ? EndpointForm.lowerCase(normal) : normal;
        int start = EndpointPattern.pathOf(compared);
        boolean methodKnown = start > 0 || (method != null && !method.isEmpty());
        int at = find(compared, start);
        long found = at < 0 ? NONE : best(byPath[at], 0, byPath[at].length, compared, method, methodKnown);
        int from = 0;
        while (found == NONE && from < globs.length) {
            int to = from + 1;
            while (to < globs.length && ranks[to] == ranks[from]) {
                to++;
            }
            found = best(globs, from, to, compared, method, methodKnown);
            from = to;
        }
        return found == NONE ? OTHERS : found;
    }

    /** The cost by equally specific entries: one that names the method before one that does not. */
    private static long best(
            Priced[] entries, int from, int to, String endpoint, @Nullable String method, boolean methodKnown) {
        long named = NONE;
        long unnamed = NONE;
        for (int i = from; i < to; i++) {
            Priced each = entries[i];
            if (each.pattern().matches(endpoint, method)) {
                if (methodKnown && each.pattern().asksMethod()) {
                    named = Math.max(named, each.hits());
                } else {
                    unnamed = Math.max(unnamed, each.hits());
                }
            }
        }
        return named == NONE ? unnamed : named;
    }

    /** The index in {@link #paths} of the path of {@code endpoint}, which begins at {@code start}; negative if none. */
    private int find(String endpoint, int start) {
        int low = 0;
        int high = paths.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = compare(paths[middle], endpoint, start);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    private static int compare(String path, String endpoint, int start) {
        int length = endpoint.length() - start;
        for (int i = 0, end = Math.min(path.length(), length); i < end; i++) {
            int order = path.charAt(i) - endpoint.charAt(start + i);
            if (order != 0) {
                return order;
            }
        }
        return path.length() - length;
    }

    /**
     * Returns the entry of {@code costs} before {@code index} that is as specific as the entry there and matches some of
     * the same requests; null if there is none.
     */
    public static EndpointCosts.@Nullable Entry tieWith(EndpointCosts costs, int index) {
        EndpointPattern later = normal(costs, index);
        for (int i = 0; i < index; i++) {
            EndpointPattern earlier = normal(costs, i);
            if (earlier.method().equals(later.method())
                    && rank(earlier) == rank(later)
                    && overlap(earlier.path().text(), later.path().text())) {
                return costs.entries().get(i);
            }
        }
        return null;
    }

    private static EndpointPattern normal(EndpointCosts costs, int index) {
        return EndpointPattern.parse(costs.entries().get(index).pattern()).in(EndpointForm.NORMAL, costs.ignoresCase());
    }

    /** How specific the path of {@code pattern} is: the higher, the more. */
    private static int rank(EndpointPattern pattern) {
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
