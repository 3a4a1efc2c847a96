package dev.weir.control.rules;

import dev.weir.control.change.FollowedKind;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.text.diagnostics.Diagnostic;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Follows the rules of the database. The latest version that loads is in force. */
public final class FollowedRules implements FollowedKind {
    public static final String KIND = "rule";

    private static final System.Logger LOG = System.getLogger(FollowedRules.class.getName());
    private static final int MOST_LINES = 20;

    private final String database;
    private final LoadOptions options;
    private final Runnable changed;
    private volatile DatabaseLayer read = DatabaseLayer.EMPTY;
    private volatile DatabaseLayer good = DatabaseLayer.EMPTY;
    private volatile Consumer<DatabaseLayer> listener = layer -> {};

    /** Runs {@code changed} after other rules came into force; {@code database} names the database for people. */
    public FollowedRules(String database, LoadOptions options, Runnable changed) {
        this.database = database;
        this.options = options;
        this.changed = changed;
    }

    public DatabaseLayer inForce() {
        return good;
    }

    /** Sets the listener that receives the rules whenever they change, on the thread that noticed the change. */
    public void onChange(Consumer<DatabaseLayer> listener) {
        this.listener = listener;
    }

    /** Returns why the rules read last are not in force, one error per line; empty if they are. */
    public String problems() {
        return read.errors().stream()
                .limit(MOST_LINES)
                .map(Diagnostic::toString)
                .collect(Collectors.joining("\n"));
    }

    /**
     * Puts the rules of a copy in force, because the database cannot be read. Rules that do not load, for example because
     * the settings have changed, are left out: this is no time to refuse the start.
     */
    public void restore(Collection<StoredRule> rules) {
        DatabaseLayer copy = DatabaseLayer.of(rules, options);
        read = copy;
        if (!copy.errors().isEmpty()) {
            LOG.log(Level.ERROR, "rules in the copy of " + database + " do not load and are left out:\n" + problems());
        }
        putInForce(copy.withoutErrors());
    }

    /** Replaces all rules. */
    public void setAll(Collection<StoredRule> rules) {
        apply(DatabaseLayer.of(rules, options));
    }

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public Runnable readAll(Connection connection) throws SQLException {
        List<StoredRule> all = RuleTable.all(connection);
        return () -> setAll(all);
    }

    @Override
    public Runnable read(Connection connection, Set<String> subjects) throws SQLException {
        DatabaseLayer next = read;
        for (String each : subjects) {
            next = next.with(each, RuleTable.get(connection, each), options);
        }
        DatabaseLayer layer = next;
        return () -> apply(layer);
    }

    private void apply(DatabaseLayer next) {
        read = next;
        if (!next.errors().isEmpty()) {
            LOG.log(
                    Level.ERROR,
                    "rules in " + database + " do not load; the previous rules stay in force:\n" + problems());
            return;
        }
        putInForce(next);
    }

    private void putInForce(DatabaseLayer next) {
        good = next;
        listener.accept(next);
        changed.run();
    }
}
