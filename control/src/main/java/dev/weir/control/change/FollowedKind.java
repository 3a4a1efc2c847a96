package dev.weir.control.change;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/**
 * A kind of thing that operators change and every node follows. Reading is one step and taking it in another, so that a
 * database that fails half way through changes nothing here.
 */
public interface FollowedKind {
    /** What the audit calls it. */
    String kind();

    /** Reads all there is; what it returns puts that in force. */
    Runnable readAll(Connection connection) throws SQLException;

    /** Reads what there is now of {@code subjects}, which have changed or are gone; what it returns puts that in force. */
    Runnable read(Connection connection, Set<String> subjects) throws SQLException;
}
