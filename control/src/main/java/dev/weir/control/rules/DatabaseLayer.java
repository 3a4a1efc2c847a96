package dev.weir.control.rules;

import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.ruleset.WrittenRulesBuilder;
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
 * The parsed rules of the database, an immutable layer above the rules of files. A rule replaces the rule with its name
 * in its domain, or is added. A disabled rule removes the rule below it.
 */
public final class DatabaseLayer {
    /** A layer without rules. */
    public static final DatabaseLayer EMPTY = new DatabaseLayer(new TreeMap<>());

    private final SortedMap<String, Entry> entries;

    private record Entry(StoredRule stored, SingleRule read) {}

    private DatabaseLayer(SortedMap<String, Entry> entries) {
        this.entries = entries;
    }

    /** Parses {@code rules} into a layer. */
    public static DatabaseLayer of(Collection<StoredRule> rules, LoadOptions options) {
        SortedMap<String, Entry> entries = new TreeMap<>();
        rules.forEach(each -> entries.put(each.id(), read(each, options)));
        return new DatabaseLayer(entries);
    }

    /** Returns this layer with one rule replaced; null removes it. */
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
                rule,
                SingleRule.read(
                        "database rule " + rule.id(),
                        rule.id(),
                        body,
                        rule.domain(),
                        options.names(),
                        options.endpointForm()));
    }

    /** Returns every rule, ordered by id. */
    public List<StoredRule> rules() {
        return entries.values().stream().map(Entry::stored).toList();
    }

    public @Nullable StoredRule rule(String id) {
        Entry entry = entries.get(id);
        return entry == null ? null : entry.stored();
    }

    /** Returns the errors of all rules. A layer with errors must not come into force. */
    public List<Diagnostic> errors() {
        return entries.values().stream()
                .flatMap(each -> each.read().errors().stream())
                .toList();
    }

    /** Returns this layer without the rules that have errors. */
    DatabaseLayer withoutErrors() {
        SortedMap<String, Entry> good = new TreeMap<>(entries);
        good.values().removeIf(each -> !each.read().errors().isEmpty());
        return new DatabaseLayer(good);
    }

    /** Adds these rules on top of the rules of {@code files}. */
    public WrittenRulesBuilder over(WrittenRules files) {
        WrittenRulesBuilder builder = files.toBuilder();
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
