package dev.weir.server.insight;

import dev.weir.control.ControlPlane;
import dev.weir.control.switches.SwitchChange;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.fleet.FleetDirectory;
import dev.weir.server.fleet.NodeStatus;
import dev.weir.server.health.Health;
import dev.weir.server.history.History;
import dev.weir.server.history.HistorySeries;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Shows the first screen: the state in one sentence, five figures, the most denied, and the switches in force. */
final class NowView {
    private static final int SHOWN = 10;
    private static final int FIGURE_SECONDS = 10;

    private final Health health;
    private final NodeStatus status;
    private final FleetDirectory fleet;
    private final @Nullable ControlPlane control;
    private final Set<String> stores;
    private final Supplier<RuleIndex> rules;
    private final History history;
    private final RulesView rulesView;
    private final TopKeysView keysView;
    private final LongSupplier millis;
    /** The rules that deny most, as of a second. */
    private record DenyingRules(long second, JsonArray rules) {}

    private volatile @Nullable DenyingRules plain;
    private volatile @Nullable DenyingRules masked;
    /** Since when each problem exists. */
    private final Map<String, Long> problemsSince = new HashMap<>();

    NowView(
            Health health,
            NodeStatus status,
            FleetDirectory fleet,
            @Nullable ControlPlane control,
            Set<String> stores,
            Supplier<RuleIndex> rules,
            History history,
            RulesView rulesView,
            TopKeysView keysView,
            LongSupplier millis) {
        this.health = health;
        this.status = status;
        this.fleet = fleet;
        this.control = control;
        this.stores = Set.copyOf(stores);
        this.rules = rules;
        this.history = history;
        this.rulesView = rulesView;
        this.keysView = keysView;
        this.millis = millis;
    }

    JsonObject now(Question question) {
        long since = question.number("since", 0, 0, Long.MAX_VALUE);
        HistorySeries series = Objects.requireNonNull(history.read(History.Range.QUARTER_HOUR, null, null, since));
        return new JsonObject()
                .put("node", fleet.node())
                .put("at", history.until())
                .put("started", history.started())
                .put("state", state())
                .put("figures", figures())
                .put("series", SeriesJson.of(series))
                .put("restarts", new JsonArray(series.restarts()))
                .put("top_denied", keysView.heaviest(true, false, null, null, SHOWN, question.seesKeys()))
                .put("rules", rules(question.seesKeys()))
                .put("switches", switches())
                .put("dropped", new JsonArray(series.dropped()));
    }

    /** The rules that deny most, found once a second however many ask. */
    private JsonArray rules(boolean seesKeys) {
        DenyingRules last = seesKeys ? plain : masked;
        long second = history.until();
        if (last == null || last.second() != second) {
            last = new DenyingRules(second, rulesView.mostDenying(SHOWN, seesKeys));
            if (seesKeys) {
                plain = last;
            } else {
                masked = last;
            }
        }
        return last.rules();
    }

    private JsonObject figures() {
        int seconds = (int) Math.max(1, Math.min(FIGURE_SECONDS, history.until() - history.started()));
        long[] sums = history.lately(null, null, seconds);
        long requests = sums[0] + sums[1];
        int p99 = history.latency(0.99);
        return new JsonObject()
                .put("decisions", figure(requests / (double) seconds, "1/s"))
                .put("denied", figure(requests == 0 ? null : sums[1] / (double) requests, "share"))
                .put("p99", figure(p99 < 0 ? null : (double) p99, "us"))
                .put("degraded", figure(requests == 0 ? null : Math.min(1, sums[3] / (double) requests), "share"))
                .put("shed", figure(sums[4] / (double) seconds, "1/s"));
    }

    private static JsonObject figure(@Nullable Double value, String unit) {
        return new JsonObject().put("value", value).put("unit", unit);
    }

    /** Notes since when the problems of this server exist; to be called about once a second. */
    synchronized void observe() {
        long now = millis.getAsLong();
        List<String> problems = status.problems();
        problemsSince.keySet().retainAll(new HashSet<>(problems));
        problems.forEach(each -> problemsSince.putIfAbsent(each, now));
    }

    private synchronized JsonObject state() {
        observe();
        long now = millis.getAsLong();
        List<String> sentences = new ArrayList<>();
        for (String each : status.problems()) {
            long seconds = (now - problemsSince.getOrDefault(each, now)) / 1_000;
            sentences.add(each + (seconds > 0 ? ", for " + span(seconds) : "") + following(each));
        }
        boolean bad = !health.serving() || sentences.stream().anyMatch(each -> each.startsWith("store "));
        return new JsonObject()
                .put("level", bad ? "bad" : sentences.isEmpty() ? "ok" : "warn")
                .put("sentence", sentences.isEmpty() ? allWell() : sentences.get(0))
                .put("problems", new JsonArray(sentences));
    }

    private String allWell() {
        int count = rules.get().source().rules().size();
        return "All well: " + count + (count == 1 ? " rule" : " rules")
                + (stores.isEmpty() ? ", counting in memory." : ", stores " + String.join(", ", stores) + " answer.");
    }

    /** How many rules {@code on_fail} decides for, if {@code problem} is one of their store. */
    private String following(String problem) {
        for (String store : stores) {
            if (problem.startsWith("store " + store + ",") || problem.startsWith("store " + store + ":")) {
                long count = rules.get().rules().stream()
                        .filter(each -> each.store().equals(store) && each.limit() != null)
                        .map(Rule::id)
                        .distinct()
                        .count();
                return count == 1 ? ": 1 rule follows on_fail" : ": " + count + " rules follow on_fail";
            }
        }
        return "";
    }

    private static String span(long seconds) {
        return seconds < 120 ? seconds + " s" : seconds < 7_200 ? seconds / 60 + " min" : seconds / 3_600 + " h";
    }

    private JsonArray switches() {
        JsonArray array = new JsonArray();
        List<SwitchChange> active =
                control == null ? List.of() : control.switches().active();
        for (SwitchChange each : active) {
            boolean all = each.name().isEverything();
            var setting = each.setting();
            array.add(new JsonObject()
                    .put(
                            "domain",
                            all || each.name().domain().isEmpty()
                                    ? null
                                    : each.name().domain())
                    .put("rule", all ? "all" : each.name().rule())
                    .put("state", setting == null ? null : setting.state().text())
                    .put("rollout", each.percent())
                    .put("since", each.at().getEpochSecond())
                    .put("by", each.author().name())
                    .put("reason", each.author().reason()));
        }
        return array;
    }
}
