package dev.weir.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.audit.AuditTable;
import dev.weir.control.audit.AuditVerification;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import java.io.IOException;
import java.util.List;

/** Lists and verifies the audit. */
final class AuditApi {
    private final OptionalControlPlane control;

    AuditApi(OptionalControlPlane control) {
        this.control = control;
    }

    /** {@code GET /admin/v1/audit}: changes after a version, oldest first. */
    HttpAnswer list(AdminCall call) {
        int size = call.pageSize();
        List<AuditTable.Entry> lines = control.required().audit(version(call.after()), size + 1);
        return AdminAnswer.json(200, out -> write(out, lines, size));
    }

    private static long version(String after) {
        try {
            return after.isEmpty() ? 0 : Long.parseLong(after);
        } catch (NumberFormatException e) {
            throw HttpProblemException.badRequest(
                    "after: " + CallerText.shown(after) + " (expected: the version of a change)");
        }
    }

    private static void write(JsonGenerator out, List<AuditTable.Entry> lines, int size) throws IOException {
        out.writeStartObject();
        out.writeArrayFieldStart("changes");
        for (AuditTable.Entry each : lines.subList(0, Math.min(size, lines.size()))) {
            out.writeRawValue(each.line().written());
        }
        out.writeEndArray();
        String next =
                lines.size() > size ? String.valueOf(lines.get(size - 1).line().version()) : null;
        out.writeStringField("next", next);
        out.writeEndObject();
    }

    /** {@code GET /admin/v1/audit/verify}: whether the hash chain is intact. */
    HttpAnswer verify() {
        AuditVerification found = control.required().verifyAudit();
        return AdminAnswer.json(200, out -> {
            out.writeStartObject();
            out.writeBooleanField("whole", found.problems().isEmpty());
            out.writeNumberField("changes", found.changes());
            out.writeStringField("last_hash", found.lastHash());
            out.writeArrayFieldStart("problems");
            for (String each : found.problems()) {
                out.writeString(each);
            }
            out.writeEndArray();
            out.writeEndObject();
        });
    }
}
