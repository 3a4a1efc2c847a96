package dev.weir.control.switches;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditLine;
import dev.weir.control.audit.Author;
import dev.weir.control.data.Json;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Mapping;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was switched on this node while the database was away: a file of lines like those of the audit, chained by their hashes,
 * until they stand in the database; a line of its own says up to where they do. Without a folder the lines are in the log, and
 * this remembers them until then.
 */
public final class SwitchJournal implements AutoCloseable {
    /** Its name in the data folder. */
    public static final String NAME = "switches.jsonl";

    private static final System.Logger LOG = System.getLogger(SwitchJournal.class.getName());
    private static final String KIND = "switch";
    private static final String RECONCILED = "reconciled";
    private static final String UP_TO = "up_to";

    private final @Nullable AuditFile file;
    private final List<Line> pending = new ArrayList<>();
    private long version;

    /**
     * A line that does not stand in the database yet.
     *
     * @param before what was there, for the audit; null if nothing was
     */
    public record Line(
            long number, SwitchChange done, @Nullable String before) {}

    private AuditFile.@Nullable Mark lastMark;

    private SwitchJournal(@Nullable AuditFile file) {
        this.file = file;
    }

    /** Opens the file in {@code folder}, or remembers only. */
    public static SwitchJournal open(@Nullable Path folder) throws IOException {
        if (folder == null) {
            return new SwitchJournal(null);
        }
        AuditFile file = AuditFile.open(folder, NAME);
        SwitchJournal journal = new SwitchJournal(file);
        try {
            for (AuditLine each : AuditFile.lines(folder.resolve(NAME))) {
                journal.take(each);
            }
        } catch (IOException e) {
            journal.close();
            throw e;
        }
        journal.version = file.version();
        return journal;
    }

    private void take(AuditLine line) throws IOException {
        Mapping object = SwitchJson.object(line.text());
        if (!(member(object, "after") instanceof Mapping after)) {
            throw new IOException(NAME + ": line " + line.version() + " tells of nothing");
        }
        if (SwitchJson.text(object, "kind").equals(RECONCILED)) {
            long upTo = Long.parseLong(SwitchJson.text(after, UP_TO));
            pending.removeIf(each -> each.number() <= upTo);
            return;
        }
        YamlNode before = member(object, "before");
        String was = before instanceof Mapping ? Json.text(json -> Json.write(json, before)) : null;
        pending.add(new Line(line.version(), SwitchJson.of(after, SwitchJson.author(object)), was));
    }

    private static YamlNode member(Mapping object, String name) throws IOException {
        YamlNode.Entry entry = object.entry(name);
        if (entry == null) {
            throw new IOException(NAME + ": a line without " + name);
        }
        return entry.value();
    }

    /**
     * Writes down what is about to be done, and has it on disk when it returns.
     *
     * @throws IOException if it cannot; then it must not be done
     */
    public synchronized Line add(SwitchChange done, @Nullable String before) throws IOException {
        AuditFile to = file;
        Line line = new Line(version + 1, done, before);
        AuditLine written = AuditLine.of(
                line.number(),
                done.at(),
                done.author(),
                KIND,
                done.name().id(),
                before,
                done.terms(),
                to == null ? AuditLine.START : to.hash());
        if (to == null) {
            LOG.log(
                    Level.WARNING,
                    "audit, until the database is back (with --data it would be a file): " + written.text());
        } else {
            lastMark = to.append(List.of(written));
        }
        version++;
        pending.add(line);
        return line;
    }

    /** Takes a line back whose switch was not done after all; only the last one can be. */
    public synchronized void takeBack(Line line) throws IOException {
        if (!pending.remove(line)) {
            return;
        }
        if (file == null) {
            LOG.log(Level.WARNING, "the switch before was not made");
        } else if (line.number() == version && lastMark != null) {
            file.cut(lastMark);
            version--;
        }
    }

    /** What does not stand in the database yet, in order. */
    public synchronized List<Line> pending() {
        return List.copyOf(pending);
    }

    /** Notes that everything up to {@code line} stands in the database. */
    public synchronized void reconciled(Line line) throws IOException {
        pending.removeIf(each -> each.number() <= line.number());
        if (file != null) {
            String upTo = Json.text(json -> {
                json.writeStartObject();
                json.writeNumberField(UP_TO, line.number());
                json.writeEndObject();
            });
            Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
            Author weir = new Author("weir", "", "the database is back");
            file.append(List.of(AuditLine.of(version + 1, now, weir, RECONCILED, "switches", null, upTo, file.hash())));
            version++;
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
