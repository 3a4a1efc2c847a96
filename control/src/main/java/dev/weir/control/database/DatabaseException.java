package dev.weir.control.database;

import java.sql.SQLException;

/** Thrown if the database cannot be reached or a call fails. As far as this node knows, nothing has changed. */
public final class DatabaseException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    public DatabaseException(String message) {
        super(message);
    }

    public DatabaseException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Returns whether the database is reachable but another node holds the lock for changes. */
    public boolean isLockTimeout() {
        return getCause() instanceof SQLException cause && LOCK_NOT_AVAILABLE.equals(cause.getSQLState());
    }
}
