package dev.weir.control.folder;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.audit.AuditLine;
import dev.weir.control.audit.AuditPosition;
import dev.weir.control.bans.BanChange;
import dev.weir.control.bans.BanJson;
import dev.weir.control.data.Json;
import dev.weir.control.data.PrivateFile;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.quota.QuotaBody;
import dev.weir.control.quota.StoredQuota;
import dev.weir.control.rules.StoredRule;
import dev.weir.control.switches.SwitchChange;
import dev.weir.control.switches.SwitchJson;
import dev.weir.control.token.StoredToken;
import dev.weir.control.token.TokenJson;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.io.Writer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The contents of the database in a file: this node's copy in the data folder, from which a server starts while the
 * database is unreachable or damaged, or a backup. The file has one JSON object per line: a header; one rule, quota,
 * token, switch, ban or audit line each; and an end with a checksum, so that a damaged file is never taken for a whole one.
 */
public final class DatabaseCopy {
    /** The name of the copy in the data folder. */
    public static final String NAME = "last-good.jsonl";

    private static final Pattern HEADER = Pattern.compile("\\{\"format\":(?:2|3),\"at\":\"([^\"]{1,40})\""
            + "(?:,\"version\":([0-9]{1,18}),\"hash\":\"([0-9a-f]{64})\")?}");
    private static final Pattern END = Pattern.compile("\\{\"lines\":([0-9]{1,9}),\"sha256\":\"([0-9a-f]{64})\"}");

    private final Path file;

    private DatabaseCopy(Path file) {
        this.file = file;
    }

    /** Returns the copy in a data folder. */
    public static DatabaseCopy in(Path folder) {
        return new DatabaseCopy(folder.resolve(NAME));
    }

    /** Returns the backup in {@code file}. */
    public static DatabaseCopy at(Path file) {
        return new DatabaseCopy(file);
    }

    /**
     * The contents of a copy.
     *
     * @param audit the audit log; empty in a data folder, which has it in a file of its own
     * @param position the last change that they certainly include
     * @param at the time as of which they are
     */
    public record Contents(
            Collection<StoredRule> rules,
            Collection<StoredQuota> quotas,
            Collection<StoredToken> tokens,
            Collection<SwitchChange> switches,
            Collection<BanChange> bans,
            Collection<AuditLine> audit,
            AuditPosition position,
            Instant at) {

        /** Returns the contents of a new database. */
        public static Contents none(Instant at) {
            return none(AuditPosition.START, at);
        }

        private static Contents none(AuditPosition position, Instant at) {
            return new Contents(
                    new ArrayList<>(),
                    new ArrayList<>(),
                    new ArrayList<>(),
                    new ArrayList<>(),
                    new ArrayList<>(),
                    new ArrayList<>(),
                    position,
                    at);
        }

        /** Returns these contents with other tokens. */
        public Contents withTokens(Collection<StoredToken> others) {
            return new Contents(rules, quotas, others, switches, bans, audit, position, at);
        }

        public boolean isEmpty() {
            return rules.isEmpty()
                    && quotas.isEmpty()
                    && tokens.isEmpty()
                    && switches.isEmpty()
                    && bans.isEmpty()
                    && audit.isEmpty();
        }

        /** Returns the number of records of each kind, for people. */
        public String sizes() {
            return "rules: " + rules.size() + ", quotas: " + quotas.size() + ", tokens: " + tokens.size()
                    + ", switches: " + switches.size();
        }
    }

    /** Replaces the file. */
    public void save(Contents contents) throws IOException {
        PrivateFile.replace(file, out -> write(out, contents));
    }

    /** Writes the text of a copy with {@code contents}. */
    public static void write(Writer to, Contents contents) throws IOException {
        Lines out = new Lines(to);
        out.add(Json.text(json -> {
            json.writeStartObject();
            json.writeNumberField("format", 3);
            json.writeStringField("at", contents.at().toString());
            if (contents.position().isKnown()) {
                json.writeNumberField("version", contents.position().version());
                json.writeStringField("hash", contents.position().hash());
            }
            json.writeEndObject();
        }));
        for (StoredRule each : contents.rules()) {
            line(out, each.stored(), json -> {
                json.writeStringField("rule_id", each.id());
                json.writeStringField("domain", each.domain());
                json.writeFieldName("rule");
                json.writeRawValue(each.body());
            });
        }
        for (StoredQuota each : contents.quotas()) {
            line(out, each.stored(), json -> {
                json.writeStringField("api_key", each.apiKey());
                json.writeObjectFieldStart("quota");
                each.writeTerms(json);
                json.writeEndObject();
            });
        }
        for (StoredToken each : contents.tokens()) {
            line(out, each.stored(), json -> {
                json.writeObjectFieldStart("token");
                TokenJson.write(json, each);
                json.writeEndObject();
            });
        }
        for (SwitchChange each : contents.switches()) {
            StoredVersion stored =
                    new StoredVersion(each.stamp(), each.at(), each.author().name());
            line(out, stored, json -> {
                json.writeFieldName("switch");
                json.writeRawValue(each.text());
            });
        }
        for (BanChange each : contents.bans()) {
            StoredVersion stored =
                    new StoredVersion(each.stamp(), each.at(), each.author().name());
            line(out, stored, json -> {
                json.writeFieldName("ban");
                json.writeRawValue(BanJson.text(each));
            });
        }
        for (AuditLine each : contents.audit()) {
            out.add(Json.text(json -> {
                json.writeStartObject();
                json.writeStringField("audit", each.written());
                json.writeEndObject();
            }));
        }
        out.end();
    }

