package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.Algorithm;
import dev.weir.CalendarWindow;
import dev.weir.Limit;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.rules.internal.grammar.RuleFile.Placed;
import dev.weir.rules.internal.regions.ScopeReader;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Fields;
import dev.weir.text.yaml.YamlNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a descriptor's {@code rate_limit} in Envoy's format, and the flags beside it, into a rule. */
final class EnvoyRateLimit {
    private static final List<String> METRICS = List.of("detailed_metric", "value_to_metric");
    private static final long UINT32 = 0xFFFF_FFFFL;

    private final DiagnosticCollector problems;
    private final StoreNames stores;
    private final boolean calendarMonths;
    private final List<Placed<String>> replaced = new ArrayList<>();
    /** The positions of each flag that requests metrics. */
    private final Map<String, Set<Position>> metrics = new LinkedHashMap<>();

    /** Reads limits; with {@code calendarMonths}, months are those of the calendar. */
    EnvoyRateLimit(DiagnosticCollector problems, StoreNames stores, boolean calendarMonths) {
        this.stores = stores;
        this.calendarMonths = calendarMonths;
        this.problems = problems;
    }

    /** Warns once of each flag that requests metrics, however often it is used. */
    void warnOfMetrics() {
        metrics.forEach((name, places) -> {
            String message = name + " has no effect";
            String where = places.size() == 1 ? message : message + ", in " + places.size() + " places from here on";
            String hint = "Weir keeps one time series per rule, so that callers cannot create new ones";
            problems.warning(places.iterator().next(), where, hint);
        });
    }

    /** Returns the names that the rules read so far replace. */
    List<Placed<String>> replaced() {
        return replaced;
    }

    /** Returns the rule of {@code descriptor}; null if it has none or an invalid one. */
    @Nullable
    Rule read(Fields descriptor, String domain, String path, String label) {
        boolean shadow = descriptor.flag("shadow_mode", false);
        boolean quota = descriptor.flag("quota_mode", false);
        for (String each : METRICS) {
            if (descriptor.flag(each, false)) {
                metrics.computeIfAbsent(each, ignored -> new LinkedHashSet<>()).add(descriptor.nameAt(each));
            }
        }
        YamlNode node = descriptor.node("rate_limit");
        Fields fields = node == null
                ? null
                : Fields.of(node, "rate_limit", "{ unit: minute, requests_per_unit: 10 }", problems);
        if (fields == null) {
            if (node == null) {
                warnOfUnused(descriptor);
            }
            return null;
        }
        Integer rollout = fields.percent("rollout");
        if (shadow && rollout != null) {
            String hint = "a rule in shadow mode denies nobody: remove one of them";
            problems.error(fields.nameAt("rollout"), "rollout beside shadow_mode", hint);
        }
        return rule(descriptor, fields, domain, path, label)
                .rollout(rollout == null ? Rule.EVERYONE : rollout)
                .source(problems.place(fields.at()))
                .shadow(shadow)
                .quota(quota)
                .build();
    }

