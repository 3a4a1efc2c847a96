package dev.weir.server.insight;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.counters.WindowText;
import dev.weir.server.history.History;
import dev.weir.server.history.HistorySeries;
import dev.weir.server.metrics.RuleMetrics;
import dev.weir.server.metrics.RuleSeries;
import dev.weir.server.topkeys.TopKey;
import dev.weir.server.topkeys.TopKeys;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Shows the rules in force with their live numbers, and their history. */
final class RulesView {
    private static final int DEFAULT_PAGE = 100;
    private static final int MAX_PAGE = 1_000;
    private static final int MINUTE = 60;
    private static final int HOUR = 3_600;
    /** A share of a rule's traffic above which one key is nearly all of it. */
    private static final double NEARLY_ALL = 0.9;

    private static final String TIER = "tier:";

    private final Supplier<RuleIndex> rules;
    private final RuleMetrics metrics;
    private final History history;
    private final TopKeys keys;
    private final KeyMask mask;
    private volatile @Nullable NamedRules last;

    RulesView(Supplier<RuleIndex> rules, RuleMetrics metrics, History history, TopKeys keys, KeyMask mask) {
        this.rules = rules;
        this.metrics = metrics;
        this.history = history;
        this.keys = keys;
        this.mask = mask;
    }

    /** The rules of an index, each domain and label once, by {@code domain/label}. */
    private record NamedRules(RuleIndex index, NavigableMap<String, Rule> rules) {}

    /** A rule that was checked in the last minute. */
    private record Checked(String domain, String rule, double deniedShare) {
        static final Comparator<Checked> MOST_FIRST = Comparator.comparingDouble(Checked::deniedShare)
                .reversed()
                .thenComparing(Checked::domain)
                .thenComparing(Checked::rule);
    }

    /** A rule with what it did in the last minute. */
    private static final class Live {
        private final Rule rule;
        private final String name;
        private final long[] minute;
        private final double utilisation;

        private Live(Rule rule, String name, long[] minute, double utilisation) {
            this.rule = rule;
            this.name = name;
            this.minute = minute;
            this.utilisation = utilisation;
        }

        private String name() {
            return name;
        }

        long denied() {
            return minute[1];
        }

        long checks() {
            return minute[0] + minute[1] + minute[2];
        }

        double deniedShare() {
            return checks() == 0 ? 0 : denied() / (double) checks();
        }
    }

    /** {@code GET /admin/v1/live}. */
    JsonObject live(Question question) {
        String sort = question.word("sort", "name", "denied_share", "denied", "traffic", "utilisation");
        int size = (int) question.number("limit", DEFAULT_PAGE, 1, MAX_PAGE);
        String domain = question.text("domain");
        String sought = question.text("q");
        List<Map.Entry<String, Rule>> found = new ArrayList<>();
        for (Map.Entry<String, Rule> each : named().entrySet()) {
            boolean named =
                    sought == null || each.getKey().toLowerCase(Locale.ROOT).contains(sought.toLowerCase(Locale.ROOT));
            if (named && (domain == null || each.getValue().domain().equals(domain))) {
                found.add(each);
            }
        }
        List<String> names = found.stream().map(Map.Entry::getKey).toList();
        List<Live> all = List.of();
        if (!sort.equals("name")) {
            all = found.stream()
                    .map(each -> live(each.getKey(), each.getValue()))
                    .sorted(order(sort))
                    .toList();
            names = all.stream().map(Live::name).toList();
        }
        int from = names.indexOf(question.text("after")) + 1;
        int to = Math.min(found.size(), from + size);
        List<Live> page = sort.equals("name")
                ? found.subList(from, to).stream()
                        .map(each -> live(each.getKey(), each.getValue()))
                        .toList()
                : all.subList(from, to);
        JsonArray array = new JsonArray();
        Map<String, RuleSeries> series = series(page);
        page.forEach(each -> array.add(json(each, series, question.seesKeys())));
        return new JsonObject()
                .put("at", history.until())
                .put("total", found.size())
                .put("next", to < found.size() ? names.get(to - 1) : null)
                .put("rules", array)
                .put("dropped", new JsonArray(keys.dropped()));
    }

    private static Comparator<Live> order(String sort) {
        Comparator<Live> byName = Comparator.comparing(Live::name);
        return switch (sort) {
            case "denied_share" ->
                Comparator.comparingDouble(Live::deniedShare).reversed().thenComparing(byName);
            case "denied" -> Comparator.comparingLong(Live::denied).reversed().thenComparing(byName);
            case "traffic" -> Comparator.comparingLong(Live::checks).reversed().thenComparing(byName);
            case "utilisation" ->
                Comparator.comparingDouble(RulesView::used).reversed().thenComparing(byName);
            default -> byName;
        };
    }

    private static double used(Live of) {
        return Double.isNaN(of.utilisation) ? -1 : of.utilisation;
    }

    /** The rules in force, sorted by name. */
    private NavigableMap<String, Rule> named() {
        RuleIndex index = rules.get();
        NamedRules known = last;
        if (known == null || known.index() != index) {
            NavigableMap<String, Rule> named = new TreeMap<>();
            for (Rule each : index.rules()) {
                if (!each.id().equals(RuleIndex.OVERRIDE)) {
                    named.putIfAbsent(name(each.domain(), each.label()), each);
                }
            }
            known = new NamedRules(index, Collections.unmodifiableNavigableMap(named));
            last = known;
        }
        return known.rules();
    }

    private static String name(String domain, String label) {
        return domain + "/" + label;
    }

