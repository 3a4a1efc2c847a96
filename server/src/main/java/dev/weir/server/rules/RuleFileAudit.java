package dev.weir.server.rules;

import dev.weir.control.ControlPlane;
import dev.weir.control.audit.Author;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.data.Json;
import dev.weir.control.database.DatabaseException;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.grammar.RuleWriter;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Records in the audit which rules an edit of the rule files has changed. The edit is in force already: a database that
 * does not answer costs the line in the audit, and the log says so.
 */
final class RuleFileAudit {
    private static final System.Logger LOG = System.getLogger(RuleFileAudit.class.getName());
    /** A line of the audit has at most this many rules; the reason counts the others. */
    private static final int MOST_RULES = 100;

    private final ControlPlane control;
    private final String files;
    private Map<String, String> last;

    RuleFileAudit(ControlPlane control, String files, WrittenRules first) {
        this.control = control;
        this.files = files;
        this.last = texts(first);
    }

    /** Records the difference between {@code next} and the rules before it; to be called by one thread. */
    void changed(WrittenRules next) {
        Map<String, String> before = last;
        Map<String, String> after = texts(next);
        last = after;
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
        String what = String.join(", ", words) + (more > 0 ? ", and " + more + " more" : "");
        try {
            control.recordFileEdit(
                    new Author("rule files", "this server", what), files, json(before, shown), json(after, shown));
        } catch (DatabaseException | ChangeRefusedException e) {
            LOG.log(Level.WARNING, "an edit of " + files + " is not in the audit (" + what + "): " + e.getMessage());
        }
    }

    /** Each rule as JSON, without its position, by domain and name. */
    private static Map<String, String> texts(WrittenRules rules) {
        Map<String, String> texts = new TreeMap<>();
        for (Rule each : rules.rules()) {
            WeirRule written = rules.weirRule(each);
            texts.put(
                    each.toString(),
                    Json.text(out -> Json.write(
                            out, written == null ? RuleWriter.writeLimit(each) : RuleWriter.write(written))));
        }
        return texts;
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
