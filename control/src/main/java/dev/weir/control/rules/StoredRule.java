package dev.weir.control.rules;

import dev.weir.control.data.Json;
import dev.weir.control.data.StoredVersion;

/**
 * A rule in the database.
 *
 * @param body the rule itself as a JSON object, without its name and domain
 */
public record StoredRule(String id, String domain, String body, StoredVersion stored) {

    /** Returns the whole rule as one JSON object, for the audit log. */
    public String json() {
        return Json.text(json -> {
            json.writeStartObject();
            json.writeStringField("rule_id", id);
            json.writeStringField("domain", domain);
            json.writeFieldName("rule");
            json.writeRawValue(body);
            json.writeEndObject();
        });
    }
}
