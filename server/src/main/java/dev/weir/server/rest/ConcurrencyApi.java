package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonFactory;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.shared.PermitAnswer;
import dev.weir.internal.model.HeldPermit;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.TakenPermits;
import dev.weir.internal.queue.RequestQueues;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.http.HttpProblems;
import dev.weir.server.http.JsonOutput;
import dev.weir.server.rls.RequestCaps;
import dev.weir.text.message.Suggestion;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Permits of concurrency limits over HTTP: acquire takes them in one decision with all other limits, release and renew
 * need only the permit itself, on any server.
 */
final class ConcurrencyApi {
    /** The longest permit that is read, bytes; a permit of a hundred limits is shorter. */
    private static final int LONGEST = 64 << 10;

    private static final List<String> MEMBERS = List.of("permit");

    private final Limiter limiter;
    private final RequestQueues queues;
    private final TimeSource time;
    private final PermitSecret secret;
    private final CheckAnswers answers;
    private final JsonFactory factory;
    private final RequestCaps caps;

    ConcurrencyApi(
            Limiter limiter,
            RequestQueues queues,
            TimeSource time,
            PermitSecret secret,
            CheckAnswers answers,
            JsonFactory factory,
            RequestCaps caps) {
        this.limiter = limiter;
        this.queues = queues;
        this.time = time;
        this.secret = secret;
        this.answers = answers;
        this.factory = factory;
        this.caps = caps;
    }

    /** Reads a request into {@code into}; it runs on the event loop of the exchange. */
    interface Reading {
        void read(Request into);
    }

    /** Decides the request that {@code reading} reads into {@code request}, and answers with a permit if it passes. */
    void acquire(RestExchange exchange, Reading reading, Request request, MutableDecision into) {
        withSecret(exchange, signing -> {
            reading.read(request);
            request.nameCounter();
            RuleIndex rules = limiter.index();
            exchange.decideInTurn(queues, request, time.micros(), into, null, (asked, decision) -> {
                TakenPermits taken = decision.permits();
                List<HeldPermit> held = taken == null ? List.of() : taken.held();
                if (!exchange.isOpen()) {
                    var unused = limiter.permits().release(held); // nobody would
                } else if (decision.allowed()) {
                    exchange.answer(answers.acquired(asked, decision, rules, permit(held, signing), expiry(decision)));
                } else {
                    exchange.answer(answers.of(asked, decision, rules));
                }
            });
        });
    }

    private String permit(List<HeldPermit> held, FleetSecret signing) {
        return PermitToken.of(held, limiter.stores(), signing, time.wallMicros() / 1_000);
    }

    /**
     * When the first of the permits expires, by this server's clock; null without permits. They were taken after the
     * store was asked, so this is never late.
     */
    private @Nullable Instant expiry(MutableDecision decision) {
        TakenPermits taken = decision.permits();
        long sinceAsked = time.micros() - decision.askedMicros();
        return taken == null || taken.held().isEmpty() ? null : expiry(taken.ttlMicros() - sinceAsked);
    }

    private Instant expiry(long inMicros) {
        return Instant.ofEpochMilli((time.wallMicros() + inMicros) / 1_000);
    }

    /** Releases the permit in {@code body}. */
    void release(RestExchange exchange, byte[] body) {
        withSecret(exchange, signing -> {
            List<HeldPermit> held = PermitToken.read(permitIn(body), limiter.stores(), signing);
            var unused = limiter.permits().release(held).thenAccept(answer -> exchange.answer(released(answer)));
        });
    }

    private static HttpAnswer released(PermitAnswer answer) {
        if (answer == PermitAnswer.UNANSWERED) {
            return unanswered("release");
        }
        return json(json -> {
            json.writeBooleanField("released", answer == PermitAnswer.DONE);
            if (answer == PermitAnswer.GONE) {
                json.writeStringField("detail", "it was released before, or its permit_ttl has passed");
            }
        });
    }

    /** Renews the permit in {@code body}. */
    void renew(RestExchange exchange, byte[] body) {
        withSecret(exchange, signing -> {
            String permit = permitIn(body);
            List<HeldPermit> held = PermitToken.read(permit, limiter.stores(), signing);
            long ttl = held.stream().mapToLong(HeldPermit::ttlMicros).min().orElse(0);
            Instant expiry = expiry(ttl);
            var unused = limiter.permits()
                    .renew(held)
                    .thenAccept(answer -> exchange.answer(renewed(answer, permit, expiry)));
        });
    }

    private static HttpAnswer renewed(PermitAnswer answer, String permit, Instant expiry) {
        return switch (answer) {
            case UNANSWERED -> unanswered("renew");
            case GONE ->
                HttpProblems.of(
                        410,
                        "permit: released before, or its permit_ttl has passed (expected: a permit in flight; acquire"
                                + " another)",
                        List.of());
            case DONE ->
                json(json -> {
                    json.writeBooleanField("renewed", true);
                    json.writeStringField("permit", permit);
                    json.writeStringField("expires_at", expiry.toString());
                });
        };
    }

    private static HttpAnswer unanswered(String what) {
        return HttpProblems.of(
                503,
                "the store of the permit did not answer (" + what
                        + " it again: that has no other effect; otherwise its permit_ttl ends it)",
                List.of("Retry-After", "1"));
    }

    private static HttpAnswer json(JsonOutput.Writing members) {
        byte[] body = JsonOutput.bytes(json -> {
            json.writeStartObject();
            members.to(json);
            json.writeEndObject();
        });
        return new HttpAnswer(200, HttpAnswer.JSON, body, List.of("Cache-Control", "no-store"));
    }

    /** Reads the member {@code permit} of the object that acquire answered; its other members do not matter. */
    private String permitIn(byte[] body) {
        String permit = null;
        String misspelt = null;
        try (JsonInput in = JsonInput.of(factory, body, caps)) {
            in.object("body");
            while (in.member()) {
                if (in.name().equals("permit")) {
                    permit = in.text("permit", LONGEST, "permit");
                } else {
                    misspelt = misspelt == null ? Suggestion.nearest(in.name(), MEMBERS) : misspelt;
                    in.skip();
                }
            }
            in.end();
        }
        if (permit == null) {
            throw HttpProblemException.badRequest("permit: missing (expected: the object that acquire answered"
                    + (misspelt == null ? "" : "; " + Suggestion.meant(misspelt)) + ")");
        }
        return permit;
    }

    /** Runs {@code action} with the secret, on the event loop of the exchange. */
    private void withSecret(RestExchange exchange, Consumer<FleetSecret> action) {
        var unused = secret.get().thenAccept(found -> exchange.run(() -> action.accept(found)));
    }
}
