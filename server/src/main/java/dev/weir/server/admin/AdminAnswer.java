package dev.weir.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.change.Change;
import dev.weir.control.data.Json;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.JsonOutput;
import dev.weir.text.diagnostics.Diagnostic;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** What answers of the admin port have in common: pages, dry runs, and the version of what they show. */
final class AdminAnswer {
    private AdminAnswer() {}

    static HttpAnswer json(int status, Json.Writing body) {
        return new HttpAnswer(status, HttpAnswer.JSON, JsonOutput.bytes(body::to), List.of());
    }

    /** A thing and the version it is at, for {@code If-Match}. */
    static HttpAnswer versioned(int status, long version, Json.Writing body) {
        return json(status, body).with("ETag", tag(version));
    }

    /** It was taken away, or would be. */
    static HttpAnswer deleted(AdminCall call, Change change) {
        return call.dryRun()
                ? dryRun(change, List.of())
                : new HttpAnswer(204, HttpAnswer.JSON, new byte[0], List.of("ETag", tag(change.version())));
    }

    /** What a change would do. */
    static HttpAnswer dryRun(Change change, List<Diagnostic> warnings) {
        return json(200, out -> {
            out.writeStartObject();
            out.writeBooleanField("dry_run", true);
            out.writeStringField(
                    "change", change.before() == null ? "create" : change.after() == null ? "delete" : "update");
            out.writeFieldName("before");
            out.writeRawValue(change.before() == null ? "null" : change.before());
            out.writeFieldName("after");
            out.writeRawValue(change.after() == null ? "null" : change.after());
            warnings(out, warnings);
            out.writeEndObject();
        });
    }

    static void warnings(JsonGenerator out, List<Diagnostic> warnings) throws IOException {
        if (!warnings.isEmpty()) {
            out.writeArrayFieldStart("warnings");
            for (Diagnostic each : warnings) {
                out.writeString(each.toString());
            }
            out.writeEndArray();
        }
    }

    /** A page of things by their keys; {@code next} is where the next one begins, null after the last. */
    static HttpAnswer page(Map<String, Json.Writing> left, int size, String what) {
        return json(200, out -> {
            String last = null;
            int count = 0;
            out.writeStartObject();
            out.writeArrayFieldStart(what);
            for (Map.Entry<String, Json.Writing> each : left.entrySet()) {
                if (count++ == size) {
                    break;
                }
                each.getValue().to(out);
                last = each.getKey();
            }
            out.writeEndArray();
            out.writeStringField("next", count > size ? last : null);
            out.writeEndObject();
        });
    }

    private static String tag(long version) {
        return "\"" + version + "\"";
    }
}
