package dev.weir.server.replay;

/** Reports that rules cannot be replayed on this traffic; the message says why and what to do. */
public final class ReplayException extends Exception {
    ReplayException(String message) {
        super(message);
    }
}
