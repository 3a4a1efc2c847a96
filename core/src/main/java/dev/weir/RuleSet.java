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
 * Rules that never change: read from YAML by {@code dev.weir.rules.Rules}, or made in Java.
 *
 * <pre>{@code
 * RuleSet rules = RuleSet.builder("api")
 *         .rule("orders", Limit.tokenBucket(100, Duration.ofSeconds(1)))
 *         .match("endpoint", "POST /orders")
 *         .keyBy("api_key | ip")
 *         .build();
 * }</pre>
 *
 * <p>Weir implements this interface, users only read it.
 */
public interface RuleSet extends RuleSource {

    /** The domains that have rules, in the order in which they were written. */
    List<String> domains();

    /** The names of the rules of {@code domain}, in the order in which they were written; empty if there is no such domain. */
    List<String> ruleNames(String domain);

    /** Hands itself to {@code listener}; nothing ever follows. */
    @Override
    default Subscription follow(Listener listener) {
        listener.changed(this);
        return () -> {};
    }

    /** Starts a rule set with the rules of {@code domain}. */
    static Builder builder(String domain) {
        return new Builder(domain);
    }

    /** Collects rules. {@link #rule} begins a rule, and the calls after it say more about that one. */
    final class Builder {
        private final Map<String, List<WeirRule>> domains = new LinkedHashMap<>();
        private final Set<String> names = new HashSet<>();
        private final List<Condition> match = new ArrayList<>();
        private String domain;
        private @Nullable RuleBuilder rule;
        private KeyBy keyBy = KeyBy.global();

        private Builder(String domain) {
            this.domain = named("domain", domain);
            domains.put(domain, new ArrayList<>());
        }

        /** Goes on with the rules of {@code domain}. */
        public Builder domain(String domain) {
            endRule();
            this.domain = named("domain", domain);
            domains.computeIfAbsent(domain, ignored -> new ArrayList<>());
            return this;
        }

        /**
         * Begins a rule. Its counters are known by {@code name}: a rule that keeps its name keeps what was counted, in Redis too.
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
         * The rule is for requests whose {@code attribute} has one of {@code values}, written as in a rule file: {@code "POST /orders"}
         * for an {@code endpoint}, an address or a block of them for an {@code ip}, {@code *} for any run of characters, else the text
         * itself. Without {@code match} a rule is for every request.
         *
         * @throws IllegalArgumentException for a value that could never match, and for a regular expression ({@code ~…}), which takes a
         *     rule file
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
         * The attributes whose values tell counters apart: {@code "user_id"}, {@code "user_id:endpoint"} for both together, {@code
         * "api_key | ip"} for the first that the request has. Without {@code keyBy} all requests share one counter.
         */
        public Builder keyBy(String attributes) {
            rule = current();
            keyBy = KeyBy.parse(attributes);
            return this;
        }

        /** What a request does that lacks the attribute of {@link #keyBy}; {@link OnMissing#SKIP} unless said. */
        public Builder onMissing(OnMissing onMissing) {
            rule = current().onMissing(Objects.requireNonNull(onMissing, "onMissing"));
            return this;
        }

        /** How exact the limit is over several processes; {@link Consistency#EXACT} unless said. */
        public Builder consistency(Consistency consistency) {
            rule = current().consistency(Objects.requireNonNull(consistency, "consistency"));
            return this;
        }

        /** What decides while the store does not answer; {@link OnFail#ALLOW} unless said. */
        public Builder onFail(OnFail onFail) {
            rule = current().onFail(Objects.requireNonNull(onFail, "onFail"));
            return this;
        }

        /** How long a decision may wait for the store because of this rule; the deadline of the {@link Weir} unless said. */
        public Builder deadline(Duration longest) {
            rule = current().deadlineMicros(longest.toNanos() / 1_000);
            return this;
        }

        /** The {@linkplain Weir.Builder#store(String, Store) named store} that counts for the rule. */
        public Builder store(String name) {
            rule = current().store(named("store", name));
            return this;
        }

        /** How many hits of the limit one hit of a request takes; 1 unless said. */
        public Builder cost(long hits) {
            rule = current().cost(hits);
            return this;
        }

        /** The rule counts and reports, and never denies. */
        public Builder shadow() {
            rule = current().shadow(true);
            return this;
        }

        /**
         * The rules.
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
                        .add(new WeirRule(rule.build(), match, keyBy));
            }
            rule = null;
            match.clear();
            keyBy = KeyBy.global();
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
