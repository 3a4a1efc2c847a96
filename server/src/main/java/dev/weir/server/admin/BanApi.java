package dev.weir.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.audit.Author;
import dev.weir.control.bans.BanBody;
import dev.weir.control.bans.BanChange;
import dev.weir.control.bans.BanName;
import dev.weir.control.bans.Bans;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.change.Precondition;
import dev.weir.control.data.Json;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.request.UnknownNames;
import dev.weir.text.diagnostics.DiagnosticCollector;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Bans, shadow bans and exempts callers. */
final class BanApi {
    /** The most domains in whose rules an attribute is looked for. */
    private static final int MOST_DOMAINS = 100;

    private final OptionalControlPlane control;
    private final Bans bans;
    private final Limiter limiter;

    BanApi(OptionalControlPlane control, Bans bans, Limiter limiter) {
        this.control = control;
        this.bans = bans;
        this.limiter = limiter;
    }

    /** {@code GET /admin/v1/bans}: the entries in force, by id; {@code attribute} and {@code value} choose one. */
    HttpAnswer list(AdminCall call) {
        TreeMap<String, Json.Writing> all = new TreeMap<>();
        String attribute = call.query("attribute");
        if (attribute == null) {
            bans.inForce().forEach((id, each) -> all.put(id, out -> write(out, each, null)));
        } else {
            for (BanName name : names(call)) {
                BanChange each = bans.get(name);
                if (each != null) {
                    all.put(name.id(), out -> write(out, each, null));
                }
            }
        }
        return AdminAnswer.page(all.tailMap(call.after(), false), call.pageSize(), "bans");
    }

    /** {@code POST /admin/v1/bans}: makes an entry, or replaces that of the same caller. */
    HttpAnswer make(AdminCall call, byte[] body) {
        control.requireForBans();
        DiagnosticCollector problems = new DiagnosticCollector("body");
        BanBody read = BanBody.read(body, Instant.now(), problems);
        if (read == null) {
            throw ChangeRefusedException.invalid(problems.all());
        }
        BanName name = BanName.of(read.domain(), read.attribute(), read.value(), false);
        Author author = call.author();
        String reason = read.reason();
        Author why = reason == null || reason.isBlank() ? author : new Author(author.name(), author.from(), reason);
        return answer(
                call, bans.change(why, name, read.kind(), read.untilMicros(), call.precondition(), call.dryRun()));
    }

    /** {@code DELETE /admin/v1/bans}: removes the entries of a caller, whether an operator or a rule made them. */
    HttpAnswer remove(AdminCall call) {
        Precondition precondition = call.precondition();
        Bans.Made made = null;
        for (BanName name : names(call)) {
            if (bans.get(name) != null) {
                if (!name.automatic()) {
                    control.requireForBans();
                }
                made = bans.change(call.author(), name, null, Ban.FOREVER, precondition, call.dryRun());
            }
        }
        if (made == null) {
            throw HttpProblemException.notFound(
                    names(call).get(0).id() + " is not banned (weir ban list, or GET /admin/v1/bans, shows the bans)");
        }
        return answer(call, made);
    }

    /** The names that a query may mean: the entry that people made, and the one that a rule made. */
    private static List<BanName> names(AdminCall call) {
        String attribute = call.query("attribute");
        String value = call.query("value");
        String domain = call.query("domain");
        if (attribute == null || value == null) {
            throw HttpProblemException.badRequest(
                    "attribute or value is missing (expected: both, such as attribute=ip&value=192.0.2.1)");
        }
        String in = domain == null ? "" : domain;
        return List.of(BanName.of(in, attribute, value, false), BanName.of(in, attribute, value, true));
    }

    private HttpAnswer answer(AdminCall call, Bans.Made made) {
        BanChange done = made.done();
        return call.dryRun() || done == null
                ? AdminAnswer.dryRun(made.change(), List.of())
                : AdminAnswer.versioned(200, done.stamp(), out -> write(out, done, caveat(done)));
    }

    /** The reasons for which the change is not in force where its author may expect it; null if there are none. */
    private @Nullable String caveat(BanChange done) {
        String domain = done.name().domain();
        List<String> domains = limiter.index().domains();
        boolean made = done.kind() != null;
        boolean unknown = made && !domain.isEmpty() && !domains.contains(domain);
        String caveats = Stream.of(
                        bans.caveat(done.name()),
                        unknown ? UnknownNames.domain(domain, domains) : null,
                        made ? UnknownNames.misspeltAttribute(done.name().attribute(), attributes(domain)) : null)
                .filter(Objects::nonNull)
                .collect(Collectors.joining("; "));
        return caveats.isEmpty() ? null : caveats;
    }

    /** The attributes that rules use where an entry of {@code domain} holds. */
    private Set<String> attributes(String domain) {
        RuleIndex rules = limiter.index();
        return rules.domains().stream()
                .filter(each -> domain.isEmpty() || each.equals(domain))
                .limit(MOST_DOMAINS)
                .flatMap(each -> rules.attributes(each).stream())
                .collect(Collectors.toSet());
    }

    /** An entry as {@link #list} shows it. */
    static JsonObject json(BanChange of) {
        return new JsonObject(Json.text(out -> write(out, of, null)));
    }

    private static void write(JsonGenerator out, BanChange of, @Nullable String caveat) throws IOException {
        BanKind kind = of.kind();
        Instant until = kind == null ? null : of.ban().until();
        out.writeStartObject();
        out.writeStringField("attribute", of.name().attribute());
        out.writeStringField("value", of.name().value());
        out.writeStringField(
                "domain", of.name().domain().isEmpty() ? null : of.name().domain());
        out.writeStringField("kind", kind == null ? null : kind.text());
        out.writeStringField("expires_at", until == null ? null : until.toString());
        out.writeStringField("reason", of.author().reason());
        out.writeBooleanField("automatic", of.name().automatic());
        out.writeNumberField("version", of.stamp());
        out.writeStringField("updated_at", of.at().toString());
        out.writeStringField("updated_by", of.author().name());
        out.writeStringField("from", of.author().from());
        if (caveat != null) {
            out.writeStringField("caveat", caveat);
        }
        out.writeEndObject();
    }
}
