package dev.weir.control.database;

import java.sql.SQLException;

/** The database cannot be reached, or did not do what it was asked; nothing has changed, as far as this node knows. */
public final class DatabaseException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    public DatabaseException(String message) {
        super(message);
    }

    public DatabaseException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Whether the database is there, and another node keeps everybody from changing anything. */
    public boolean isHeldUp() {
        return getCause() instanceof SQLException cause && LOCK_NOT_AVAILABLE.equals(cause.getSQLState());
    }
}
