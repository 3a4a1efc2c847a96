package dev.weir.control.change;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/**
 * A kind of record that operators change and every node follows. Reading and applying are separate steps: a database
 * that fails halfway through a read changes nothing on this node.
 */
public interface FollowedKind {
    /** Returns the name of this kind in the audit log. */
    String kind();

    /** Reads all records; the returned task puts them in force. */
    Runnable readAll(Connection connection) throws SQLException;

    /** Reads the records {@code subjects}, which have changed or were deleted; the returned task puts them in force. */
    Runnable read(Connection connection, Set<String> subjects) throws SQLException;
}
