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

/** The rules of the database: what was read of it last, and the last of that which loads, which is in force. */
public final class FollowedRules implements FollowedKind {
    public static final String KIND = "rule";

    private static final System.Logger LOG = System.getLogger(FollowedRules.class.getName());
    private static final int MOST_LINES = 20;

    private final String place;
    private final LoadOptions options;
    private final Runnable changed;
    private volatile DatabaseLayer read = DatabaseLayer.EMPTY;
    private volatile DatabaseLayer good = DatabaseLayer.EMPTY;
    private volatile Consumer<DatabaseLayer> listener = layer -> {};

    /** Tells {@code changed} after other rules are in force; {@code place} is the database, for people. */
    public FollowedRules(String place, LoadOptions options, Runnable changed) {
        this.place = place;
        this.options = options;
        this.changed = changed;
    }

    public DatabaseLayer inForce() {
        return good;
    }

    /** Tells {@code next} of the rules whenever they change, on the thread that found out. */
    public void tell(Consumer<DatabaseLayer> next) {
        listener = next;
    }

    /** What keeps what was read last from being in force, a line each; empty where nothing does. */
    public String problems() {
        return read.errors().stream()
                .limit(MOST_LINES)
                .map(Diagnostic::toString)
                .collect(Collectors.joining("\n"));
    }

    /** Takes in all rules that there are. */
    public void setAll(Collection<StoredRule> rules) {
        take(DatabaseLayer.of(rules, options));
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
        return () -> take(layer);
    }

    private void take(DatabaseLayer next) {
        read = next;
        if (!next.errors().isEmpty()) {
            LOG.log(Level.ERROR, "rules in " + place + " do not load; those of before stay in force:\n" + problems());
            return;
        }
        good = next;
        listener.accept(next);
        changed.run();
    }
}
