package dev.weir;

import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.ruleset.WrittenRulesBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An immutable set of rules, read from YAML by {@code dev.weir.rules.Rules} or built in Java.
 *
 * <pre>{@code
 * RuleSet rules = RuleSet.builder("api")
 *         .rule("orders", Limit.tokenBucket(100, Duration.ofSeconds(1)))
 *         .match("endpoint", "POST /orders")
 *         .keyBy("api_key | ip")
 *         .build();
 * }</pre>
 *
 * <p>Weir implements this interface; users only read it.
 */
public interface RuleSet extends RuleSource {

    /** The domains that have rules, in the order of their definition. */
    List<String> domains();

    /**
     * The names of the rules of {@code domain}, in the order of their definition; empty if the domain does not exist.
     */
    List<String> ruleNames(String domain);

    /** Passes itself to {@code listener} once; it never changes. */
    @Override
    default Subscription follow(Listener listener) {
        listener.changed(this);
        return () -> {};
    }

    /** Starts a rule set with the rules of {@code domain}. */
    static Builder builder(String domain) {
        return new Builder(domain);
    }

    /** Collects rules. {@link #rule} starts a rule; the calls after it configure that rule. */
    final class Builder {
        private final Map<String, List<WeirRule>> domains = new LinkedHashMap<>();
        private final Set<String> names = new HashSet<>();
        private final List<Condition> match = new ArrayList<>();
        private String domain;
        private @Nullable RuleBuilder rule;
        private KeyBy keyBy = KeyBy.global();
        private boolean ignoresCase;

        private Builder(String domain) {
            this.domain = named("domain", domain);
            domains.put(domain, new ArrayList<>());
        }

        /** Adds the rules that follow to {@code domain}. */
        public Builder domain(String domain) {
            endRule();
            this.domain = named("domain", domain);
            domains.computeIfAbsent(domain, ignored -> new ArrayList<>());
            return this;
        }

        /**
         * Starts a rule. The {@code name} identifies its counters: a rule that keeps its name keeps its counts, in
         * Redis too.
         *
         * @throws IllegalArgumentException if the domain has a rule of that name, or the name begins with {@code #}
         */
        public Builder rule(String name, Limit limit) {
            endRule();
            Objects.requireNonNull(limit, "limit");
            if (named("rule", name).startsWith("#")) {
                throw new IllegalArgumentException("rule: " + name + " (expected: a name that does not begin with #)");
            }
            if (!names.add(domain + "\n" + name)) {
                throw new IllegalArgumentException("rule: " + name + " (expected: a name used once in " + domain + ")");
            }
            rule = Rule.builder(domain, name).name(name).label(name).limit(limit);
            return this;
        }

        /**
         * Restricts the rule to requests whose {@code attribute} has one of {@code values}, written as in a rule file:
         * {@code "POST /orders"} for an {@code endpoint}, an address or a CIDR block for an {@code ip}, {@code *} for
         * any run of characters, else the text itself. Without {@code match} the rule applies to every request.
         *
         * @throws IllegalArgumentException for a value that can never match, and for a regular expression ({@code ~…}),
         *     which only rule files support
         */
        public Builder match(String attribute, String... values) {
            RuleBuilder current = current();
            for (String value : values) {
                requireSensible(named("attribute", attribute), Objects.requireNonNull(value, attribute));
            }
            match.add(Condition.of(attribute, values));
            rule = current;
            return this;
        }

        /**
         * Sets the attributes whose values identify a counter: {@code "user_id"}, {@code "user_id:endpoint"} for both
         * together, {@code "api_key | ip"} for the first that the request has. Without {@code keyBy} all requests share
         * one counter.
         */
        public Builder keyBy(String attributes) {
            rule = current();
            keyBy = KeyBy.parse(attributes);
            return this;
        }

        /**
         * Treats endpoints that differ in letter case alone as one, in {@link #match} and {@link #keyBy}; for services
         * whose router ignores case.
         */
        public Builder ignoreEndpointCase() {
            rule = current();
            ignoresCase = true;
            return this;
        }

        /**
         * Sets the policy for requests that lack the attribute of {@link #keyBy}; {@link OnMissing#SKIP} by default.
         */
        public Builder onMissing(OnMissing onMissing) {
            rule = current().onMissing(Objects.requireNonNull(onMissing, "onMissing"));
            return this;
        }

        /** Sets how exact the limit is across processes; {@link Consistency#EXACT} by default. */
        public Builder consistency(Consistency consistency) {
            rule = current().consistency(Objects.requireNonNull(consistency, "consistency"));
            return this;
        }

        /** Sets the failure policy while the store does not answer; {@link OnFail#ALLOW} by default. */
        public Builder onFail(OnFail onFail) {
            rule = current().onFail(Objects.requireNonNull(onFail, "onFail"));
            return this;
        }

        /**
         * Sets how long a decision may wait for the store of this rule; the deadline of the {@link Weir} by default.
         */
        public Builder deadline(Duration longest) {
            rule = current().deadlineMicros(longest.toNanos() / 1_000);
            return this;
        }

        /** Counts the rule in this {@linkplain Weir.Builder#store(String, Store) named store}. */
        public Builder store(String name) {
            rule = current().store(named("store", name));
            return this;
        }

        /** Sets how many hits of the limit one hit of a request takes; 1 by default. */
        public Builder cost(long hits) {
            rule = current().cost(hits);
            return this;
        }

        /**
         * Counts {@code unit}, such as {@code output_tokens}, and not requests: a request says
         * {@linkplain Request#hits(String, long) how many} it uses.
         */
        public Builder counts(String unit) {
            rule = current().unit(named("unit", unit));
            return this;
        }

        /** Makes the rule count and report without ever denying. */
        public Builder shadow() {
            rule = current().shadow(true);
            return this;
        }

        /**
         * Builds the rule set.
         *
         * @throws IllegalArgumentException if a number of a rule is out of range
         */
        public RuleSet build() {
            endRule();
            WrittenRulesBuilder all = WrittenRules.builder();
            domains.forEach(all::weir);
            return all.build();
        }

        private void endRule() {
            if (rule != null) {
                domains.computeIfAbsent(domain, ignored -> new ArrayList<>())
                        .add(new WeirRule(rule.build(), match, keyBy, ignoresCase));
            }
            rule = null;
            match.clear();
            keyBy = KeyBy.global();
            ignoresCase = false;
        }

        private RuleBuilder current() {
            if (rule == null) {
                throw new IllegalStateException("no rule yet (expected: rule(name, limit) before)");
            }
            return rule;
        }

        private static String named(String what, @Nullable String text) {
            if (text == null || text.isBlank()) {
                throw new IllegalArgumentException(what + ": " + text + " (expected: a name)");
            }
            return text;
        }

        private static void requireSensible(String attribute, String value) {
            if (value.startsWith("~")) {
                throw new IllegalArgumentException(attribute + ": " + value
                        + " (expected: no regular expression; those need a rule file and weir-rules)");
            }
            boolean path = value.contains("/") || value.contains("*");
            if (attribute.equals(Attributes.ENDPOINT) && !path) {
                throw new IllegalArgumentException(attribute + ": " + value + " (expected: /path, METHOD /path or *)");
            }
        }
    }
}
