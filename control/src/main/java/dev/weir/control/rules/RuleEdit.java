package dev.weir.control.rules;

import dev.weir.control.change.DeleteEdit;
import dev.weir.control.change.Edit;
import dev.weir.control.data.StoredVersion;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Edits that write or delete a rule of the database. */
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
        return new DeleteEdit(id, RuleEdit::found, RuleTable::delete, "there is no rule " + id + " in the database");
    }

    private static Edit.@Nullable Existing found(Connection connection, String id) throws SQLException {
        StoredRule rule = RuleTable.get(connection, id);
        return rule == null ? null : new Edit.Existing(rule.stored().version(), rule.json());
    }
}
