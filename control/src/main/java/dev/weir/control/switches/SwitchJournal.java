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
 * The switch changes that this node made while the database was unreachable, until they are in the database. The
 * journal is a file of lines like those of the audit log, chained by their hashes. A separate line says up to where the
 * lines are in the database. Without a folder the lines go to the log, and the journal keeps them in memory.
 */
public final class SwitchJournal implements AutoCloseable {
    /** The name of the file in the data folder. */
    public static final String NAME = "switches.jsonl";

    private static final System.Logger LOG = System.getLogger(SwitchJournal.class.getName());
    private static final String KIND = "switch";
    private static final String RECONCILED = "reconciled";
    private static final String UP_TO = "up_to";

    private final @Nullable AuditFile file;
    private final List<Line> pending = new ArrayList<>();
    /** The last lines, if the disk has refused them. */
    private final List<Line> unsaved = new ArrayList<>();

    private long version;

    /**
     * A line that is not in the database yet.
     *
     * @param before the state before, for the audit log; null if there was none
     */
    public record Line(
            long number, SwitchChange change, @Nullable String before) {}

    private AuditFile.@Nullable Mark lastMark;

    private SwitchJournal(@Nullable AuditFile file) {
        this.file = file;
    }

    /** Opens the file in {@code folder}; without a folder, the journal is in memory. */
    public static SwitchJournal open(@Nullable Path folder) throws IOException {
        if (folder == null) {
            return new SwitchJournal(null);
        }
        AuditFile file = AuditFile.open(folder, NAME);
        SwitchJournal journal = new SwitchJournal(file);
        try {
            for (AuditLine each : AuditFile.lines(folder.resolve(NAME))) {
                journal.load(each);
            }
        } catch (IOException e) {
            journal.close();
            throw e;
        }
        journal.version = file.version();
        return journal;
    }

    private void load(AuditLine line) throws IOException {
        Mapping object = SwitchJson.object(line.text());
        if (!(member(object, "after") instanceof Mapping after)) {
            throw new IOException(NAME + ": line " + line.version() + " has no change");
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
            throw new IOException(NAME + ": a line lacks " + name);
        }
        return entry.value();
    }

    /**
     * Writes a change that is about to be made. The line is on disk when this returns.
     *
     * @throws IOException if it cannot be written; the change must not be made then
     */
    public synchronized Line add(SwitchChange change, @Nullable String before) throws IOException {
        appendUnsaved();
        Line line = new Line(version + 1, change, before);
        if (file == null) {
            log(line, "kept in memory until the database is back (with --data it is written to a file)");
        } else {
            lastMark = file.append(List.of(written(line)));
        }
        return added(line);
    }

    /** Adds a change that is made in any case. If the disk refuses the line, the log has it, and it is saved later. */
    synchronized Line addAnyway(SwitchChange change, @Nullable String before) {
        try {
            return add(change, before);
        } catch (IOException e) {
            Line line = new Line(version + 1, change, before);
            log(line, "kept in memory until it can be written to " + NAME + " (" + e.getMessage() + ")");
            unsaved.add(line);
            lastMark = null;
            return added(line);
        }
    }

    private Line added(Line line) {
        version++;
        pending.add(line);
        return line;
    }

    private void log(Line line, String where) {
        LOG.log(Level.WARNING, "audit line, " + where + ": " + written(line).text());
    }

    private AuditLine written(Line line) {
        SwitchChange change = line.change();
        return AuditLine.of(
                line.number(),
                change.at(),
                change.author(),
                KIND,
                change.name().id(),
                line.before(),
                change.terms(),
                file == null ? AuditLine.START : file.hash());
    }

    /** Writes the lines that the disk has refused, if it takes them now. */
    synchronized void saveUnsaved() {
        try {
            appendUnsaved();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "the switch journal is still not writable", e);
        }
    }

    private void appendUnsaved() throws IOException {
        while (file != null && !unsaved.isEmpty()) {
            file.append(List.of(written(unsaved.get(0))));
            unsaved.remove(0);
        }
    }

    /** Removes the line of a change that was not made. Only the last line can be removed from the file. */
    public synchronized void remove(Line line) throws IOException {
        if (!pending.remove(line)) {
            return;
        }
        if (file == null) {
            LOG.log(Level.WARNING, "the switch change of the previous audit line was not made");
        } else if (line.number() == version && lastMark != null) {
            file.cut(lastMark);
            version--;
        }
    }

    /** Returns the lines that are not in the database yet, in order. */
    public synchronized List<Line> pending() {
        return List.copyOf(pending);
    }

    /** Records that all lines up to {@code line} are in the database. */
    public synchronized void reconciled(Line line) throws IOException {
        appendUnsaved();
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
