package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.server.http.JsonOutput;
import dev.weir.server.rls.RlsAnswer;
import dev.weir.server.rls.RlsCode;
import dev.weir.server.rls.RlsStatus;
import dev.weir.server.rls.RlsUnit;
import dev.weir.server.rls.ToldDenial;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a {@code RateLimitResponse} as protobuf's JSON, in the order of the reference and without zero or empty
 * members.
 */
final class RlsJsonWriter {
    private RlsJsonWriter() {}

    static byte[] bytes(RlsAnswer answer, @Nullable Map<String, Object> metadata) {
        return JsonOutput.bytes(json -> {
            json.writeStartObject();
            json.writeStringField("overallCode", RlsCode.name(answer.overallCode()));
            json.writeArrayFieldStart("statuses");
            for (int i = 0; i < answer.size(); i++) {
                status(json, answer.status(i));
            }
            json.writeEndArray();
            ToldDenial denial = answer.denial();
            headers(json, "responseHeadersToAdd", answer.responseHeaders());
            headers(json, "requestHeadersToAdd", answer.requestHeaders());
            if (denial != null) {
                json.writeBinaryField("rawBody", denial.body());
            }
            if (metadata != null) {
                json.writeFieldName("dynamicMetadata");
                JsonOutput.value(json, metadata);
            }
            json.writeEndObject();
        });
    }

    private static void status(JsonGenerator json, RlsStatus status) throws IOException {
        json.writeStartObject();
        json.writeStringField("code", RlsCode.name(status.code()));
        if (status.limited()) {
            json.writeObjectFieldStart("currentLimit");
            if (!status.name().isEmpty()) {
                json.writeStringField("name", status.name());
            }
            if (status.requestsPerUnit() != 0) {
                json.writeNumberField("requestsPerUnit", status.requestsPerUnit());
            }
            if (status.unit() != RlsUnit.UNKNOWN) {
                json.writeStringField("unit", status.unit().name());
            }
            json.writeEndObject();
        }
        if (status.remaining() != 0) {
            json.writeNumberField("limitRemaining", status.remaining());
        }
        if (status.limited() && status.resetSeconds() > 0) {
            json.writeStringField("durationUntilReset", status.resetSeconds() + "s");
        }
        json.writeEndObject();
    }

    private static void headers(JsonGenerator json, String field, Map<String, String> headers) throws IOException {
        if (headers.isEmpty()) {
            return;
        }
        json.writeArrayFieldStart(field);
        for (Map.Entry<String, String> each : headers.entrySet()) {
            json.writeStartObject();
            json.writeStringField("key", each.getKey());
            json.writeStringField("value", each.getValue());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
