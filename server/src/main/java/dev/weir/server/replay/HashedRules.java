package dev.weir.server.replay;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.control.decisions.IdentityHash;
import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Cidr;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.Glob;
import dev.weir.internal.match.pattern.ValuePattern;
import dev.weir.internal.match.weir.PriorityRule;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites rules for traffic in which some attributes are hashes: a rule that matches a value matches its hash. A
 * pattern has no hash, and is refused.
 */
final class HashedRules {
    private static final String HINT =
            " (expected: exact values, or traffic recorded with this attribute in decisions_plain)";

    private final Set<String> hashed;
    private final IdentityHash hash;
    private final Set<String> refusals = new LinkedHashSet<>();
    private boolean usesHash;

    HashedRules(Set<String> hashed, IdentityHash hash) {
        this.hashed = hashed;
        this.hash = hash;
    }

    /**
     * Returns {@code rules} for hashed attributes.
     *
     * @throws ReplayException if some rule matches a hashed attribute by a pattern; the message names each
     */
    WrittenRules apply(WrittenRules rules) throws ReplayException {
        WrittenRules mapped = rules.map(this::rule, this::descriptor, this::priority);
        if (!refusals.isEmpty()) {
            throw new ReplayException(String.join("\n", refusals));
        }
        return mapped;
    }

    /** Whether some rule matches a hash now, so that it must have been made with the same secret. */
    boolean usesHash() {
        return usesHash;
    }

    private boolean isHashed(String attribute) {
        return hashed.contains(attribute) || (Attributes.isClient(attribute) && hashed.contains(Attributes.CLIENT_ID));
    }

    private WeirRule rule(WeirRule written) {
        return new WeirRule(
                written.rule(), conditions(written.match(), written.rule()), written.keyBy(), written.ignoresCase());
    }

    private PriorityRule priority(PriorityRule written) {
        return new PriorityRule(conditions(written.match(), null), written.is(), written.ignoresCase());
    }

    private List<Condition> conditions(List<Condition> match, @Nullable Rule rule) {
        List<Condition> mapped = new ArrayList<>();
        for (Condition each : match) {
            mapped.add(isHashed(each.attribute()) ? condition(each, rule) : each);
        }
        return mapped;
    }

    private Condition condition(Condition written, @Nullable Rule rule) {
        List<ValuePattern> patterns = new ArrayList<>();
        for (ValuePattern each : written.anyOf()) {
            String hashOf = each instanceof ValuePattern.Exact exact
                    ? hash.of(written.attribute(), exact.text())
                    : each instanceof Cidr block ? hash.of(block) : null;
            boolean any = each instanceof Glob && each.text().chars().allMatch(c -> c == '*');
            if (hashOf == null && !any) {
                String place = rule == null ? "priorities" : rule.source() + ": rule " + quote(rule.label());
                refusals.add(place + " matches " + written.attribute() + " by a pattern, " + quote(each.text())
                        + ", and the traffic has only hashes of it" + HINT);
            }
            usesHash |= hashOf != null;
            patterns.add(hashOf == null ? each : new ValuePattern.Exact(hashOf));
        }
        return new Condition(written.attribute(), patterns);
    }

    private EnvoyDescriptor descriptor(EnvoyDescriptor written) {
        if (!isHashed(written.key())
                || written.value().isEmpty()
                || written.value().equals("*")) {
            return written;
        }
        if (written.value().indexOf('*') >= 0) {
            Rule rule = written.rule();
            refusals.add((rule == null ? "" : rule.source() + ": ") + "descriptor " + written.key() + "="
                    + written.value() + " matches by a pattern, and the traffic has only hashes of it" + HINT);
        }
        usesHash = true;
        return new EnvoyDescriptor(
                written.key(),
                hash.of(written.key(), written.value()),
                written.rule(),
                written.shareThreshold(),
                written.children());
    }
}