    /** The series of some rules, by {@code domain/label}. */
    private Map<String, RuleSeries> series(List<Live> of) {
        Set<String> labels = of.stream().map(each -> each.rule.label()).collect(Collectors.toSet());
        Map<String, RuleSeries> found = new HashMap<>();
        for (RuleSeries each : metrics.series()) {
            if (labels.contains(each.rule())) {
                found.put(name(each.domain(), each.rule()), each);
            }
        }
        return found;
    }

    private Live live(String name, Rule rule) {
        long[] minute = history.lately(rule.domain(), rule.label(), MINUTE);
        boolean idle = Arrays.stream(minute).allMatch(each -> each == 0);
        return new Live(rule, name, minute, idle ? Double.NaN : keys.highestUse(rule.domain(), rule.label()));
    }

    /** The rules that denied the largest share of their checks in the last minute. */
    JsonArray mostDenying(int most, boolean plain) {
        Map<String, Rule> named = named();
        PriorityQueue<Checked> chosen = new PriorityQueue<>(Checked.MOST_FIRST.reversed());
        history.eachLately(MINUTE, (domain, label, sums) -> {
            long checks = sums[0] + sums[1] + sums[2];
            double share = checks == 0 ? -1 : sums[1] / (double) checks;
            if (share < 0 || (chosen.size() == most && share < chosen.element().deniedShare())) {
                return;
            }
            Checked checked = new Checked(domain, label, share);
            boolean enters = chosen.size() < most || Checked.MOST_FIRST.compare(checked, chosen.element()) < 0;
            if (enters && named.containsKey(name(domain, label))) {
                chosen.add(checked);
                if (chosen.size() > most) {
                    chosen.remove();
                }
            }
        });
        List<Live> denying = chosen.stream()
                .map(each -> name(each.domain(), each.rule()))
                .map(each -> live(each, Objects.requireNonNull(named.get(each))))
                .sorted(order("denied_share"))
                .toList();
        JsonArray array = new JsonArray();
        Map<String, RuleSeries> series = series(denying);
        denying.forEach(each -> array.add(json(each, series, plain)));
        return array;
    }

    private JsonObject json(Live live, Map<String, RuleSeries> series, boolean plain) {
        Rule rule = live.rule;
        SwitchState switched = rule.switched();
        long[] minute = live.minute;
        double use = live.utilisation;
        long[] hour = history.lately(rule.domain(), rule.label(), HOUR);
        return new JsonObject()
                .put("domain", rule.domain())
                .put("rule", rule.label())
                .put("id", rule.id())
                .put("name", live.name())
                .put("tier", rule.name().startsWith(TIER) ? rule.name().substring(TIER.length()) : null)
                .put("source", rule.source())
                .put("keyed", rule.keyed())
                .put("limit", limit(rule.limit()))
                .put("scope", rule.scope().kind().name().toLowerCase(Locale.ROOT))
                .put("shadow", rule.shadow())
                .put("switched", switched == null ? null : switched.text())
                .put("rollout", rule.rollout() / (double) Rule.EVERYONE)
                .put("allowed", minute[0])
                .put("denied", minute[1])
                .put("shadow_denied", minute[2])
                .put("degraded", minute[3])
                .put("denied_share", live.deniedShare())
                .put("allowed_rate", minute[0] / (double) MINUTE)
                .put("denied_rate", minute[1] / (double) MINUTE)
                .put("utilisation", Double.isNaN(use) ? null : use)
                .put("least_left", Double.isNaN(use) ? null : Math.max(0, 1 - use))
                .put("busiest", busiest(rule, series.get(live.name()), plain))
                .put(
                        "hour",
                        new JsonObject()
                                .put("allowed", hour[0])
                                .put("denied", hour[1])
                                .put("shadow_denied", hour[2]));
    }

    private static @Nullable String limit(@Nullable Limit limit) {
        if (limit == null) {
            return null;
        }
        return limit.algorithm() == Algorithm.CONCURRENCY
                ? limit.requests() + " at once"
                : limit.requests() + " per " + WindowText.of(limit);
    }

    /** The key that is nearly all of a rule's traffic; null if there is none, or if the rule has one counter. */
    private @Nullable JsonObject busiest(Rule rule, @Nullable RuleSeries series, boolean plain) {
        double share = series == null || !rule.keyed() ? 0 : metrics.busiestShare(series);
        if (share < NEARLY_ALL) {
            return null;
        }
        JsonObject json = new JsonObject().put("share", share);
        List<TopKey> first = keys.top(false, false, rule.domain(), rule.label(), 1);
        if (first.isEmpty()) {
            first = keys.top(true, false, rule.domain(), rule.label(), 1);
        }
        return first.isEmpty() ? json.putNull("key").put("hashed", false) : mask.key(first.get(0), plain, json);
    }

    /** {@code GET /admin/v1/history}. */
    JsonObject history(Question question) {
        question.requireWholeRule();
        String text = question.word(
                "range",
                History.Range.QUARTER_HOUR.text(),
                History.Range.SIX_HOURS.text(),
                History.Range.FORTNIGHT.text());
        History.Range range = Arrays.stream(History.Range.values())
                .filter(each -> each.text().equals(text))
                .findFirst()
                .orElseThrow();
        String domain = question.text("domain");
        String rule = question.text("rule");
        long since = question.number("since", 0, 0, Long.MAX_VALUE);
        HistorySeries series = history.read(range, domain, rule, since);
        if (series == null && !named().containsKey(domain + "/" + rule)) {
            throw Question.unknownRule(domain, rule, rules.get().domains());
        }
        HistorySeries shown = series == null ? history.idle(range, since) : series;
        return new JsonObject()
                .put("domain", domain)
                .put("rule", rule)
                .put("range", text)
                .put("at", history.until())
                .put("series", SeriesJson.of(shown))
                .put("restarts", new JsonArray(shown.restarts()))
                .put("dropped", new JsonArray(shown.dropped()));
    }
}
