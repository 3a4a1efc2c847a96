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

/** Builds the answers of the admin port: pages of lists, dry runs, and versions. */
final class AdminAnswer {
    private AdminAnswer() {}

    static HttpAnswer json(int status, Json.Writing body) {
        return new HttpAnswer(status, HttpAnswer.JSON, JsonOutput.bytes(body::to), List.of());
    }

    /** An answer with its version as ETag, for {@code If-Match}. */
    static HttpAnswer versioned(int status, long version, Json.Writing body) {
        return json(status, body).with("ETag", tag(version));
    }

    /** The answer to a deletion, or to the dry run of one. */
    static HttpAnswer deleted(AdminCall call, Change change) {
        return call.dryRun()
                ? dryRun(change, List.of())
                : new HttpAnswer(204, HttpAnswer.JSON, new byte[0], List.of("ETag", tag(change.version())));
    }

    /** The answer to a dry run: what the change would do. */
    static HttpAnswer dryRun(Change change, List<Diagnostic> warnings) {
        return dryRun(change, warnings, out -> {});
    }

    /** The answer to a dry run, with the members that {@code more} writes. */
    static HttpAnswer dryRun(Change change, List<Diagnostic> warnings, Json.Writing more) {
        return json(200, out -> {
            out.writeStartObject();
            out.writeBooleanField("dry_run", true);
            out.writeStringField(
                    "change", change.before() == null ? "create" : change.after() == null ? "delete" : "update");
            out.writeFieldName("before");
            out.writeRawValue(change.before() == null ? "null" : change.before());
            out.writeFieldName("after");
            out.writeRawValue(change.after() == null ? "null" : change.after());
            more.to(out);
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

    /** A page of a list by keys; {@code next} is the key to continue after, null on the last page. */
    static HttpAnswer page(Map<String, Json.Writing> remaining, int size, String what) {
        return json(200, out -> {
            String last = null;
            int count = 0;
            out.writeStartObject();
            out.writeArrayFieldStart(what);
            for (Map.Entry<String, Json.Writing> each : remaining.entrySet()) {
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