    private RuleBuilder rule(Fields descriptor, Fields fields, String domain, String path, String label) {
        EnvoyFields.allow(fields, EnvoyFields.RATE_LIMIT, EnvoyFields.LIMIT_OTHERS);
        Algorithm given = LimitReader.algorithm(fields, Algorithm.FIXED_WINDOW);
        if (given == Algorithm.CONCURRENCY) {
            String hint = "expected: a rate; a rule in Weir's format (rules, not descriptors) limits concurrency";
            problems.error(fields.at("algorithm"), "algorithm: concurrency", hint);
            given = null;
        }
        Algorithm algorithm = given == null ? Algorithm.FIXED_WINDOW : given;
        int before = problems.errors();
        boolean flag = fields.flag("unlimited", false);
        // If the flag is invalid, it is unknown whether a unit is needed.
        boolean unclear = problems.errors() > before || fields.isMeant("unlimited");
        boolean unlimited = flag || unclear;
        EnvoyUnit window = unclear ? null : unit(fields, unlimited);
        Long requests = fields.whole("requests_per_unit", 0, UINT32);
        if (!unlimited && fields.lacks("requests_per_unit")) {
            String hint = "envoyproxy/ratelimit assumes 0";
            problems.warning(fields.nameAt("requests_per_unit"), "no requests_per_unit: always over its limit", hint);
            requests = 0L;
        }
        String unitName = window == null ? "unlimited" : window.text();
        RuleBuilder rule = Rule.builder(domain, RuleIdentity.envoy(path, unitName, algorithm))
                .label(label);
        Limit limit = null;
        if (!unlimited) {
            CalendarWindow calendar = calendarMonths && window == EnvoyUnit.MONTH && algorithm == Algorithm.FIXED_WINDOW
                    ? CalendarWindow.MONTH
                    : null;
            limit = LimitReader.finish(fields, given, requests, window == null ? null : window.micros(), calendar, 1);
            if (limit != null) {
                rule.limit(limit);
            }
        }
        String name = fields.text("name");
        rule.name(name == null ? "" : name).replaces(replaces(fields, name));
        rule.countsDenied(algorithm == Algorithm.FIXED_WINDOW).metadata(MetadataReader.read(descriptor));
        String store = stores.defaultOf(window == EnvoyUnit.SECOND);
        Behaviour behaviour = Behaviour.in(store).with(fields, stores);
        behaviour.check(fields, limit, descriptor.flag("quota_mode", false));
        behaviour.applyTo(rule);
        if (limit != null) {
            ScopeReader.check(fields, behaviour.scope(), limit, 1);
            rule.limit(behaviour.scope().partOf(limit)).scope(behaviour.scope().of(limit));
        }
        return rule;
    }

    private @Nullable EnvoyUnit unit(Fields fields, boolean unlimited) {
        String text = fields.text("unit");
        if (unlimited) {
            if (text != null && EnvoyUnit.called(text) != null) {
                problems.error(fields.at("unit"), "unit beside unlimited", "remove one of them");
            } else if (text != null && !text.isEmpty()) {
                problems.warning(fields.nameAt("unit"), "unit has no effect beside unlimited", "remove it");
            }
            return null;
        }
        if (text == null || text.isEmpty()) {
            if (text != null || fields.lacks("unit")) {
                String expected = "expected: " + String.join(", ", EnvoyUnit.TEXTS);
                problems.error(fields.nameAt("unit"), "unit is missing", expected);
            }
            return null;
        }
        EnvoyUnit unit = EnvoyUnit.called(text);
        if (unit == null) {
            problems.error(fields.at("unit"), "unknown unit " + quote(text), EnvoyUnit.hint(text));
        }
        return unit;
    }

    private List<String> replaces(Fields fields, @Nullable String own) {
        List<String> names = new ArrayList<>();
        for (YamlNode each : fields.list("replaces")) {
            Fields entry = Fields.of(each, "replaces", "{ name: other }", problems);
            if (entry == null) {
                continue;
            }
            EnvoyFields.allow(entry, EnvoyFields.REPLACES, Map.of());
            String name = entry.text("name");
            if (name == null || name.isEmpty()) {
                if (name != null || entry.lacks("name")) {
                    String expected = "expected: the name of another rule";
                    problems.error(entry.at("name"), "replaces a rule without a name", expected);
                }
            } else if (name.equals(own)) {
                problems.error(entry.at("name"), "rule " + quote(name) + " replaces itself");
            } else {
                names.add(name);
                replaced.add(new Placed<>(name, entry.at("name")));
            }
        }
        return names;
    }

    private void warnOfUnused(Fields descriptor) {
        for (String each : List.of("shadow_mode", "quota_mode", "metadata")) {
            if (descriptor.has(each)) {
                problems.warning(descriptor.nameAt(each), each + " has no effect without a rate_limit", "");
            }
        }
    }
}
