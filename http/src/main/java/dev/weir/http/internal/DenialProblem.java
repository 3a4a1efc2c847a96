package dev.weir.http.internal;

import dev.weir.Cause;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.TakenPermits;
import dev.weir.internal.model.VerdictSentence;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes a denial as an RFC 9457 problem, whose type and status show the cause. */
public final class DenialProblem {
    private static final String IANA = "https://iana.org/assignments/http-problem-types#";
    private static final String OWN = "tag:weir.dev,2026:";

    private DenialProblem() {}

    /** The problem of a decision that denied its request. */
    public static byte[] of(MutableDecision decision) {
        JsonObjectWriter json = new JsonObjectWriter();
        write(json, decision);
        return json.end();
    }

    /** The numbers whose retry-after the caller should get; null if it should not retry, or nothing is known. */
    public static @Nullable VerdictNumbers retry(MutableDecision decision) {
        VerdictNumbers told = VerdictNumbers.binding(decision);
        Cause cause = decision.cause();
        if (told == null || cause == null || !cause.passesLater()) {
            return null;
        }
        return told.passesLater() || told.storeDown() ? told : null;
    }

    static String type(Cause cause) {
        return switch (cause) {
            case QUOTA -> IANA + "quota-exceeded";
            case CAPACITY -> IANA + "temporary-reduced-capacity";
            case NOT_ALLOWED -> OWN + "not-allowed";
            case BANNED -> OWN + "banned";
            case STORE_DOWN -> "about:blank";
        };
    }

    static String title(Cause cause) {
        return switch (cause) {
            case QUOTA -> "Request cannot be satisfied as assigned quota has been exceeded";
            case CAPACITY -> "Request cannot be satisfied due to temporary server capacity constraints";
            case NOT_ALLOWED -> "The caller may not make this request";
            case BANNED -> "The caller is banned";
            case STORE_DOWN -> "Service Unavailable";
        };
    }

    private static void write(JsonObjectWriter json, MutableDecision decision) {
        Cause cause = Objects.requireNonNullElse(decision.cause(), Cause.QUOTA);
        json.writeStringField("type", type(cause));
        json.writeStringField("title", title(cause));
        json.writeNumberField("status", cause.status());
        json.writeBooleanField("allowed", false);
        Ban ban = decision.ban();
        if (ban != null) {
            ban(json, ban);
        }
        VerdictNumbers told = VerdictNumbers.binding(decision);
        if (told != null) {
            verdict(json, decision, told, retry(decision) != null);
        }
        if (decision.degraded()) {
            json.writeBooleanField("degraded", true);
        }
        TakenPermits permits = decision.permits();
        if (permits != null && !permits.unenforced().isEmpty()) {
            json.writeArrayField("unenforced", permits.unenforced());
        }
        json.writeArrayField("violated-policies", violated(decision));
    }

    /** Tells the caller why and until when; not who banned it. */
    private static void ban(JsonObjectWriter json, Ban ban) {
        Instant until = ban.until();
        json.writeStringField(
                "detail",
                "banned" + (until == null ? "" : " until " + until)
                        + (ban.reason().isEmpty() ? "" : ": " + ban.reason()));
        if (until != null) {
            json.writeStringField("expires_at", until.toString());
        }
        json.writeStringField("reason", "banned");
    }

    private static void verdict(JsonObjectWriter json, MutableDecision decision, VerdictNumbers told, boolean retries) {
        String whose = Objects.requireNonNullElse(decision.counterName(), "");
        json.writeStringField("detail", VerdictSentence.of(told.verdict(), whose));
        json.writeNumberField("remaining", told.remaining());
        if (told.debt() > 0) {
            json.writeNumberField("debt", told.debt());
        }
        json.writeNumberField("limit", told.quota());
        json.writeNumberField("reset_at", told.resetAt());
        if (retries) {
            json.writeNumberField("retry_after", told.retryAfterSeconds());
        }
        if (retries && told.knowsWhen()) {
            json.writeStringField("passes_at", told.passesAt().toString());
        }
        json.writeStringField("rule", told.name());
        json.writeStringField("counter", whose);
        json.writeStringField("reason", told.verdict().reason().name().toLowerCase(Locale.ROOT));
    }

    private static List<String> violated(MutableDecision decision) {
        List<String> named = new ArrayList<>();
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            String name = VerdictNumbers.name(verdict);
            if (!verdict.allowed() && !verdict.shadowed() && !named.contains(name)) {
                named.add(name);
            }
        }
        return named;
    }
}
