package dev.weir.control.decisions;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.Limit;
import dev.weir.internal.match.keyby.CounterLabel;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.runtime.Sha256;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** Writes checks as JSON. The time comes first, so that the age of a file is found at its beginning. */
final class DecisionLineWriter {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final int HASH_BYTES = 16;

    private final DecisionSinkSettings settings;
    private final @Nullable Mac mac;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(512);

    DecisionLineWriter(DecisionSinkSettings settings) {
        this.settings = settings;
        this.mac = settings.secret() == null ? null : mac(settings.secret());
    }

    private static Mac mac(String secret) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA256", e);
        }
    }

    DecisionLine write(RecordedDecision recorded, int index) {
        MutableVerdict verdict = recorded.verdicts[index];
        String counter = counter(recorded, verdict);
        out.reset();
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            write(json, recorded, verdict, counter);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new DecisionLine(out.toByteArray(), counter);
    }

    /** Writes the line of a request that a ban decided: what it is, who made it, why and until when. */
    DecisionLine writeBan(RecordedDecision recorded) {
        Ban ban = Objects.requireNonNull(recorded.ban);
        String counter = shown(ban.subject(), Sha256.hex(ban.subject()).substring(0, 2 * HASH_BYTES));
        out.reset();
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            Instant until = ban.until();
            json.writeStartObject();
            start(json, recorded);
            json.writeStringField("ban", ban.kind().text());
            json.writeStringField("key", counter);
            json.writeStringField("verdict", recorded.allowed ? "allowed" : "denied");
            json.writeStringField("reason", recorded.allowed ? "shadow_banned" : "banned");
            json.writeBooleanField("passed", recorded.allowed);
            json.writeStringField("ban_reason", ban.reason());
            json.writeStringField("ban_by", ban.by());
            json.writeStringField("ban_until", until == null ? null : until.toString());
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new DecisionLine(out.toByteArray(), counter);
    }

    private void start(JsonGenerator json, RecordedDecision recorded) throws IOException {
        json.writeStringField(
                "time", Instant.EPOCH.plus(recorded.micros, ChronoUnit.MICROS).toString());
        json.writeStringField("node", settings.node());
        json.writeStringField("domain", recorded.request.domain());
    }

    private void write(JsonGenerator json, RecordedDecision recorded, MutableVerdict verdict, @Nullable String counter)
            throws IOException {
        Rule rule = verdict.rule();
        Limit limit = verdict.limit();
        json.writeStartObject();
        start(json, recorded);
        json.writeStringField("rule", rule == null ? "override" : rule.label());
        json.writeStringField("key", counter);
        json.writeStringField("verdict", verdict.allowed() ? "allowed" : "denied");
        json.writeStringField("reason", verdict.reason().name().toLowerCase(Locale.ROOT));
        json.writeBooleanField("passed", recorded.allowed);
        json.writeNumberField("hits", verdict.hits());
        if (limit == null) {
            json.writeNullField("limit");
        } else {
            json.writeNumberField("limit", limit.size());
        }
        json.writeNumberField("remaining", verdict.remaining());
        if (verdict.debt() > 0) {
            json.writeNumberField("debt", verdict.debt());
        }
        json.writeFieldName("retry_after");
        if (!verdict.allowed() && verdict.retryAfterMicros() <= 0) {
            json.writeNull(); // never, or unknown
        } else {
            json.writeNumber(BigDecimal.valueOf(verdict.retryAfterMicros(), 6)
                    .stripTrailingZeros()
                    .toPlainString());
        }
        json.writeBooleanField("degraded", verdict.degraded());
        json.writeBooleanField("shadow", verdict.shadow());
        json.writeStringField("source", rule == null ? "request" : rule.source());
        json.writeEndObject();
    }

    /** Returns the counter as the line shows it; null if it is not shown. */
    private @Nullable String counter(RecordedDecision recorded, MutableVerdict verdict) {
        RuleIndex rules = recorded.rules;
        if (settings.key() == DecisionSinkSettings.KeyShown.NONE || rules == null || !recorded.hasValues) {
            return null;
        }
        CounterLabel found = rules.counter(recorded.request, verdict);
        return found == null ? null : shown(found.text(), found.bucket());
    }

    private @Nullable String shown(String text, String bucket) {
        if (settings.key() == DecisionSinkSettings.KeyShown.NONE) {
            return null;
        }
        if (settings.key() == DecisionSinkSettings.KeyShown.PLAIN) {
            return text;
        }
        if (mac == null) {
            return bucket;
        }
        // Hash the bucket and the values: long values are cut in the text, and the bucket still tells them apart.
        mac.update(bucket.getBytes(StandardCharsets.UTF_8));
        byte[] hash = mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(hash, 0, HASH_BYTES);
    }
}
