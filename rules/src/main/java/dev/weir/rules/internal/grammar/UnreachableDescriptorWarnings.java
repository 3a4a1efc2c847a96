package dev.weir.rules.internal.grammar;

import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.rules.internal.grammar.RuleFile.Placed;
import dev.weir.text.diagnostics.DiagnosticCollector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Warns of descriptors that no request can reach. On each level the exact value is tried first, then the wildcards in
 * the order of the file, then the key alone. So a wildcard hides a later one that it covers, and a wildcard for every
 * value hides the key alone. (A request with the literal text of a wildcard still reaches it; nobody writes a rule for
 * that.)
 */
final class UnreachableDescriptorWarnings {
    /** The most wildcards of one key that are compared with each other. */
    private static final int MOST = 200;

    private UnreachableDescriptorWarnings() {}

    static void warn(List<Placed<EnvoyDescriptor>> level, DiagnosticCollector problems) {
        Map<String, List<Placed<EnvoyDescriptor>>> wildcards = new HashMap<>();
        for (Placed<EnvoyDescriptor> each : level) {
            String value = each.value().value();
            if (value.indexOf('*') >= 0) {
                List<Placed<EnvoyDescriptor>> earlier =
                        wildcards.computeIfAbsent(each.value().key(), key -> new ArrayList<>());
                if (earlier.size() < MOST) {
                    warnIfHidden(each, earlier, problems);
                    earlier.add(each);
                }
            }
        }
        for (Placed<EnvoyDescriptor> each : level) {
            if (each.value().value().isEmpty()) {
                warnIfHidden(each, wildcards.getOrDefault(each.value().key(), List.of()), problems);
            }
        }
    }

    private static void warnIfHidden(
            Placed<EnvoyDescriptor> one, List<Placed<EnvoyDescriptor>> others, DiagnosticCollector problems) {
        String value = one.value().value();
        for (Placed<EnvoyDescriptor> other : others) {
            String wider = other.value().value();
            boolean same = wider.equals(value);
            if (!same && covers(wider, value.isEmpty() ? "*" : value)) {
                String message = "no request reaches " + EnvoyFormat.name(one.value());
                String hint = EnvoyFormat.name(other.value()) + " at " + other.at() + " matches first";
                problems.warning(one.at(), message, hint);
                return;
            }
        }
    }

    /**
     * Returns whether {@code wide} matches everything that {@code narrow} matches. It matches {@code wide} against the
     * text of {@code narrow}, in which only a star matches a star. True is certain; false may be wrong.
     */
    static boolean covers(String wide, String narrow) {
        int w = 0;
        int n = 0;
        int star = -1;
        int resume = 0;
        while (n < narrow.length()) {
            if (w < wide.length() && wide.charAt(w) == '*') {
                star = w++;
                resume = n;
            } else if (w < wide.length() && wide.charAt(w) == narrow.charAt(n) && narrow.charAt(n) != '*') {
                w++;
                n++;
            } else if (star >= 0) {
                w = star + 1;
                n = ++resume;
            } else {
                return false;
            }
        }
        while (w < wide.length() && wide.charAt(w) == '*') {
            w++;
        }
        return w == wide.length();
    }
}
