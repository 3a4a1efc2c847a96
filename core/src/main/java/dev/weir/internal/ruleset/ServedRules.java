package dev.weir.internal.ruleset;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The rules of a server, as far as it tells them to its clients. */
public final class ServedRules implements OutlinedRules {
    private final List<String> domains;
    private final List<RuleOutline> outlines;
    private final Map<String, List<String>> names;

    /** @param domains all domains, also those without a rule */
    public ServedRules(List<String> domains, List<RuleOutline> outlines) {
        this.domains = List.copyOf(new LinkedHashSet<>(domains));
        this.outlines = List.copyOf(outlines);
        this.names = outlines.stream()
                .collect(Collectors.groupingBy(
                        RuleOutline::domain,
                        LinkedHashMap::new,
                        Collectors.mapping(RuleOutline::name, Collectors.toUnmodifiableList())));
    }

    @Override
    public List<String> domains() {
        return domains;
    }

    @Override
    public List<String> ruleNames(String domain) {
        return names.getOrDefault(domain, List.of());
    }

    @Override
    public List<RuleOutline> outlines() {
        return outlines;
    }

    @Override
    public String toString() {
        return "the rules of the server: " + names;
    }
}
