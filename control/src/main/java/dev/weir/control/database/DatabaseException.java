package dev.weir.control.database;

/** The database cannot be reached, or did not do what it was asked; nothing has changed, as far as this node knows. */
public final class DatabaseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DatabaseException(String message) {
        super(message);
    }

    public DatabaseException(String message, Throwable cause) {
        super(message, cause);
    }
}
