package dev.weir.control.switches;

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
 * The rows of {@code weir_switches}: the last change of each switch, releases included. A row that cannot be read
 * counts as absent, so that it does not keep a node from following the others.
 */
public final class SwitchTable {
    /** The kind in the audit. */
    public static final String KIND = "switch";

    private static final System.Logger LOG = System.getLogger(SwitchTable.class.getName());

    private SwitchTable() {}

    public static List<SwitchChange> all(Connection connection) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT switch_id, last FROM weir_switches ORDER BY switch_id")) {
            return read(select);
        }
    }

    public static @Nullable SwitchChange get(Connection connection, String id) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT switch_id, last FROM weir_switches WHERE switch_id = ?")) {
            select.setString(1, id);
            List<SwitchChange> found = read(select);
            return found.isEmpty() ? null : found.get(0);
        }
    }

    private static List<SwitchChange> read(PreparedStatement select) throws SQLException {
        try (ResultSet rows = select.executeQuery()) {
            List<SwitchChange> switches = new ArrayList<>();
            while (rows.next()) {
                read(rows.getString(1), rows.getString(2), switches);
            }
            return switches;
        }
    }

    private static void read(String id, String last, List<SwitchChange> into) {
        try {
            into.add(SwitchJson.read(last));
        } catch (IOException e) {
            LOG.log(Level.ERROR, "the switch " + id + " in the database is ignored: " + e.getMessage());
        }
    }

    /** Inserts or updates the last change of a switch. */
    public static void put(Connection connection, SwitchChange last) throws SQLException {
        if (write(connection, "UPDATE weir_switches SET stamp = ?, last = ? WHERE switch_id = ?", last) == 0) {
            write(connection, "INSERT INTO weir_switches (stamp, last, switch_id) VALUES (?, ?, ?)", last);
        }
    }

    private static int write(Connection connection, String sql, SwitchChange last) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, last.stamp());
            statement.setString(2, last.text());
            statement.setString(3, last.name().id());
            return statement.executeUpdate();
        }
    }
}
