package dev.weir.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.ControlPlane;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.tier.LocalTier;
import dev.weir.redis.internal.node.NodeHealth;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.server.health.Health;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.rules.RuleSourceView;
import dev.weir.server.rules.RulesInForce;
import dev.weir.server.settings.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Shows the state of this server: version, rules, stores with their breakers, database, leases, and all problems. */
final class StatusApi {
    private final Health health;
    private final RulesInForce rules;
    private final Limiter limiter;
    private final Map<String, ? extends RedisSharedStore> redis;
    private final OptionalControlPlane control;

    StatusApi(
            Health health,
            RulesInForce rules,
            Limiter limiter,
            Map<String, ? extends RedisSharedStore> redis,
            OptionalControlPlane control) {
        this.health = health;
        this.rules = rules;
        this.limiter = limiter;
        this.redis = redis;
        this.control = control;
    }

    /** {@code GET /admin/v1/status}. */
    HttpAnswer get() {
        return AdminAnswer.json(200, out -> {
            Version version = Version.current();
            out.writeStartObject();
            out.writeStringField("version", version.number());
            out.writeStringField("commit", version.commit().isEmpty() ? null : version.commit());
            out.writeStringField("java", Version.java());
            out.writeBooleanField("serving", health.serving());
            out.writeArrayFieldStart("problems");
            for (String each : problems()) {
                out.writeString(each);
            }
            out.writeEndArray();
            out.writeNumberField("rules", rules.all().get().source().rules().size());
            stores(out);
            database(out);
            leases(out);
            out.writeEndObject();
        });
    }

    private List<String> problems() {
        List<String> problems = new ArrayList<>();
        if (!health.serving()) {
            problems.add("not serving");
        }
        if (!health.degraded().isEmpty()) {
            problems.add(health.degraded());
        }
        for (RuleSourceView each : rules.sources().get()) {
            if (!each.problem().isEmpty()) {
                problems.add("rules of " + each.source() + ": " + each.problem());
            }
        }
        return problems;
    }

    private void stores(JsonGenerator out) throws IOException {
        out.writeArrayFieldStart("stores");
        for (Map.Entry<String, ? extends RedisSharedStore> each : redis.entrySet()) {
            for (NodeHealth node : each.getValue().health()) {
                out.writeStartObject();
                out.writeStringField("store", each.getKey());
                out.writeStringField("server", node.node());
                out.writeBooleanField("connected", node.down() == null);
                out.writeStringField("breaker", node.open() ? "open" : "closed");
                out.writeStringField("reason", node.serves() ? "" : node.reason());
                out.writeNumberField("waiting", node.waiting());
                out.writeEndObject();
            }
        }
        out.writeEndArray();
    }

    private void database(JsonGenerator out) throws IOException {
        ControlPlane plane = control.plane();
        if (plane == null) {
            out.writeNullField("database");
            return;
        }
        out.writeObjectFieldStart("database");
        out.writeBooleanField("connected", plane.isConnected());
        out.writeNumberField("version", plane.version());
        out.writeEndObject();
    }

    private void leases(JsonGenerator out) throws IOException {
        LocalTier tier = limiter.tier();
        out.writeObjectFieldStart("leases");
        out.writeNumberField("counters", tier == null ? 0 : tier.leases().size());
        out.writeNumberField("held_hits", tier == null ? 0 : tier.leases().held());
        out.writeEndObject();
    }
}
