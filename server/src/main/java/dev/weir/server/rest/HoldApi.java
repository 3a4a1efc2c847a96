package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.Hold.Settlement;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Holds;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.model.HeldRequest;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpPort;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.http.HttpProblems;
import dev.weir.server.http.JsonOutput;
import dev.weir.server.request.UnknownNames;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reserve and settle over HTTP: a call whose cost is not known yet reserves an estimate, and settles the true cost with
 * the signed hold, on any server.
 */
final class HoldApi {
    /** The most characters of a request's entries: the hold carries them, and must not be too long to be read. */
    private static final int MOST_CHARACTERS = 8_192;

    private final Limiter limiter;
    private final TimeSource time;
    private final PermitSecret secret;
    private final CheckAnswers answers;
    private final CheckReader reader;

    HoldApi(Limiter limiter, TimeSource time, PermitSecret secret, CheckAnswers answers, CheckReader reader) {
        this.limiter = limiter;
        this.time = time;
        this.secret = secret;
        this.answers = answers;
        this.reader = reader;
    }

    /** Reserves what {@code request} asks for, for {@code ttl}. */
    void reserve(RestExchange exchange, Request request, Duration ttl) {
        int characters = 0;
        for (int i = 0; i < request.descriptors(); i++) {
            for (int entry = request.start(i); entry < request.end(i); entry++) {
                characters += request.key(entry).length() + request.value(entry).length();
            }
            if (request.override(i) != null) {
                throw HttpProblemException.badRequest("limit: not for reserve (expected: a limit of a rule)");
            }
        }
        if (characters > MOST_CHARACTERS) {
            throw HttpProblemException.badRequest(
                    "attributes: " + characters + " characters (expected: at most " + MOST_CHARACTERS + " for a hold)");
        }
        RuleIndex rules = limiter.index();
        withSecret(exchange, signing -> {
            try {
                var unused = limiter.holds()
                        .reserve(request, ttl, HttpPort.peer(exchange.request()))
                        .thenAccept(reserved ->
                                exchange.run(() -> exchange.answer(answer(request, reserved, rules, signing))));
            } catch (Holds.TooManyHoldsException e) {
                throw HttpProblemException.unavailable(String.valueOf(e.getMessage()));
            } catch (IllegalArgumentException e) {
                throw HttpProblemException.badRequest(String.valueOf(e.getMessage()));
            }
        });
    }

    private HttpAnswer answer(Request request, Holds.Reserved reserved, RuleIndex rules, FleetSecret signing) {
        MutableDecision decision = reserved.decision();
        HeldRequest hold = reserved.hold();
        if (hold == null) {
            return answers.of(request, decision, rules);
        }
        String token = HoldToken.of(hold, signing, time.wallMicros() / 1_000);
        String expiry = Instant.ofEpochMilli(hold.expiryMicros() / 1_000).toString();
        return answers.with(request, decision, rules, json -> {
            json.writeStringField("hold", token);
            json.writeStringField("expires_at", expiry);
        });
    }

    /** Settles the hold in {@code body} for the costs in it. */
    void settle(RestExchange exchange, byte[] body) {
        withSecret(exchange, signing -> {
            Request costs = Request.to("");
            HeldRequest hold = HoldToken.read(reader.readSettle(body, costs), signing);
            String unknown = UnknownNames.units(
                    costs.units(), limiter.index().units(hold.request().domain()));
            var unused = limiter.holds()
                    .settle(hold, costs)
                    .thenAccept(settled -> exchange.answer(answer(settled, unknown == null ? "" : unknown)));
        });
    }

    /** A settlement that is done has a {@code remark} if a unit was perhaps misspelt. */
    private static HttpAnswer answer(Settlement settled, String remark) {
        return switch (settled) {
            case DONE -> settled(true, remark);
            case BEFORE -> settled(false, "it was settled before, and nothing was charged now");
            case EXPIRED ->
                HttpProblems.of(
                        410, "hold: expired (what it reserved stays charged; report more with a check)", List.of());
            case ELSEWHERE ->
                HttpProblems.of(
                        409,
                        "hold: its counters are in the memory of another server, or of one that has ended (expected:"
                                + " settle where it was reserved; a shared store needs no such care)",
                        List.of());
            case UNANSWERED ->
                HttpProblems.of(
                        503,
                        "the store of the hold did not answer (settle it again: it is charged once; otherwise what it"
                                + " reserved stays charged)",
                        List.of("Retry-After", "1"));
        };
    }

    private static HttpAnswer settled(boolean done, String detail) {
        byte[] body = JsonOutput.bytes(json -> settled(json, done, detail));
        return new HttpAnswer(200, HttpAnswer.JSON, body, List.of("Cache-Control", "no-store"));
    }

    private static void settled(JsonGenerator json, boolean done, String detail) throws IOException {
        json.writeStartObject();
        json.writeBooleanField("settled", done);
        if (!detail.isEmpty()) {
            json.writeStringField("detail", detail);
        }
        json.writeEndObject();
    }

    /** Runs {@code action} with the secret, on the event loop of the exchange. */
    private void withSecret(RestExchange exchange, Consumer<FleetSecret> action) {
        var unused = secret.get().thenAccept(found -> exchange.run(() -> action.accept(found)));
    }
}
