package dev.weir.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.change.Change;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.data.Json;
import dev.weir.control.token.StoredToken;
import dev.weir.control.token.TokenBody;
import dev.weir.control.token.TokenText;
import dev.weir.control.token.Tokens;
import dev.weir.server.access.Caller;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import dev.weir.text.diagnostics.DiagnosticCollector;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Creates, rotates and revokes tokens. A secret appears only in the answer that created it. */
final class TokenApi {
    private static final int MAX_NAME_LENGTH = 64;
    private static final Duration GRACE = Duration.ofHours(1);

    private final OptionalControlPlane control;

    TokenApi(OptionalControlPlane control) {
        this.control = control;
    }

    /** {@code GET /admin/v1/whoami}: the caller's name and role. */
    static HttpAnswer whoami(AdminCall call) {
        Caller caller = call.caller();
        return AdminAnswer.json(200, object(out -> {
            out.writeStringField("name", caller.name());
            out.writeStringField("role", caller.role().text());
            out.writeBooleanField("token", caller.proven());
            out.writeStringField("address", caller.address());
        }));
    }

    /** {@code GET /admin/v1/tokens}: all tokens, by name. */
    HttpAnswer list(AdminCall call) {
        int size = call.pageSize();
        TreeMap<String, Json.Writing> page = new TreeMap<>();
        control.required().tokens().all().stream()
                .filter(each -> each.name().compareTo(call.after()) > 0)
                .limit(size + 1L)
                .forEach(each -> page.put(each.name(), object(out -> write(out, each))));
        return AdminAnswer.page(page, size, "tokens");
    }

    /** {@code GET /admin/v1/tokens/{name}}. */
    HttpAnswer get(AdminCall call) {
        String name = call.path("name", MAX_NAME_LENGTH);
        List<StoredToken> all = control.required().tokens().all();
        StoredToken token = all.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .or(() -> all.stream().filter(each -> each.id().equals(name)).findFirst())
                .orElseThrow(() -> HttpProblemException.notFound("no such token: " + name));
        return AdminAnswer.versioned(200, token.stored().version(), object(out -> write(out, token)));
    }

    /** {@code POST /admin/v1/tokens}: creates a token, and returns its secret this once. */
    HttpAnswer create(AdminCall call, byte[] body) {
        TokenBody.Wanted wanted = read(problems -> TokenBody.wanted(body, Instant.now(), problems));
        Tokens.Issued issued = control.required()
                .tokens()
                .create(call.author(), wanted.name(), wanted.role(), wanted.expiresAt(), call.dryRun());
        return issued(201, issued);
    }

    /** {@code POST /admin/v1/tokens/{name}/rotate}: a new secret; the previous one stays valid for a grace period. */
    HttpAnswer rotate(AdminCall call, byte[] body) {
        TokenBody.Renewal renewal = read(problems -> TokenBody.renewal(body, Instant.now(), problems));
        Duration grace = renewal.grace();
        Tokens.Issued issued = control.required()
                .tokens()
                .rotate(
                        call.author(),
                        call.path("name", MAX_NAME_LENGTH),
                        grace == null ? GRACE : grace,
                        renewal.expiresAt(),
                        call.precondition(),
                        call.dryRun());
        return issued(200, issued);
    }

    /** {@code DELETE /admin/v1/tokens/{name}}: the token is no longer valid. */
    HttpAnswer revoke(AdminCall call) {
        Change change = control.required()
                .tokens()
                .revoke(call.author(), call.path("name", MAX_NAME_LENGTH), call.precondition(), call.dryRun());
        return AdminAnswer.deleted(call, change);
    }

    private static HttpAnswer issued(int status, Tokens.Issued issued) {
        TokenText text = issued.text();
        if (text == null) {
            return AdminAnswer.dryRun(issued.change(), List.of());
        }
        return AdminAnswer.versioned(status, issued.change().version(), object(out -> {
            out.writeStringField("token", text.reveal());
            write(out, issued.token());
        }));
    }

    private static void write(JsonGenerator out, StoredToken token) throws IOException {
        token.write(out);
        Instant used = token.usedAt();
        out.writeStringField("last_used_at", used == null ? null : used.toString());
        out.writeBooleanField("expired", token.isExpired(Instant.now()));
        out.writeStringField("updated_at", token.stored().at().toString());
        out.writeStringField("updated_by", token.stored().by());
    }

    private static Json.Writing object(Json.Writing members) {
        return out -> {
            out.writeStartObject();
            members.to(out);
            out.writeEndObject();
        };
    }

    private static <T> T read(Function<DiagnosticCollector, @Nullable T> reading) {
        DiagnosticCollector problems = new DiagnosticCollector("body");
        T read = reading.apply(problems);
        if (read == null) {
            throw ChangeRefusedException.invalid(problems.all());
        }
        return read;
    }
}
