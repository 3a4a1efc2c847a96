package dev.weir.control.decisions;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.Request;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.model.Ban;
import dev.weir.internal.ruleset.RuleIndex;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes requests as JSON, one line each, so that {@code weir replay} can decide them again. Beside them it writes when
 * this server began to record, and how much it lost since.
 */
final class RequestLineWriter {
    private static final JsonFactory FACTORY = new JsonFactory();

    private final DecisionSinkSettings settings;
    private final @Nullable CallerSampling sampling;
    private final IdentityHash hash;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(512);
    private final Set<String> hashed = new LinkedHashSet<>();

    RequestLineWriter(DecisionSinkSettings settings, @Nullable CallerSampling sampling) {
        this.settings = settings;
        this.sampling = sampling;
        this.hash = new IdentityHash(settings.secret());
    }

    private interface Content {
        void write(JsonGenerator json) throws IOException;
    }

    private DecisionLine line(long micros, @Nullable String key, Content content) {
        out.reset();
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            json.writeStartObject();
            json.writeStringField("time", text(micros));
            json.writeStringField("node", settings.node());
            content.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new DecisionLine(out.toByteArray(), key);
    }

    private static String text(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
    }

    /** Writes that this server records requests from now on. */
    DecisionLine started(long micros) {
        return line(micros, null, json -> {
            json.writeStringField("recording", settings.requests().text());
            if (settings.region() != null) {
                json.writeStringField("region", settings.region());
            }
            if (settings.key() == DecisionSinkSettings.KeyShown.HASH) {
                json.writeStringField("hash", hash.fingerprint());
            }
        });
    }

    /** Writes how many requests and lines were lost since this server started. */
    DecisionLine lost(long micros, long requests, long lines) {
        return line(micros, null, json -> {
            json.writeNumberField("lost_requests", requests);
            json.writeNumberField("lost_lines", lines);
        });
    }

    /** Writes the request of {@code recorded}, which has its values. */
    DecisionLine write(RecordedDecision recorded) {
        Request request = recorded.request;
        hashed.clear();
        int caller = sampling == null ? -1 : sampling.caller(request, recorded.rules);
        int keyed = caller >= 0 || recorded.rules == null
                ? caller
                : RequestCaller.find(request, recorded.rules.countedBy(request.domain()), settings.plainAttributes());
        String key = keyed < 0 ? null : value(request.key(keyed), request.value(keyed));
        return line(recorded.askedMicros, key, json -> {
            if (recorded.storeMicros > 0) {
                json.writeStringField("store_time", text(recorded.storeMicros));
            }
            json.writeStringField("domain", request.domain());
            descriptors(json, recorded);
            hits(json, request);
            if (!hashed.isEmpty()) {
                json.writeArrayFieldStart("hashed");
                for (String each : hashed) {
                    json.writeString(each);
                }
                json.writeEndArray();
            }
            flags(json, recorded);
            if (sampling != null && sampling.of() > 1) {
                json.writeNumberField("sample", sampling.of());
                if (caller >= 0) {
                    json.writeStringField("sample_by", request.key(caller));
                }
            }
        });
    }

    private void descriptors(JsonGenerator json, RecordedDecision recorded) throws IOException {
        Request request = recorded.request;
        String tier = tier(request, recorded.rules);
        json.writeArrayFieldStart("request");
        for (int i = 0; i < request.descriptors(); i++) {
            json.writeStartObject();
            for (int entry = request.start(i); entry < request.end(i); entry++) {
                String name = request.key(entry);
                if (tier == null || !name.equals(Attributes.TIER)) {
                    json.writeStringField(name, value(name, request.value(entry)));
                }
            }
            if (tier != null) {
                json.writeStringField(Attributes.TIER, tier);
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        if (request.isAttributes()) {
            json.writeBooleanField("attributes", true);
        }
    }

    /** The tier that the caller's quota gives it; null if it has none. The quotas are not at hand in a replay. */
    private static @Nullable String tier(Request request, @Nullable RuleIndex rules) {
        for (int i = 0; i < request.descriptors() && rules != null; i++) {
            if (request.value(i, Attributes.API_KEY) != null || request.value(i, Attributes.CLIENT_ID) != null) {
                return rules.tierOverride(request);
            }
        }
        return null;
    }

    private String value(String name, String value) {
        if (settings.key() == DecisionSinkSettings.KeyShown.PLAIN
                || IdentityHash.isPlain(name, settings.plainAttributes())) {
            return value;
        }
        hashed.add(name);
        return hash.of(name, value);
    }

    private static void hits(JsonGenerator json, Request request) throws IOException {
        boolean own = false;
        boolean limited = false;
        for (int i = 0; i < request.descriptors(); i++) {
            own |= request.hasOwnHits(i);
            limited |= request.override(i) != null;
        }
        if (own) {
            json.writeArrayFieldStart("descriptor_hits");
            for (int i = 0; i < request.descriptors(); i++) {
                if (request.hasHits(i)) {
                    json.writeNumber(request.hitsOf(i));
                } else {
                    json.writeNull();
                }
            }
            json.writeEndArray();
        } else if (request.descriptors() > 0 && request.hasHits(0)) {
            json.writeNumberField("cost", request.hitsOf(0));
        }
        if (!request.units().isEmpty()) {
            json.writeObjectFieldStart("costs");
            for (String each : request.units()) {
                json.writeNumberField(each, request.hitsOf(each));
            }
            json.writeEndObject();
        }
        if (request.isChargedInFull()) {
            json.writeBooleanField("in_full", true);
        }
        if (limited) {
            json.writeBooleanField("own_limit", true);
        }
        if (request.onlyRules() != null) {
            json.writeBooleanField("some_rules", true);
        }
    }

    private static void flags(JsonGenerator json, RecordedDecision recorded) throws IOException {
        Ban ban = recorded.ban;
        if (ban != null) {
            json.writeStringField("ban", ban.kind().text());
        }
        json.writeBooleanField("passed", recorded.allowed);
        if (recorded.deniedBy != null) {
            json.writeStringField("denied_by", recorded.deniedBy);
        }
        if (recorded.degraded) {
            json.writeBooleanField("degraded", true);
        }
    }
}
