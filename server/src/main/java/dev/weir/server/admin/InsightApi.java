package dev.weir.server.admin;

import dev.weir.control.bans.BanChange;
import dev.weir.control.bans.Bans;
import dev.weir.control.quota.StoredQuota;
import dev.weir.control.token.Role;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.insight.Insight;
import dev.weir.server.insight.Question;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

/** The data behind the dashboard. Operators and admins see the keys of callers, viewers a hash. */
final class InsightApi {
    /** The routes, and what answers them. */
    static final Map<String, BiFunction<InsightApi, AdminCall, HttpAnswer>> ROUTES = Map.of(
            "/admin/v1/now", (api, call) -> api.answer(call, api.insight::now),
            "/admin/v1/live", (api, call) -> api.answer(call, api.insight::live),
            "/admin/v1/history", (api, call) -> api.answer(call, api.insight::history),
            "/admin/v1/top", (api, call) -> api.answer(call, api.insight::top),
            "/admin/v1/denials", (api, call) -> api.answer(call, api.insight::denials),
            "/admin/v1/caller", (api, call) -> api.answer(call, api::caller),
            "/admin/v1/load", (api, call) -> api.answer(call, api.insight::load));

    private final Insight insight;
    private final Bans bans;
    private final QuotaApi quotas;
    private final OptionalControlPlane control;

    InsightApi(Insight insight, Bans bans, QuotaApi quotas, OptionalControlPlane control) {
        this.insight = insight;
        this.bans = bans;
        this.quotas = quotas;
        this.control = control;
    }

    private HttpAnswer answer(AdminCall call, Function<Question, JsonObject> asked) {
        Question question = new Question(call.query(), call.caller().role().covers(Role.OPERATOR));
        byte[] body = asked.apply(question).encode().getBytes(StandardCharsets.UTF_8);
        return new HttpAnswer(200, HttpAnswer.JSON, body, List.of());
    }

    /** The limits that the caller meets, with the bans and the quota that operators made for it. */
    private JsonObject caller(Question question) {
        JsonObject json = insight.caller(question);
        JsonObject attributes = json.getJsonObject("attributes");
        JsonArray made = new JsonArray();
        for (BanChange each : bans.inForce().values()) {
            if (each.name().value().equals(attributes.getString(each.name().attribute()))) {
                made.add(BanApi.json(each));
            }
        }
        String apiKey = attributes.getString("api_key");
        StoredQuota quota = apiKey == null ? null : control.quota(apiKey);
        return json.put("bans", made).put("quota", quota == null ? null : quotas.json(quota));
    }
}
