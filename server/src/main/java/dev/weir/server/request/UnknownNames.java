package dev.weir.server.request;

import dev.weir.Request;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.http.CallerText;
import dev.weir.text.message.Suggestion;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Tells callers about names that the rules do not know, and which name they may have meant. */
public final class UnknownNames {
    private static final int SHOWN = 20;
    /** The most names that a wrong one is compared with, so that a mistake costs little. */
    private static final int COMPARED = 200;

    /** Attributes that count without being named by a rule: a method for endpoints, and other names of a caller. */
    private static final Set<String> STAND_INS =
            Set.of(Attributes.METHOD, Attributes.CLIENT_ID, Attributes.REMOTE_ADDRESS);

    private UnknownNames() {}

    /** The message for a domain that does not exist. */
    public static String domain(String domain, Collection<String> known) {
        String nearest =
                Suggestion.nearest(domain, known.stream().limit(COMPARED).toList());
        return "no such domain: " + CallerText.shown(domain) + " ("
                + (nearest != null ? "did you mean " + CallerText.shown(nearest) + "?" : "expected: " + oneOf(known))
                + ")";
    }

    /** The message for a rule that does not exist; {@code inForce} are the rules that do. */
    public static String rule(String named, List<Rule> inForce) {
        Set<String> known = new LinkedHashSet<>();
        for (Rule each : inForce) {
            if (!each.id().equals(RuleIndex.OVERRIDE)) {
                known.add(each.label());
            }
        }
        String nearest =
                Suggestion.nearest(named, known.stream().limit(COMPARED).toList());
        return "no such rule: " + CallerText.shown(named) + " ("
                + (nearest != null
                        ? "did you mean " + CallerText.shown(nearest) + "?"
                        : "expected: " + (known.isEmpty() ? "a rule in force, and there is none" : oneOf(known)))
                + ")";
    }

    /**
     * The message for attributes of {@code request} that no rule of its domain uses; null if the rules use them all.
     * {@code used} are the attributes that the rules use.
     */
    public static @Nullable String attributes(Request request, Set<String> used) {
        Set<String> unknown = new TreeSet<>();
        int end = request.descriptors() == 0 ? 0 : request.end(request.descriptors() - 1);
        for (int i = 0; i < end && unknown.size() < SHOWN; i++) {
            if (!used.contains(request.key(i)) && !STAND_INS.contains(request.key(i))) {
                unknown.add(request.key(i));
            }
        }
        return unknown.isEmpty() ? null : "no rule uses " + list(unknown) + " (expected: " + oneOf(used) + ")";
    }

    /**
     * The message for an attribute that looks like a misspelt one; null if it does not. {@code used} are the attributes
     * that rules use.
     */
    public static @Nullable String misspeltAttribute(String attribute, Set<String> used) {
        Set<String> known = new TreeSet<>(STAND_INS);
        known.addAll(Attributes.OF_CLIENT);
        used.stream().limit(COMPARED).forEach(known::add);
        String meant = Suggestion.misspelt(attribute, known);
        return meant == null
                ? null
                : "no rule uses " + CallerText.shown(attribute) + " (did you mean " + CallerText.shown(meant) + "?)";
    }

    /**
     * The message for units of a request that no rule counts; null if rules count them all. {@code counted} are the
     * units that rules count beside requests.
     */
    public static @Nullable String units(Collection<String> named, Set<String> counted) {
        if (counted.containsAll(named)) {
            return null;
        }
        Set<String> unknown = new TreeSet<>(named);
        unknown.removeAll(counted);
        String nearest = unknown.size() > 1
                ? null
                : Suggestion.nearest(unknown.iterator().next(), counted);
        return "no rule counts " + list(unknown) + " ("
                + (nearest != null
                        ? "did you mean " + CallerText.shown(nearest) + "?"
                        : "expected: " + (counted.isEmpty() ? "requests alone" : oneOf(counted)))
                + ")";
    }

    /** {@code one of "a", "b" and 3 more}. */
    public static String oneOf(Collection<String> names) {
        if (names.isEmpty()) {
            return "a domain with rules; no rules are loaded";
        }
        return "one of " + list(names);
    }

    private static String list(Collection<String> names) {
        // Any of many will do; sorting all of them would cost too much for one request.
        String list =
                names.stream().limit(SHOWN).sorted().map(CallerText::shown).collect(Collectors.joining(", "));
        return names.size() > SHOWN ? list + " and " + (names.size() - SHOWN) + " more" : list;
    }
}
