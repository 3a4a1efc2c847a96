package dev.weir.control.rules;

import dev.weir.control.data.StoredVersion;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of {@code weir_rules}. */
public final class RuleTable {
    private static final String COLUMNS = "rule_id, domain, body, version, updated_at, updated_by";

    private RuleTable() {}

    public static List<StoredRule> all(Connection connection) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT " + COLUMNS + " FROM weir_rules ORDER BY rule_id")) {
            return read(select);
        }
    }

    public static @Nullable StoredRule get(Connection connection, String id) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT " + COLUMNS + " FROM weir_rules WHERE rule_id = ?")) {
            select.setString(1, id);
            List<StoredRule> found = read(select);
            return found.isEmpty() ? null : found.get(0);
        }
    }

    private static List<StoredRule> read(PreparedStatement select) throws SQLException {
        try (ResultSet rows = select.executeQuery()) {
            List<StoredRule> rules = new ArrayList<>();
            while (rows.next()) {
                OffsetDateTime at = rows.getObject(5, OffsetDateTime.class);
                StoredVersion stored = new StoredVersion(rows.getLong(4), at.toInstant(), rows.getString(6));
                rules.add(new StoredRule(rows.getString(1), rows.getString(2), rows.getString(3), stored));
            }
            return rules;
        }
    }

    /** Inserts or updates the rule. */
    public static void put(Connection connection, StoredRule rule) throws SQLException {
        String update = "UPDATE weir_rules SET domain = ?, body = ?, version = ?, updated_at = ?, updated_by = ?"
                + " WHERE rule_id = ?";
        String insert = "INSERT INTO weir_rules (domain, body, version, updated_at, updated_by, rule_id)"
                + " VALUES (?, ?, ?, ?, ?, ?)";
        if (write(connection, update, rule) == 0) {
            write(connection, insert, rule);
        }
    }

    private static int write(Connection connection, String sql, StoredRule rule) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, rule.domain());
            statement.setString(2, rule.body());
            statement.setLong(3, rule.stored().version());
            statement.setObject(4, OffsetDateTime.ofInstant(rule.stored().at(), ZoneOffset.UTC));
            statement.setString(5, rule.stored().by());
            statement.setString(6, rule.id());
            return statement.executeUpdate();
        }
    }

    public static void delete(Connection connection, String id) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM weir_rules WHERE rule_id = ?")) {
            delete.setString(1, id);
            delete.executeUpdate();
        }
    }
}
