package dev.weir.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.ControlPlane;
import dev.weir.control.audit.AuditTable;
import dev.weir.control.audit.AuditVerification;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Lists and verifies the audit. */
final class AuditApi {
    private static final int BATCH = 1_000;
    /** One call reads at most this many batches, so that a filter that matches little does not hold a worker. */
    private static final int MOST_BATCHES = 20;

    private final OptionalControlPlane control;

    AuditApi(OptionalControlPlane control) {
        this.control = control;
    }

    /** {@code GET /admin/v1/audit}: changes after a version that pass the filters, oldest first. */
    HttpAnswer list(AdminCall call) {
        int size = call.pageSize();
        Predicate<AuditTable.Entry> filter = filter(call);
        ControlPlane plane = control.required();
        List<AuditTable.Entry> found = new ArrayList<>();
        long scanned = version(call.after());
        boolean more = true;
        for (int batch = 0; batch < MOST_BATCHES && more && found.size() < size; batch++) {
            List<AuditTable.Entry> lines = plane.audit(scanned, BATCH);
            more = lines.size() == BATCH;
            for (AuditTable.Entry each : lines) {
                if (found.size() == size) {
                    more = true;
                    break;
                }
                scanned = each.line().version();
                if (filter.test(each)) {
                    found.add(each);
                }
            }
        }
        long last = scanned;
        String next = more ? String.valueOf(scanned) : null;
        return AdminAnswer.json(200, out -> write(out, found, next, last));
    }

    private static Predicate<AuditTable.Entry> filter(AdminCall call) {
        String author = call.query("author");
        String kind = call.query("kind");
        String object = call.query("object");
        Instant since = since(call.query("since"));
        return each -> {
            if ((kind != null && !kind.equals(each.kind())) || (object != null && !object.equals(each.subject()))) {
                return false;
            }
            if (author == null && since == null) {
                return true;
            }
            JsonObject line = new JsonObject(each.line().text());
            return (author == null || isBy(author, line.getString("who")))
                    && (since == null || !line.getInstant("at").isBefore(since));
        };
    }

    /** Whether {@code who} is {@code author}, also if a caller without a token has only claimed to be. */
    private static boolean isBy(String author, String who) {
        return who.equals(author) || who.equals(author + " (claimed)");
    }

    private static @Nullable Instant since(@Nullable String text) {
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw HttpProblemException.badRequest(
                    "since: " + CallerText.shown(text) + " (expected: a time like 2027-02-01T00:00:00Z)");
        }
    }

    private static long version(String after) {
        try {
            return after.isEmpty() ? 0 : Long.parseLong(after);
        } catch (NumberFormatException e) {
            throw HttpProblemException.badRequest(
                    "after: " + CallerText.shown(after) + " (expected: the version of a change)");
        }
    }

    private static void write(JsonGenerator out, List<AuditTable.Entry> lines, @Nullable String next, long last)
            throws IOException {
        out.writeStartObject();
        out.writeArrayFieldStart("changes");
        for (AuditTable.Entry each : lines) {
            out.writeRawValue(each.line().written());
        }
        out.writeEndArray();
        out.writeStringField("next", next);
        out.writeNumberField("last", last);
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
