package dev.weir.internal.explain;

import dev.weir.Request;
import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Cidr;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.EndpointPattern;
import dev.weir.internal.match.pattern.Glob;
import dev.weir.internal.match.pattern.ValuePattern;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Completes a request that names a caller alone, {@code api_key=acme}: finds the rules that it would meet with further
 * attributes, and whose counters it already determines. Rules that need a regular expression to match are left out,
 * because no value is known that matches.
 */
public final class RuleCompleter {
    private static final String ANY = "x";

    private final Request request;
    private final int most;
    private final List<RuleCompletion> found = new ArrayList<>();

    /** Creates a completer of {@code request}, which has one descriptor; it finds {@code most} rules at most. */
    public RuleCompleter(Request request, int most) {
        this.request = request;
        this.most = most;
    }

    public List<RuleCompletion> found() {
        return found;
    }

    /** Completes rules in Weir's format; {@code adopted} has the index's copies of the same rules. */
    public void weir(List<WeirRule> rules, List<Rule> adopted) {
        for (int i = 0; i < rules.size() && found.size() < most; i++) {
            weir(rules.get(i), adopted.get(i));
        }
    }

    private void weir(WeirRule from, Rule rule) {
        Request completed = Request.to(request.domain()).set(request);
        Set<String> added = new HashSet<>();
        List<String> missing = new ArrayList<>();
        for (Condition each : from.match()) {
            if (request.value(0, each.attribute()) != null || isAny(each)) {
                continue; // if the given value does not match, the rule is not met after all
            }
            String example = example(each.anyOf().get(0));
            if (example == null) {
                return;
            }
            completed.with(each.attribute(), example);
            missing.add(RuleExplainer.text(each));
            if (each.anyOf().size() > 1 || !(each.anyOf().get(0) instanceof ValuePattern.Exact)) {
                added.add(each.attribute());
            }
        }
        if (!missing.isEmpty() && isDetermined(from.keyBy(), completed, added)) {
            found.add(new RuleCompletion(rule, completed, String.join(", ", missing)));
        }
    }

    private static boolean isAny(Condition condition) {
        return condition.anyOf().stream()
                .anyMatch(each -> each instanceof EndpointPattern endpoint && endpoint.isAny());
    }

    /** Whether no value that was only an example is part of the counter, and no part is missing. */
    private static boolean isDetermined(KeyBy key, Request completed, Set<String> examples) {
        for (List<String> alternatives : key.parts()) {
            boolean given = alternatives.stream().anyMatch(each -> isGiven(completed, each));
            if (!given || alternatives.stream().anyMatch(examples::contains)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isGiven(Request request, String attribute) {
        boolean standsIn = Attributes.isClient(attribute) && request.value(0, Attributes.CLIENT_ID) != null;
        return standsIn || request.value(0, attribute) != null;
    }

    /** A value that {@code pattern} matches; null if none is known. */
    private static @Nullable String example(ValuePattern pattern) {
        if (pattern instanceof EndpointPattern endpoint) {
            return (endpoint.asksMethod() ? endpoint.method() + " " : "")
                    + any(endpoint.path().text());
        }
        if (pattern instanceof Cidr cidr) {
            int prefix = cidr.text().indexOf('/');
            return prefix < 0 ? cidr.text() : cidr.text().substring(0, prefix);
        }
        return pattern instanceof ValuePattern.Regex ? null : any(pattern.text());
    }

    private static String any(String glob) {
        return glob.replace("*", ANY);
    }

    /** Completes the rules of a tree in Envoy's format; {@code adopted} has the index's copies, in order of the file. */
    public void envoy(List<EnvoyDescriptor> tree, List<Rule> adopted) {
        envoy(tree, List.of(), new ArrayList<>(adopted));
    }

    private void envoy(List<EnvoyDescriptor> nodes, List<EnvoyDescriptor> above, List<Rule> adopted) {
        for (EnvoyDescriptor each : nodes) {
            List<EnvoyDescriptor> path = new ArrayList<>(above);
            path.add(each);
            if (each.rule() != null) {
                envoy(path, adopted.remove(0));
            }
            envoy(each.children(), path, adopted);
        }
    }

    private void envoy(List<EnvoyDescriptor> path, Rule rule) {
        Request completed = Request.to(request.domain()).hits(request.hitsOf(0));
        List<EnvoyDescriptor> missing = new ArrayList<>();
        int given = 0;
        for (EnvoyDescriptor each : path) {
            String value = request.value(0, each.key());
            boolean matches = value != null && (each.value().isEmpty() || new Glob(each.value()).matches(value));
            boolean shared = each.value().indexOf('*') < 0 || each.shareThreshold();
            if (value != null ? !matches : each.value().isEmpty() || !shared) {
                return; // it does not match, or the missing value is part of the counter
            }
            given += value == null ? 0 : 1;
            completed.with(each.key(), value == null ? any(each.value()) : value);
            if (value == null) {
                missing.add(each);
            }
        }
        if (found.size() < most && !missing.isEmpty() && given == request.end(0) - request.start(0)) {
            found.add(new RuleCompletion(
                    rule,
                    completed,
                    missing.stream()
                            .map(each -> each.key() + " is " + each.value())
                            .collect(Collectors.joining(", "))));
        }
    }
}