    /** Writes lines and their checksum. */
    private static final class Lines {
        private final Writer out;
        private final MessageDigest digest = sha256();
        private int count;

        Lines(Writer out) {
            this.out = out;
        }

        void add(String text) throws IOException {
            out.write(text);
            out.write('\n');
            update(digest, text);
            count++;
        }

        void end() throws IOException {
            out.write("{\"lines\":" + count + ",\"sha256\":\"" + HexFormat.of().formatHex(digest.digest()) + "\"}\n");
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    private static void update(MessageDigest digest, String line) {
        digest.update(line.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) '\n');
    }

    private static void line(Lines out, StoredVersion stored, Json.Writing members) throws IOException {
        out.add(Json.text(json -> {
            json.writeStartObject();
            members.to(json);
            writeStored(json, stored);
            json.writeEndObject();
        }));
    }

    private static void writeStored(JsonGenerator json, StoredVersion stored) throws IOException {
        json.writeNumberField("version", stored.version());
        json.writeStringField("updated_at", stored.at().toString());
        json.writeStringField("updated_by", stored.by());
    }

    /**
     * Reads the file; null if there is none.
     *
     * @throws IOException if it cannot be read or is damaged; the message is for people
     */
    @Nullable
    public Contents load() throws IOException {
        if (!Files.exists(file)) {
            return null;
        }
        return read(Files.newBufferedReader(file));
    }

    /**
     * Reads the text of a copy; {@code file} is for messages.
     *
     * @throws IOException if it is damaged
     */
    public static Contents parse(Path file, String text) throws IOException {
        return at(file).read(new BufferedReader(new StringReader(text)));
    }

    private Contents read(BufferedReader text) throws IOException {
        try (BufferedReader lines = text) {
            return load(lines);
        } catch (CharacterCodingException | DateTimeException | NumberFormatException e) {
            throw new IOException(file + " is damaged: " + e.getMessage(), e);
        }
    }

    private Contents load(BufferedReader lines) throws IOException {
        MessageDigest digest = sha256();
        String first = lines.readLine();
        Matcher header = HEADER.matcher(first == null ? "" : first);
        if (first == null || !header.matches()) {
            throw new IOException(file + " is damaged: its first line is not the header of a copy");
        }
        update(digest, first);
        AuditPosition position = header.group(2) == null
                ? AuditPosition.UNKNOWN
                : new AuditPosition(Long.parseLong(header.group(2)), header.group(3));
        Contents contents = Contents.none(position, Instant.parse(header.group(1)));
        int count = 1;
        for (String each = lines.readLine(); each != null; each = lines.readLine()) {
            Matcher end = END.matcher(each);
            if (end.matches()) {
                boolean whole = Integer.parseInt(end.group(1)) == count
                        && HexFormat.of().formatHex(digest.digest()).equals(end.group(2));
                if (!whole || lines.readLine() != null) {
                    throw new IOException(file + " is damaged: its checksum does not match");
                }
                return contents;
            }
            update(digest, each);
            read(each, contents);
            count++;
        }
        throw new IOException(file + " is damaged: its end is missing");
    }

    private void read(String line, Contents into) throws IOException {
        DiagnosticCollector problems = new DiagnosticCollector(file.toString());
        if (!(YamlReader.read(line.getBytes(StandardCharsets.UTF_8), problems) instanceof Mapping object)) {
            throw new IOException(file + ": damaged: " + problems.all());
        }
        if (object.entry("audit") != null) {
            AuditLine audited = AuditLine.parse(text(object, "audit"));
            if (audited == null) {
                throw new IOException(file + ": damaged: an audit line cannot be read");
            }
            into.audit().add(audited);
            return;
        }
        StoredVersion stored = new StoredVersion(
                Long.parseLong(text(object, "version")),
                Instant.parse(text(object, "updated_at")),
                text(object, "updated_by"));
        if (object.entry("rule_id") != null) {
            into.rules()
                    .add(new StoredRule(text(object, "rule_id"), text(object, "domain"), json(object, "rule"), stored));
            return;
        }
        if (object.entry("token") != null && node(object, "token") instanceof Mapping token) {
            into.tokens().add(TokenJson.read(name -> textOrNull(token, name), stored));
            return;
        }
        if (object.entry("switch") != null) {
            into.switches().add(SwitchJson.read(json(object, "switch")));
            return;
        }
        if (object.entry("ban") != null) {
            into.bans().add(BanJson.read(json(object, "ban")));
            return;
        }
        byte[] terms = json(object, "quota").getBytes(StandardCharsets.UTF_8);
        StoredQuota quota = QuotaBody.read(text(object, "api_key"), terms, null, problems);
        if (quota == null) {
            throw new IOException(file + ": damaged: " + problems.all());
        }
        into.quotas().add(quota.withVersion(stored));
    }

    private String text(Mapping object, String name) throws IOException {
        if (node(object, name) instanceof Scalar scalar) {
            return scalar.text();
        }
        throw new IOException(file + ": " + name + " is not text");
    }

    private static @Nullable String textOrNull(Mapping object, String name) {
        YamlNode.Entry entry = object.entry(name);
        return entry != null && entry.value() instanceof Scalar scalar && !scalar.isNull() ? scalar.text() : null;
    }

    private String json(Mapping object, String name) throws IOException {
        YamlNode node = node(object, name);
        return Json.text(json -> Json.write(json, node));
    }

    private YamlNode node(Mapping object, String name) throws IOException {
        YamlNode.Entry entry = object.entry(name);
        if (entry == null) {
            throw new IOException(file + ": damaged: a line lacks " + name);
        }
        return entry.value();
    }
}
