package dev.weir.server.admin;

import dev.weir.control.data.StoredVersion;
import dev.weir.control.rules.StoredRule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.replay.ReplayException;
import dev.weir.server.replay.ReplayResult;
import dev.weir.server.replay.ReplayTotals;
import dev.weir.server.replay.RuleTrial;
import dev.weir.server.rules.RulesInForce;
import dev.weir.text.message.FileErrors;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Says what a rule, as it would be saved, would have denied of the requests that this server recorded. */
final class ReplayApi {
    private static final int MAX_ID_LENGTH = 200;
    private static final int MOST_CALLERS = 5;
    private static final StoredVersion UNSAVED = new StoredVersion(0, Instant.EPOCH, "");

    private final RulesInForce rules;
    private final OptionalControlPlane control;
    private final LoadOptions options;
    private final RuleApi ruleApi;
    private final RuleTrial trial;

    ReplayApi(RulesInForce rules, OptionalControlPlane control, LoadOptions options, RuleApi ruleApi, RuleTrial trial) {
        this.ruleApi = ruleApi;
        this.rules = rules;
        this.control = control;
        this.options = options;
        this.trial = trial;
    }

    /** Handles {@code POST /admin/v1/replay/{rule_id}}; the body is the rule as for a PUT. Blocks for seconds. */
    HttpAnswer play(AdminCall call, byte[] sent) {
        String id = call.path("rule_id", MAX_ID_LENGTH);
        RuleApi.Body body = ruleApi.body(id, sent);
        WrittenRules below = rules.below().get().rules();
        WrittenRules before = control.rules().over(below).build();
        StoredRule rule = new StoredRule(id, body.domain(), body.text(), UNSAVED);
        WrittenRules now = control.rules().with(id, rule, options).over(below).build();
        try {
            return answer(trial.play(before, now));
        } catch (ReplayException | IllegalArgumentException e) {
            return AdminAnswer.json(200, out -> {
                out.writeStartObject();
                out.writeNumberField("requests", 0);
                out.writeStringField("note", String.valueOf(e.getMessage()));
                out.writeEndObject();
            });
        } catch (IOException e) {
            throw HttpProblemException.unavailable("the recorded requests cannot be read: " + FileErrors.why(e));
        }
    }

    private static HttpAnswer answer(@Nullable ReplayResult result) {
        if (result == null) {
            throw HttpProblemException.tooManyRequests("another rule is being played on the recorded requests", 2);
        }
        ReplayTotals totals = result.totals();
        return AdminAnswer.json(200, out -> {
            out.writeStartObject();
            out.writeNumberField("requests", totals.requests());
            out.writeStringField("from", time(totals.firstMicros()));
            out.writeStringField("to", time(totals.lastMicros()));
            out.writeNumberField("denied_before", totals.before());
            out.writeNumberField("denied", totals.now());
            out.writeNumberField("more", totals.more());
            out.writeNumberField("fewer", totals.fewer());
            out.writeNumberField("callers", result.callers());
            out.writeNumberField("callers_changed", result.callersChanged());
            out.writeArrayFieldStart("changed_callers");
            for (ReplayResult.ChangedCaller each : result.changed(MOST_CALLERS)) {
                out.writeStartObject();
                out.writeStringField("caller", each.caller());
                out.writeNumberField("requests", each.requests());
                out.writeNumberField("denied_before", each.before());
                out.writeNumberField("denied", each.now());
                out.writeEndObject();
            }
            out.writeEndArray();
            out.writeArrayFieldStart("not_exact_because");
            for (String each : result.caveats()) {
                out.writeString(each);
            }
            out.writeEndArray();
            out.writeEndObject();
        });
    }

    private static String time(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
    }
}
