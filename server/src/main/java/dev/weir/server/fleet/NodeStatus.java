package dev.weir.server.fleet;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.ControlPlane;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.tier.LocalTier;
import dev.weir.redis.internal.node.NodeHealth;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.server.health.Health;
import dev.weir.server.rules.RuleSourceView;
import dev.weir.server.rules.RuleTexts;
import dev.weir.server.rules.RulesInForce;
import dev.weir.server.settings.Settings;
import dev.weir.server.settings.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The state of this server: version, rules, stores with their breakers, database, leases, and all problems. */
public final class NodeStatus {
    private static final int MOST_PROBLEMS = 20;
    private static final int LONGEST_PROBLEM = 400;
    private static final int MOST_STORES = 64;

    private final Health health;
    private final RulesInForce rules;
    private final Limiter limiter;
    private final Map<String, ? extends RedisSharedStore> redis;
    private final @Nullable ControlPlane control;
    private final Settings.@Nullable Regions regions;
    private final @Nullable NodeLoad load;
    private volatile @Nullable Hashed hashed;

    /** Rules and their hash, which is computed once for each rule set. */
    private record Hashed(WrittenRules rules, String hash) {}

    public NodeStatus(
            Health health,
            RulesInForce rules,
            Limiter limiter,
            Map<String, ? extends RedisSharedStore> redis,
            @Nullable ControlPlane control) {
        this(health, rules, limiter, redis, control, null, null);
    }

    /** As above; {@code regions} tells in which region this server is, {@code load} how busy it is. */
    public NodeStatus(
            Health health,
            RulesInForce rules,
            Limiter limiter,
            Map<String, ? extends RedisSharedStore> redis,
            @Nullable ControlPlane control,
            Settings.@Nullable Regions regions,
            @Nullable NodeLoad load) {
        this.regions = regions;
        this.load = load;
        this.health = health;
        this.rules = rules;
        this.limiter = limiter;
        this.redis = redis;
        this.control = control;
    }

    /** Writes the members of the status into the current object. */
    public void write(JsonGenerator out) throws IOException {
        Version version = Version.current();
        out.writeStringField("version", version.number());
        out.writeStringField("commit", version.commit().isEmpty() ? null : version.commit());
        out.writeStringField("java", Version.java());
        out.writeBooleanField("serving", health.serving());
        out.writeArrayFieldStart("problems");
        for (String each : problems()) {
            out.writeString(each);
        }
        out.writeEndArray();
        WrittenRules written = rules.all().get().source();
        out.writeNumberField("rules", written.rules().size());
        out.writeStringField("rules_hash", hash(written));
        stores(out);
        database(out);
        leases(out);
        region(out);
        NodeLoad told = load;
        if (told == null) {
            out.writeNullField("load");
        } else {
            out.writeNumberField("started", told.started());
            out.writeObjectFieldStart("load");
            told.write(out);
            out.writeEndObject();
        }
    }

    private String hash(WrittenRules written) {
        Hashed last = hashed;
        if (last == null || last.rules() != written) {
            last = new Hashed(written, RuleTexts.hash(written));
            hashed = last;
        }
        return last.hash();
    }

    /** The faults of this server, a sentence each; empty if there is none. */
    public List<String> problems() {
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
        return problems.stream()
                .limit(MOST_PROBLEMS)
                .map(each -> each.length() <= LONGEST_PROBLEM ? each : each.substring(0, LONGEST_PROBLEM - 1) + "…")
                .toList();
    }

    private void stores(JsonGenerator out) throws IOException {
        out.writeArrayFieldStart("stores");
        int written = 0;
        for (Map.Entry<String, ? extends RedisSharedStore> each : redis.entrySet()) {
            for (NodeHealth node : each.getValue().health()) {
                if (written++ >= MOST_STORES) {
                    break;
                }
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
        if (control == null) {
            out.writeNullField("database");
            return;
        }
        out.writeObjectFieldStart("database");
        out.writeBooleanField("connected", control.isConnected());
        out.writeNumberField("version", control.version());
        out.writeEndObject();
    }

    /** The region of this server, and the home that it knows; nothing without regions. */
    private void region(JsonGenerator out) throws IOException {
        Settings.Regions known = regions;
        if (known == null || known.own() == null) {
            return;
        }
        out.writeStringField("region", known.own());
        if (known.home() != null) {
            out.writeStringField("home", known.home());
            out.writeNumberField("home_epoch", known.homeEpoch());
        }
    }

    private void leases(JsonGenerator out) throws IOException {
        LocalTier tier = limiter.tier();
        out.writeObjectFieldStart("leases");
        out.writeNumberField("counters", tier == null ? 0 : tier.leases().size());
        out.writeNumberField("held_hits", tier == null ? 0 : tier.leases().held());
        out.writeEndObject();
    }
}
