package dev.weir.server.admin;

import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.JsonOutput;
import dev.weir.server.rules.RuleSourceView;
import dev.weir.server.rules.RulesInForce;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Lists the sources of rules, lowest layer first. The rules of a later source override those of earlier ones. */
final class SourceApi {
    private final RulesInForce rules;

    SourceApi(RulesInForce rules) {
        this.rules = rules;
    }

    /** {@code GET /v1/ratelimit/sources}. */
    HttpAnswer list() {
        return new HttpAnswer(
                200,
                HttpAnswer.JSON,
                JsonOutput.bytes(out -> {
                    out.writeStartObject();
                    out.writeArrayFieldStart("sources");
                    for (RuleSourceView each : rules.sources().get()) {
                        out.writeStartObject();
                        out.writeStringField("source", each.source());
                        out.writeNumberField("rules", each.rules());
                        out.writeNumberField("hidden", each.hidden());
                        out.writeBooleanField("connected", each.connected());
                        out.writeBooleanField("current", each.current());
                        if (!each.problem().isEmpty()) {
                            out.writeStringField("problem", each.problem());
                        }
                        if (!each.version().isEmpty()) {
                            out.writeStringField("version", each.version());
                        }
                        if (each.changed() != null) {
                            out.writeStringField(
                                    "changed_at",
                                    each.changed()
                                            .truncatedTo(ChronoUnit.SECONDS)
                                            .toString());
                        }
                        out.writeEndObject();
                    }
                    out.writeEndArray();
                    out.writeEndObject();
                }),
                List.of());
    }
}
