package dev.weir.server.lifecycle;

/** The server cannot start; the message says why and what to do, to a person. */
public final class StartException extends Exception {

    public StartException(String message) {
        super(message);
    }

    public StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
