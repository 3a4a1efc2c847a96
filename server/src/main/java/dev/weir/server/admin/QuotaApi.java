package dev.weir.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.Limit;
import dev.weir.control.ControlPlane;
import dev.weir.control.change.Change;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.data.Json;
import dev.weir.control.quota.QuotaBody;
import dev.weir.control.quota.StoredOverride;
import dev.weir.control.quota.StoredQuota;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.match.override.LimitOverride;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.rules.internal.grammar.EnvoyUnit;
import dev.weir.server.counters.WindowText;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.rules.RulesInForce;
import dev.weir.text.diagnostics.DiagnosticCollector;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Shows and changes callers' quotas: their tier, and limits of their own. */
final class QuotaApi {
    static final int MAX_KEY_LENGTH = 256;

    private final RulesInForce rules;
    private final OptionalControlPlane control;

    QuotaApi(RulesInForce rules, OptionalControlPlane control) {
        this.rules = rules;
        this.control = control;
    }

    /** {@code PUT /admin/v1/quotas/{api_key}}. */
    HttpAnswer put(AdminCall call, byte[] body) {
        String apiKey = call.path("api_key", MAX_KEY_LENGTH);
        ControlPlane plane = control.required();
        StoredQuota quota = read(apiKey, body);
        Change change = plane.putQuota(call.author(), quota, call.precondition(), call.dryRun());
        if (call.dryRun()) {
            return AdminAnswer.dryRun(change, List.of());
        }
        StoredQuota now = plane.quotas().get(apiKey);
        return answer(now == null ? quota : now);
    }

    private StoredQuota read(String apiKey, byte[] body) {
        DiagnosticCollector problems = new DiagnosticCollector("body");
        RuleIndex inForce = rules.all().get();
        StoredQuota quota = QuotaBody.read(apiKey, body, inForce.source().tiers(), problems);
        List<String> errors = new ArrayList<>();
        problems.all().forEach(each -> errors.add(each.toString()));
        if (quota != null) {
            quota.overrides().forEach(each -> check(each, quota.tier(), inForce, errors));
        }
        if (quota == null || !errors.isEmpty()) {
            throw ChangeRefusedException.invalid(errors);
        }
        return quota;
    }

    /** Reports overrides that would have no effect, or that the algorithm of their rule cannot count. */
    private static void check(StoredOverride given, @Nullable String tier, RuleIndex inForce, List<String> errors) {
        LimitOverride override = given.compiled();
        boolean named = false;
        for (Rule each : inForce.rules()) {
            Limit limit = each.limit();
            boolean limits = limit != null || each.isOff();
            if (limits && override.names(each.name(), inForce.scopeOf(each), tier)) {
                named = true;
                String why = limit == null
                        ? null
                        : Meters.refusal(override.over(limit, each.scope()).limit());
                refusal(given, "the rule " + each + " cannot count this limit", why, errors);
            }
        }
        if (!named && !override.canStandAlone()) {
            errors.add("descriptor \"" + given.descriptor() + "\": no such rule (expected: the name of a rule,"
                    + " its scope, like endpoint:POST /api/v1/orders, or default)");
        }
        refusal(given, "the limit cannot be counted", Meters.refusal(override.own()), errors);
    }

    private static void refusal(StoredOverride given, String what, @Nullable String why, List<String> errors) {
        if (why != null) {
            errors.add("descriptor \"" + given.descriptor() + "\": " + what + ": " + why);
        }
    }

    /** {@code GET /admin/v1/quotas/{api_key}}. */
    HttpAnswer get(AdminCall call) {
        String apiKey = call.path("api_key", MAX_KEY_LENGTH);
        StoredQuota quota = control.quota(apiKey);
        if (quota == null) {
            throw HttpProblemException.notFound("no quota is set for " + CallerText.shown(apiKey));
        }
        return answer(quota);
    }

    /** {@code DELETE /admin/v1/quotas/{api_key}}. */
    HttpAnswer delete(AdminCall call) {
        String apiKey = call.path("api_key", MAX_KEY_LENGTH);
        return AdminAnswer.deleted(
                call, control.required().deleteQuota(call.author(), apiKey, call.precondition(), call.dryRun()));
    }

    /** {@code GET /admin/v1/quotas}: all quotas, by api_key. */
    HttpAnswer list(AdminCall call) {
        int size = call.pageSize();
        String tier = call.query("tier");
        TreeMap<String, Json.Writing> page = new TreeMap<>();
        for (StoredQuota each : control.quotas(call.after(), tier, size + 1)) {
            page.put(each.apiKey(), out -> write(out, each));
        }
        return AdminAnswer.page(page, size, "quotas");
    }

    private HttpAnswer answer(StoredQuota quota) {
        return AdminAnswer.versioned(200, quota.stored().version(), out -> write(out, quota));
    }

    /** A quota as {@link #get} shows it. */
    JsonObject json(StoredQuota quota) {
        return new JsonObject(Json.text(out -> write(out, quota)));
    }

    private void write(JsonGenerator out, StoredQuota quota) throws IOException {
        out.writeStartObject();
        out.writeStringField("api_key", quota.apiKey());
        out.writeStringField("tier", quota.tier());
        out.writeObjectFieldStart("quotas");
        out.writeFieldName("default");
        writeDefault(out, quota.tier());
        quota.writeOverrides(out);
        out.writeEndObject();
        time(out, "effective_at", quota.effectiveAt());
        time(out, "expires_at", quota.expiresAt());
        out.writeBooleanField("in_force", quota.at(Instant.now()) != null);
        time(out, "updated_at", quota.stored().at());
        out.writeStringField("updated_by", quota.stored().by());
        out.writeEndObject();
    }

    /** Writes the limit that the rules declare for the tier, if they do. */
    private void writeDefault(JsonGenerator out, @Nullable String tier) throws IOException {
        for (Rule each : rules.all().get().rules()) {
            Limit limit = each.limit();
            if (limit != null && each.name().equals("tier:" + tier)) {
                out.writeStartObject();
                out.writeNumberField("requests_per_unit", limit.requests());
                String unit = limit.calendar() == null ? unit(limit.windowMicros()) : null;
                out.writeStringField(unit == null ? "window" : "unit", unit == null ? WindowText.of(limit) : unit);
                out.writeEndObject();
                return;
            }
        }
        out.writeNull();
    }

    private static @Nullable String unit(long micros) {
        for (EnvoyUnit each : EnvoyUnit.values()) {
            if (each.micros() == micros) {
                return each.text();
            }
        }
        return null;
    }

    private static void time(JsonGenerator out, String name, @Nullable Instant time) throws IOException {
        out.writeStringField(name, time == null ? null : time.toString());
    }
}
