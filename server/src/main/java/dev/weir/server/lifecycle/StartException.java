package dev.weir.server.lifecycle;

/** Reports that the server cannot start. The message tells a person why, and what to do. */
public final class StartException extends Exception {

    public StartException(String message) {
        super(message);
    }

    public StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
