package dev.weir.rules.internal.load;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.weir.PriorityRule;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.LoadQuery;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.ruleset.WrittenRulesBuilder;
import dev.weir.rules.internal.grammar.RuleFile;
import dev.weir.rules.internal.grammar.RuleFile.Placed;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.message.Suggestion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Merges rule files into domains, and reports duplicates within a domain. */
public final class DomainMerger {
    private final LoadOptions options;
    private final Map<String, Domain> domains = new LinkedHashMap<>();
    private final Map<String, LoadQuery> loadQueries = new LinkedHashMap<>();
    /** Where each of them stands. */
    private final Map<String, String> loadPlaces = new HashMap<>();

    public DomainMerger(LoadOptions options) {
        this.options = options;
    }

    /** The contents of one domain so far; {@code seen} has the position of each rule identity. */
    private static final class Domain {
        final RuleFile first;
        final List<EnvoyDescriptor> descriptors = new ArrayList<>();
        final List<WeirRule> rules = new ArrayList<>();
        final Map<Object, String> seen = new HashMap<>();
        final List<PriorityRule> priorities = new ArrayList<>();
        final List<RuleFile.Envoy> envoyFiles = new ArrayList<>();

        Domain(RuleFile first) {
            this.first = first;
        }
    }

    public void add(RuleFile file) {
        // A file without a domain, which is reported already, is not merged with others.
        Domain domain = file.domain().isEmpty()
                ? new Domain(file)
                : domains.computeIfAbsent(file.domain(), name -> new Domain(file));
        if (domain.first != file && !fits(file, domain.first)) {
            return;
        }
        if (file instanceof RuleFile.Envoy envoy) {
            domain.envoyFiles.add(envoy);
            envoy.descriptors().forEach(each -> addDescriptor(domain, each, file.problems()));
        } else if (file instanceof RuleFile.Weir weir) {
            weir.rules().forEach(each -> addRule(domain, each, file.problems()));
            domain.priorities.addAll(weir.priorities());
            weir.loadQueries().forEach(each -> addLoadQuery(each, file.problems()));
        }
    }

    private boolean fits(RuleFile file, RuleFile first) {
        boolean sameFormat = file.getClass() == first.getClass();
        if (sameFormat && options.mergeDomains()) {
            return true;
        }
        String message = "domain " + quote(file.domain()) + " is also in " + place(first.problems(), first.domainAt());
        String hint =
                sameFormat ? "one file holds one domain, unless MERGE_DOMAIN_CONFIG is true" : "in the other format";
        file.problems().error(file.domainAt(), message, hint);
        return false;
    }

    private static void addDescriptor(Domain domain, Placed<EnvoyDescriptor> each, DiagnosticCollector problems) {
        EnvoyDescriptor descriptor = each.value();
        String first =
                domain.seen.putIfAbsent(List.of(descriptor.key(), descriptor.value()), place(problems, each.at()));
        if (first != null) {
            String name = descriptor.key() + (descriptor.value().isEmpty() ? "" : "=" + descriptor.value());
            problems.error(each.at(), "duplicate descriptor " + name, "first at " + first);
        }
        domain.descriptors.add(descriptor);
    }

    private static void addRule(Domain domain, Placed<WeirRule> each, DiagnosticCollector problems) {
        String name = each.value().rule().name();
        String first = domain.seen.putIfAbsent(each.value().rule().id(), place(problems, each.at()));
        if (first != null && name.isEmpty()) {
            problems.error(each.at(), "same match, key_by and algorithm as the rule at " + first, "name them");
        } else if (first != null) {
            problems.error(each.at(), "name " + quote(name) + " is used twice", "first at " + first);
        }
        domain.rules.add(each.value());
    }

    /** A service is one for all domains, so its load has one source. */
    private void addLoadQuery(Placed<LoadQuery> each, DiagnosticCollector problems) {
        String service = each.value().service();
        LoadQuery other = loadQueries.putIfAbsent(service, each.value());
        String first = loadPlaces.putIfAbsent(service, place(problems, each.at()));
        if (other != null && !other.equals(each.value())) {
            problems.error(each.at(), "another load of service " + quote(service), "first at " + first);
        }
    }

    /** Checks each domain as a whole, after all files are added. */
    public void finish() {
        for (Domain domain : domains.values()) {
            Set<String> names = new TreeSet<>();
            collectNames(domain.descriptors, names);
            for (RuleFile.Envoy file : domain.envoyFiles) {
                for (Placed<String> each : file.replaced()) {
                    if (!names.contains(each.value())) {
                        String meant = Suggestion.nearest(each.value(), names);
                        String hint = meant == null ? "" : "did you mean " + meant + "?";
                        file.problems().warning(each.at(), "no rule is named " + quote(each.value()), hint);
                    }
                }
            }
        }
    }

    private static void collectNames(List<EnvoyDescriptor> descriptors, Set<String> into) {
        for (EnvoyDescriptor each : descriptors) {
            if (each.rule() != null) {
                into.add(each.rule().name());
            }
            collectNames(each.children(), into);
        }
    }

    public WrittenRules ruleSet() {
        WrittenRulesBuilder builder = WrittenRules.builder();
        domains.forEach((name, domain) -> {
            if (domain.first instanceof RuleFile.Envoy) {
                builder.envoy(name, domain.descriptors);
            } else {
                builder.weir(name, domain.rules).priorities(name, domain.priorities);
            }
        });
        loadQueries.values().forEach(builder::loadQuery);
        return builder.build();
    }

    private static String place(DiagnosticCollector problems, Position at) {
        return problems.place(at);
    }
}
