package dev.weir.server.rules;

import dev.weir.control.ControlPlane;
import dev.weir.control.audit.Author;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.data.Json;
import dev.weir.control.database.DatabaseException;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.text.message.FileErrors;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Records in the audit which rules an edit of the rule files has changed. The edit is in force already: a database that
 * does not answer costs the line in the audit, and the log says so. With a data folder the line is written at the next
 * start, as is that of an edit that was made while the server was stopped.
 */
final class RuleFileAudit {
    private static final System.Logger LOG = System.getLogger(RuleFileAudit.class.getName());
    /** A line of the audit has at most this many rules; the reason counts the others. */
    private static final int MOST_RULES = 100;

    private final ControlPlane control;
    private final String files;
    private final @Nullable RuleFileCopy copy;
    private Map<String, String> last;

    /** Starts with the rules {@code first}; {@code data} is the data folder, or null. */
    RuleFileAudit(ControlPlane control, String files, @Nullable Path data, WrittenRules first) {
        this.control = control;
        this.files = files;
        this.copy = data == null ? null : new RuleFileCopy(data);
        this.last = RuleTexts.of(first);
    }

    /** Records what was edited since the last line that this server wrote, perhaps before it was stopped. */
    void start() {
        if (copy == null) {
            return;
        }
        Map<String, String> before = null;
        try {
            before = copy.load();
        } catch (IOException e) {
            LOG.log(
                    Level.WARNING,
                    "edits of " + files + " since the last start are not in the audit: " + FileErrors.what(e));
        }
        record(before == null ? last : before, last, ", since this server last ran");
        if (before == null) {
            save(last);
        }
    }

    /** Records the difference between {@code next} and the rules before it; to be called by one thread. */
    void changed(WrittenRules next) {
        Map<String, String> before = last;
        last = RuleTexts.of(next);
        record(before, last, "");
    }

    private void record(Map<String, String> before, Map<String, String> after, String when) {
        TreeSet<String> names = new TreeSet<>(before.keySet());
        names.addAll(after.keySet());
        names.removeIf(each -> before.getOrDefault(each, "").equals(after.getOrDefault(each, "")));
        if (names.isEmpty()) {
            return;
        }
        List<String> shown = names.stream().limit(MOST_RULES).toList();
        List<String> words = new ArrayList<>();
        for (String each : shown) {
            words.add(
                    each + (!before.containsKey(each) ? " added" : after.containsKey(each) ? " changed" : " removed"));
        }
        int more = names.size() - shown.size();
        String what = String.join(", ", words) + (more > 0 ? ", and " + more + " more" : "") + when;
        try {
            control.recordFileEdit(
                    new Author("rule files", "this server", what), files, json(before, shown), json(after, shown));
            save(after);
        } catch (DatabaseException | ChangeRefusedException e) {
            LOG.log(Level.WARNING, "an edit of " + files + " is not in the audit (" + what + "): " + e.getMessage());
        }
    }

    private void save(Map<String, String> audited) {
        if (copy == null) {
            return;
        }
        try {
            copy.save(audited);
        } catch (IOException e) {
            LOG.log(
                    Level.WARNING,
                    "the next start will not know what was edited in " + files + ": " + FileErrors.what(e));
        }
    }

    private static String json(Map<String, String> rules, List<String> names) {
        return Json.text(out -> {
            out.writeStartObject();
            for (String each : names) {
                String rule = rules.get(each);
                if (rule != null) {
                    out.writeFieldName(each);
                    out.writeRawValue(rule);
                }
            }
            out.writeEndObject();
        });
    }
}
