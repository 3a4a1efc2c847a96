package dev.weir.server.command.replay;

import dev.weir.Limit;
import dev.weir.server.replay.DenialSeries;
import dev.weir.server.replay.LimitSearch;
import dev.weir.server.replay.ReplayResult;
import dev.weir.server.replay.ReplayTotals;
import dev.weir.server.replay.RuleSetRun;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of a replay as JSON. */
final class ReplayJson {
    private final ReplayResult result;

    ReplayJson(ReplayResult result) {
        this.result = result;
    }

    JsonObject of(int mostCallers, @Nullable Double percent, List<LimitSearch.Suggestion> suggestions, double seconds) {
        ReplayTotals totals = result.totals();
        RuleSetRun before = result.before();
        JsonObject json = new JsonObject()
                .put("requests", totals.requests())
                .put("lines", totals.lines())
                .put("from", ReplayReport.time(totals.firstMicros()))
                .put("to", ReplayReport.time(totals.lastMicros()))
                .put("callers", result.callers())
                .put("banned", totals.banned())
                .put("rules", result.now().name())
                .put("denied", totals.now())
                .put("callers_denied", result.callersDenied());
        if (result.hasBefore()) {
            json.put("against", result.beforeName())
                    .put("denied_before", totals.before())
                    .put("callers_denied_before", result.callersDeniedBefore())
                    .put("more", totals.more())
                    .put("fewer", totals.fewer())
                    .put("callers_changed", result.callersChanged());
        }
        json.put("recorded", totals.recorded())
                .put("recorded_denied", totals.recordedDenied())
                .put("as_recorded", totals.asRecorded())
                .put("sample", totals.sample())
                .put("exact", result.isExact())
                .put("not_exact_because", new JsonArray(result.caveats()))
                .put("by_rule", rules(result.now()));
        if (before != null) {
            json.put("by_rule_before", rules(before));
        }
        JsonObject unknown = new JsonObject();
        result.unknownDomains().forEach(unknown::put);
        json.put("unknown_domains", unknown)
                .put("over_time", series())
                .put("changed_callers", callers(mostCallers))
                .put("seconds", Math.round(seconds * 1_000) / 1e3);
        if (percent != null) {
            json.put("suggest_percent", percent).put("suggestions", suggestions(suggestions));
        }
        return json;
    }

    private static JsonArray rules(RuleSetRun run) {
        JsonArray all = new JsonArray();
        for (RuleSetRun.RuleTally each : run.tallies()) {
            all.add(new JsonObject()
                    .put("domain", each.rule().domain())
                    .put("rule", each.rule().label())
                    .put("met", each.met())
                    .put("denied", each.denied())
                    .put("shadow", each.shadowed()));
        }
        return all;
    }

    private JsonArray series() {
        DenialSeries series = result.series();
        JsonArray all = new JsonArray();
        for (int i = 0; i < series.size(); i++) {
            JsonObject each = new JsonObject()
                    .put("from", ReplayReport.time(series.at(i)))
                    .put("seconds", series.width() / 1e6)
                    .put("requests", series.requests(i))
                    .put("denied", series.now(i));
            if (result.hasBefore()) {
                each.put("denied_before", series.before(i));
            }
            all.add(each);
        }
        return all;
    }

    private JsonArray callers(int most) {
        JsonArray all = new JsonArray();
        for (ReplayResult.ChangedCaller each : result.changed(most)) {
            all.add(new JsonObject()
                    .put("caller", each.caller())
                    .put("rule", each.rule())
                    .put("requests", each.requests())
                    .put("denied_before", each.before())
                    .put("denied", each.now())
                    .put("first", ReplayReport.time(each.firstMicros()))
                    .put("last", ReplayReport.time(each.lastMicros())));
        }
        return all;
    }

    private static JsonArray suggestions(List<LimitSearch.Suggestion> suggestions) {
        JsonArray all = new JsonArray();
        for (LimitSearch.Suggestion each : suggestions) {
            Limit limit = each.limit();
            JsonObject json = new JsonObject()
                    .put("domain", each.rule().domain())
                    .put("rule", each.rule().label())
                    .put("tier", each.tier().isEmpty() ? null : each.tier())
                    .put("callers", each.callers())
                    .put("callers_denied", each.deniedNow());
            all.add(
                    limit == null
                            ? json.putNull("requests")
                            : json.put("requests", limit.requests())
                                    .put("burst", limit.burst())
                                    .put("would_deny", each.denied()));
        }
        return all;
    }
}
