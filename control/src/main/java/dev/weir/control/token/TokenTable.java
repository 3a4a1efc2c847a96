package dev.weir.control.token;

import dev.weir.control.data.StoredVersion;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of {@code weir_tokens}. */
public final class TokenTable {
    private static final String SELECT = "SELECT token_id, name, role, hash, previous_hash, previous_until, created_at,"
            + " created_by, expires_at, used_at, version, updated_at, updated_by FROM weir_tokens";

    private TokenTable() {}

    /** Returns all tokens, ordered by name. */
    public static List<StoredToken> all(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(SELECT + " ORDER BY name")) {
            return read(select);
        }
    }

    public static @Nullable StoredToken get(Connection connection, String id) throws SQLException {
        return find(connection, " WHERE token_id = ?", id);
    }

    /** Returns the token with that name, else the one with that id. */
    public static @Nullable StoredToken find(Connection connection, String nameOrId) throws SQLException {
        StoredToken called = find(connection, " WHERE name = ?", nameOrId);
        return called != null ? called : get(connection, nameOrId);
    }

    private static @Nullable StoredToken find(Connection connection, String where, String value) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(SELECT + where)) {
            select.setString(1, value);
            List<StoredToken> found = read(select);
            return found.isEmpty() ? null : found.get(0);
        }
    }

    private static List<StoredToken> read(PreparedStatement select) throws SQLException {
        List<StoredToken> found = new ArrayList<>();
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                found.add(token(rows));
            }
        }
        return found;
    }

    private static StoredToken token(ResultSet rows) throws SQLException {
        Role role = Role.called(rows.getString(3));
        if (role == null) {
            throw new SQLException("weir_tokens: role " + rows.getString(3));
        }
        String previous = rows.getString(5);
        Instant until = instant(rows, 6);
        return new StoredToken(
                rows.getString(1),
                rows.getString(2),
                role,
                rows.getString(4),
                previous == null || until == null ? null : new StoredToken.Previous(previous, until),
                rows.getObject(7, OffsetDateTime.class).toInstant(),
                rows.getString(8),
                instant(rows, 9),
                instant(rows, 10),
                new StoredVersion(
                        rows.getLong(11),
                        rows.getObject(12, OffsetDateTime.class).toInstant(),
                        rows.getString(13)));
    }

    public static void insert(Connection connection, StoredToken token) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO weir_tokens (name, role, hash, previous_hash, previous_until, expires_at, version,"
                        + " updated_at, updated_by, token_id, created_at, created_by)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
            setFields(insert, token);
            insert.setObject(11, utc(token.createdAt()));
            insert.setString(12, token.createdBy());
            insert.executeUpdate();
        }
    }

    public static void update(Connection connection, StoredToken token) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE weir_tokens SET name = ?, role = ?, hash = ?, previous_hash = ?, previous_until = ?,"
                        + " expires_at = ?, version = ?, updated_at = ?, updated_by = ? WHERE token_id = ?")) {
            setFields(update, token);
            update.executeUpdate();
        }
    }

    private static void setFields(PreparedStatement statement, StoredToken token) throws SQLException {
        StoredToken.Previous previous = token.previous();
        statement.setString(1, token.name());
        statement.setString(2, token.role().text());
        statement.setString(3, token.hash());
        statement.setString(4, previous == null ? null : previous.hash());
        statement.setObject(5, utc(previous == null ? null : previous.until()));
        statement.setObject(6, utc(token.expiresAt()));
        statement.setLong(7, token.stored().version());
        statement.setObject(8, utc(token.stored().at()));
        statement.setString(9, token.stored().by());
        statement.setString(10, token.id());
    }

    public static void delete(Connection connection, String id) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM weir_tokens WHERE token_id = ?")) {
            delete.setString(1, id);
            delete.executeUpdate();
        }
    }

    /** Records when tokens were last used. Other nodes do the same, and the latest time is kept. */
    public static void used(Connection connection, Map<String, Instant> used) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE weir_tokens SET used_at = ? WHERE token_id = ? AND (used_at IS NULL OR used_at < ?)")) {
            for (Map.Entry<String, Instant> each : used.entrySet()) {
                update.setObject(1, utc(each.getValue()));
                update.setString(2, each.getKey());
                update.setObject(3, utc(each.getValue()));
                update.addBatch();
            }
            update.executeBatch();
        }
    }

    private static @Nullable Instant instant(ResultSet rows, int column) throws SQLException {
        OffsetDateTime time = rows.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    private static @Nullable OffsetDateTime utc(@Nullable Instant instant) {
        return instant == null ? null : OffsetDateTime.ofInstant(instant, ZoneOffset.UTC);
    }
}
