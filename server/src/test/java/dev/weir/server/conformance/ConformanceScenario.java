package dev.weir.server.conformance;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A rules file (or several) and what is asked and answered in turn; it has a domain, and so counters, of its own. */
final class ConformanceScenario {
    /** The expected answer to one request. */
    sealed interface Outcome {}

    /** A decision, with the headers (reset as a unit) and metadata that go with it, where the scenario is about those. */
    record Decided(
            ProtocolCode code,
            List<Expected> statuses,
            @Nullable Headers headers,
            @Nullable JsonObject metadata) implements Outcome {}

    /** A refusal with this message. */
    record Refused(String message) implements Outcome {}

    /** The three headers: {@code names} in the order limit, remaining, reset; none expected if {@code names} is empty. */
    record Headers(List<String> names, long limit, long remaining, ProtocolUnit unit) {}

    /** One request with its outcome. */
    record Step(RlsRequest ask, Outcome outcome) {}

    final String sentence;
    final List<String> files = new ArrayList<>();
    final List<Step> steps = new ArrayList<>();
    Surroundings surroundings = Surroundings.PLAIN;

    @Nullable
    String notInTheReference;

    private ConformanceScenario(String sentence) {
        this.sentence = sentence;
    }

    static ConformanceScenario scenario(String sentence) {
        return new ConformanceScenario(sentence);
    }

    /** Adds a file of the scenario's domain; {@code descriptors} is the list below that key, empty for a domain alone. */
    ConformanceScenario rules(String descriptors) {
        files.add(descriptors);
        return this;
    }

    ConformanceScenario under(Surroundings surroundings) {
        this.surroundings = surroundings;
        return this;
    }

    /** Weir means this and the reference as of January 2026 does otherwise, for this reason. */
    ConformanceScenario unlikeTheReference(String reason) {
        this.notInTheReference = reason;
        return this;
    }

    ConformanceScenario asks(RlsRequest ask, ProtocolCode code, Expected... statuses) {
        steps.add(new Step(ask, new Decided(code, Arrays.asList(statuses), null, null)));
        return this;
    }

    /** Asks the same several times. */
    ConformanceScenario asksTimes(int times, RlsRequest ask, ProtocolCode code, Expected... statuses) {
        for (int i = 0; i < times; i++) {
            asks(ask, code, statuses);
        }
        return this;
    }

    ConformanceScenario isRefused(RlsRequest ask, String message) {
        steps.add(new Step(ask, new Refused(message)));
        return this;
    }

    /** The last answer carries these headers. */
    ConformanceScenario withHeaders(
            String limitName, String remainingName, String resetName, long limit, long left, ProtocolUnit unit) {
        return amend(new Headers(List.of(limitName, remainingName, resetName), limit, left, unit), null);
    }

    /** The last answer carries the three headers under their ordinary names. */
    ConformanceScenario withHeaders(long limit, long left, ProtocolUnit unit) {
        return withHeaders("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", limit, left, unit);
    }

    /** The last answer carries no headers. */
    ConformanceScenario withoutHeaders() {
        return amend(new Headers(List.of(), 0, 0, ProtocolUnit.UNKNOWN), null);
    }

    /** The last answer carries this metadata; {@code $domain} stands for the scenario's domain. */
    ConformanceScenario withMetadata(String json) {
        return amend(null, new JsonObject(json));
    }

    private ConformanceScenario amend(@Nullable Headers headers, @Nullable JsonObject metadata) {
        Step last = steps.remove(steps.size() - 1);
        Decided decided = (Decided) last.outcome();
        steps.add(new Step(last.ask(), new Decided(decided.code(), decided.statuses(), headers, metadata)));
        return this;
    }
}
