package dev.weir.control;

import dev.weir.control.database.Database;
import dev.weir.control.database.DatabaseException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;

/**
 * The last notes of each server that shares a PostgreSQL database. Ages are by the database's clock. A server
 * that says nothing for ten minutes is deleted. All methods block.
 */
public final class DatabaseNodes {
    private static final String TOO_OLD = "CURRENT_TIMESTAMP - INTERVAL '10 minutes'";

    /** Begins the names of notes about callers; no server is called so. */
    private static final String TOP_KEYS = "top-keys:";

    private final Database database;
    private final String prefix;

    /**
     * A server's note.
     *
     * @param ageMillis how long ago it was written
     */
    public record Note(String node, long ageMillis, String text) {}

    private DatabaseNodes(Database database, String prefix) {
        this.database = database;
        this.prefix = prefix;
    }

    /** The notes of servers about themselves. */
    static DatabaseNodes ofStatus(Database database) {
        return new DatabaseNodes(database, "");
    }

    /** The notes of servers about their heaviest callers. */
    static DatabaseNodes ofTopKeys(Database database) {
        return new DatabaseNodes(database, TOP_KEYS);
    }

    /**
     * Writes the note of {@code node}.
     *
     * @throws DatabaseException if the database is unreachable
     */
    public void post(String node, String text) {
        database.transaction(connection -> {
            try (PreparedStatement write =
                    connection.prepareStatement("INSERT INTO weir_nodes (node, seen_at, note) VALUES (?,"
                            + " CURRENT_TIMESTAMP, ?) ON CONFLICT (node) DO UPDATE SET seen_at = CURRENT_TIMESTAMP,"
                            + " note = EXCLUDED.note")) {
                write.setString(1, prefix + node);
                write.setString(2, text);
                return write.executeUpdate();
            }
        });
    }

    /** Deletes the note of {@code node}. */
    public void remove(String node) {
        database.transaction(connection -> {
            try (PreparedStatement delete = connection.prepareStatement("DELETE FROM weir_nodes WHERE node = ?")) {
                delete.setString(1, prefix + node);
                return delete.executeUpdate();
            }
        });
    }

    /** Returns all notes, and deletes those that are too old. */
    public List<Note> read() {
        return database.transaction(connection -> {
            try (PreparedStatement delete =
                            connection.prepareStatement("DELETE FROM weir_nodes WHERE seen_at < " + TOO_OLD);
                    PreparedStatement select = connection.prepareStatement("SELECT node, note,"
                            + " EXTRACT(EPOCH FROM (CURRENT_TIMESTAMP - seen_at)) * 1000 FROM weir_nodes WHERE "
                            + (prefix.isEmpty() ? "NOT " : "") + "node LIKE '" + TOP_KEYS + "%'")) {
                delete.executeUpdate();
                List<Note> found = new ArrayList<>();
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        String node = rows.getString(1).substring(prefix.length());
                        found.add(new Note(node, Math.max(0, rows.getLong(3)), rows.getString(2)));
                    }
                }
                return found;
            }
        });
    }
}
