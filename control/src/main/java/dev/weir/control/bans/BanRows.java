package dev.weir.control.bans;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of {@code weir_bans}: the last change of each entry that people made, removals included. A row that cannot be
 * read counts as absent, so that it does not keep a node from following the others.
 */
public final class BanRows {
    /** The kind in the audit. */
    public static final String KIND = "ban";

    private static final System.Logger LOG = System.getLogger(BanRows.class.getName());

    private BanRows() {}

    public static List<BanChange> all(Connection connection) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT ban_id, last FROM weir_bans ORDER BY ban_id")) {
            return read(select);
        }
    }

    public static @Nullable BanChange get(Connection connection, String id) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT ban_id, last FROM weir_bans WHERE ban_id = ?")) {
            select.setString(1, id);
            List<BanChange> found = read(select);
            return found.isEmpty() ? null : found.get(0);
        }
    }

    private static List<BanChange> read(PreparedStatement select) throws SQLException {
        try (ResultSet rows = select.executeQuery()) {
            List<BanChange> bans = new ArrayList<>();
            while (rows.next()) {
                try {
                    bans.add(BanJson.read(rows.getString(2)));
                } catch (IOException e) {
                    LOG.log(Level.ERROR, "a ban in the database is ignored: " + e.getMessage());
                }
            }
            return bans;
        }
    }

    /** Inserts or updates the last change of an entry, and deletes rows that nobody needs any more. */
    public static void put(Connection connection, BanChange last) throws SQLException {
        if (write(connection, "UPDATE weir_bans SET ends = ?, last = ? WHERE ban_id = ?", last) == 0) {
            write(connection, "INSERT INTO weir_bans (ends, last, ban_id) VALUES (?, ?, ?)", last);
        }
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM weir_bans WHERE ends < ?")) {
            delete.setLong(1, System.currentTimeMillis());
            delete.executeUpdate();
        }
    }

    private static int write(Connection connection, String sql, BanChange last) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, last.forgottenMillis());
            statement.setString(2, BanJson.text(last));
            statement.setString(3, last.name().id());
            return statement.executeUpdate();
        }
    }
}
