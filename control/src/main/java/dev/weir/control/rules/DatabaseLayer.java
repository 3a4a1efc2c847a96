package dev.weir.control.rules;

import dev.weir.internal.ruleset.RuleSet;
import dev.weir.internal.ruleset.RuleSetBuilder;
import dev.weir.rules.internal.grammar.SingleRule;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.text.diagnostics.Diagnostic;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the database, read, to be laid over those of the files: a rule takes the place of one with its name in its
 * domain, or is one more; one that is not enabled takes that one out. A snapshot: changes make another.
 */
public final class DatabaseLayer {
    /** No rules. */
    public static final DatabaseLayer EMPTY = new DatabaseLayer(new TreeMap<>());

    private final SortedMap<String, Entry> entries;

    private record Entry(StoredRule stored, SingleRule read) {}

    private DatabaseLayer(SortedMap<String, Entry> entries) {
        this.entries = entries;
    }

    /** A layer of these rules and no others. */
    public static DatabaseLayer of(Collection<StoredRule> rules, LoadOptions options) {
        SortedMap<String, Entry> entries = new TreeMap<>();
        rules.forEach(each -> entries.put(each.id(), read(each, options)));
        return new DatabaseLayer(entries);
    }

    /** This layer with one rule changed; null takes it out. */
    public DatabaseLayer with(String id, @Nullable StoredRule rule, LoadOptions options) {
        SortedMap<String, Entry> changed = new TreeMap<>(entries);
        if (rule == null) {
            changed.remove(id);
        } else {
            changed.put(id, read(rule, options));
        }
        return new DatabaseLayer(changed);
    }

    private static Entry read(StoredRule rule, LoadOptions options) {
        byte[] body = rule.body().getBytes(StandardCharsets.UTF_8);
        return new Entry(
                rule, SingleRule.read("database rule " + rule.id(), rule.id(), body, rule.domain(), options.stores()));
    }

    /** Every rule, by id. */
    public List<StoredRule> rules() {
        return entries.values().stream().map(Entry::stored).toList();
    }

    public @Nullable StoredRule rule(String id) {
        Entry entry = entries.get(id);
        return entry == null ? null : entry.stored();
    }

    /** What is wrong with the rules: while there is any, they must not come into force. */
    public List<Diagnostic> errors() {
        return entries.values().stream()
                .flatMap(each -> each.read().errors().stream())
                .toList();
    }

    /** These rules over those of {@code files}. */
    public RuleSetBuilder over(RuleSet files) {
        RuleSetBuilder builder = files.toBuilder();
        for (Map.Entry<String, Entry> each : entries.entrySet()) {
            SingleRule read = each.getValue().read();
            if (read.rule() == null) {
                builder.without(read.domain(), each.getKey());
            } else {
                builder.over(read.rule());
            }
        }
        return builder;
    }
}
