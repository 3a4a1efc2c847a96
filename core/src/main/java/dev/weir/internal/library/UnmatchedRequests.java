package dev.weir.internal.library;

import dev.weir.Request;
import dev.weir.internal.match.keyby.SafeText;
import dev.weir.internal.ruleset.WrittenRules;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Warns once in the log about requests that match no rule because of a wrong name: an unknown domain, or attributes
 * that no rule of the domain uses. Such requests pass without a limit.
 */
public final class UnmatchedRequests {
    private static final System.Logger LOG = System.getLogger("dev.weir");
    /** The most domains remembered, because the names may come from callers. */
    private static final int MOST = 64;

    private final WrittenRules rules;
    /** The attributes that the rules of each domain use; empty once the warning was logged. */
    private final ConcurrentHashMap<String, Set<String>> domains = new ConcurrentHashMap<>();

    /** Creates the check for requests that matched none of {@code rules}. */
    public UnmatchedRequests(WrittenRules rules) {
        this.rules = rules;
    }

    /** Checks a request that matched no rule, and warns if a name is wrong. */
    public void look(Request request) {
        String domain = request.domain();
        Set<String> used = domains.get(domain);
        if (used == null) {
            used = domains.size() < MOST ? first(domain) : Set.of();
        }
        if (!used.isEmpty() && !usesAny(request, used) && domains.replace(domain, used, Set.of())) {
            LOG.log(
                    Level.WARNING,
                    "not limited: " + attributes(request) + " in domain " + safe(domain) + ": its rules use " + used
                            + " only (said once)");
        }
    }

    private Set<String> first(String domain) {
        boolean known = rules.domains().contains(domain);
        Set<String> used = known ? rules.attributes(domain) : Set.of();
        @Nullable Set<String> before = domains.putIfAbsent(domain, used);
        if (before == null && !known) {
            LOG.log(
                    Level.WARNING,
                    "not limited: requests to domain " + safe(domain) + ": there are rules for " + rules.domains()
                            + " only (said once)");
        }
        return before == null ? used : before;
    }

    private static boolean usesAny(Request request, Set<String> used) {
        for (int i = 0, end = request.descriptors() == 0 ? 0 : request.end(request.descriptors() - 1); i < end; i++) {
            if (used.contains(request.key(i))) {
                return true;
            }
        }
        return false;
    }

    private static String attributes(Request request) {
        StringBuilder names = new StringBuilder("requests with ");
        int end = request.descriptors() == 0 ? 0 : request.end(request.descriptors() - 1);
        for (int i = 0; i < end; i++) {
            names.append(i == 0 ? "" : ", ");
            SafeText.append(names, request.key(i));
        }
        return end == 0 ? "requests without attributes" : names.toString();
    }

    private static String safe(String name) {
        StringBuilder text = new StringBuilder();
        SafeText.append(text, name);
        return text.toString();
    }
}
