package dev.weir.control;

import dev.weir.control.data.Stored;
import dev.weir.control.rules.RuleTable;
import dev.weir.control.rules.StoredRule;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** How a rule of the database is written, and how it is deleted. */
final class RuleEdit {
    private RuleEdit() {}

    static Changes.Editing put(String id, String domain, String body) {
        return new Changes.Editing() {
            @Override
            public Changes.@Nullable Existing existing(Connection connection) throws SQLException {
                return found(connection, id);
            }

            @Override
            public String apply(Connection connection, Stored stored) throws SQLException {
                StoredRule rule = new StoredRule(id, domain, body, stored);
                RuleTable.put(connection, rule);
                return rule.json();
            }
        };
    }

    static Changes.Editing delete(String id) {
        return new Deletion(id, RuleEdit::found, RuleTable::delete, "no rule of the database is called " + id);
    }

    private static Changes.@Nullable Existing found(Connection connection, String id) throws SQLException {
        StoredRule rule = RuleTable.get(connection, id);
        return rule == null ? null : new Changes.Existing(rule.stored().version(), rule.json());
    }
}
