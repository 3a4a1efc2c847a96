package dev.weir.internal.match.pattern;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@link EndpointCosts} compiled for lookup, which allocates nothing if the endpoint is in its normal form already. */
public final class EndpointCostTable {
    /** The cost of a request that no pattern matches. */
    private static final long OTHERS = 1;

    private static final long NONE = -1;

    private final EndpointForm form;
    private final boolean ignoresCase;
    /** Paths without a star, sorted, each with an entry of every method. */
    private final String[] paths;

    private final EndpointCosts.Entry[][] byPath;
    /** Patterns with a star, the most specific first; {@link #ranks} tells how specific each is. */
    private final EndpointCosts.Entry[] globs;

    private final int[] ranks;
    private final long withoutEndpoint;

    EndpointCostTable(EndpointCosts costs, EndpointForm form) {
        this.form = form;
        this.ignoresCase = costs.ignoresCase();
        List<EndpointCosts.Entry> exact = new ArrayList<>();
        List<EndpointCosts.Entry> stars = new ArrayList<>();
        long any = OTHERS;
        for (EndpointCosts.Entry each : costs.entries()) {
            EndpointPattern pattern = each.pattern().in(form, ignoresCase);
            (pattern.exactPath() == null ? stars : exact).add(new EndpointCosts.Entry(pattern, each.hits()));
            any = pattern.isAny() ? each.hits() : any;
        }
        this.withoutEndpoint = any;
        this.paths =
                exact.stream().map(EndpointCostTable::path).distinct().sorted().toArray(String[]::new);
        this.byPath = new EndpointCosts.Entry[paths.length][];
        for (int i = 0; i < paths.length; i++) {
            String path = paths[i];
            byPath[i] = exact.stream().filter(each -> path(each).equals(path)).toArray(EndpointCosts.Entry[]::new);
        }
        stars.sort(Comparator.comparingInt((EndpointCosts.Entry each) -> EndpointCosts.rank(each.pattern()))
                .reversed());
        this.globs = stars.toArray(EndpointCosts.Entry[]::new);
        this.ranks = stars.stream()
                .mapToInt(each -> EndpointCosts.rank(each.pattern()))
                .toArray();
    }

    private static String path(EndpointCosts.Entry entry) {
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
            EndpointCosts.Entry[] entries,
            int from,
            int to,
            String endpoint,
            @Nullable String method,
            boolean methodKnown) {
        long named = NONE;
        long unnamed = NONE;
        for (int i = from; i < to; i++) {
            EndpointCosts.Entry each = entries[i];
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
}
