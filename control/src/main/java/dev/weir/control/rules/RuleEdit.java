package dev.weir.control.rules;

import dev.weir.control.change.DeleteEdit;
import dev.weir.control.change.Edit;
import dev.weir.control.data.StoredVersion;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** How a rule of the database is written, and how it is deleted. */
public final class RuleEdit {
    private RuleEdit() {}

    public static Edit put(String id, String domain, String body) {
        return new Edit() {
            @Override
            public Edit.@Nullable Existing existing(Connection connection) throws SQLException {
                return found(connection, id);
            }

            @Override
            public String apply(Connection connection, StoredVersion stored) throws SQLException {
                StoredRule rule = new StoredRule(id, domain, body, stored);
                RuleTable.put(connection, rule);
                return rule.json();
            }
        };
    }

    public static Edit delete(String id) {
        return new DeleteEdit(id, RuleEdit::found, RuleTable::delete, "no rule of the database is called " + id);
    }

    private static Edit.@Nullable Existing found(Connection connection, String id) throws SQLException {
        StoredRule rule = RuleTable.get(connection, id);
        return rule == null ? null : new Edit.Existing(rule.stored().version(), rule.json());
    }
}
