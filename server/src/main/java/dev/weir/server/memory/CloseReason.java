package dev.weir.server.memory;

import java.util.Locale;

/** Why the server refused or closed a connection. */
public enum CloseReason {
    /** One connection held too much. */
    CONNECTION_MEMORY("one connection"),
    /** The connections of one address held too much. */
    ADDRESS_MEMORY("one address"),
    /** All connections held too much. */
    PROCESS_MEMORY("all connections"),
    /** Memory ran out all the same. */
    OUT_OF_MEMORY("all connections (memory ran out)"),
    /** Too many connections were open on the port. */
    CONNECTIONS("the port"),
    /** Too many of them were of one address. */
    ADDRESS_CONNECTIONS("one address"),
    /** A head, a frame or a TLS handshake did not arrive whole in its time. */
    HEAD_TIMEOUT("a head");

    private final String of;

    CloseReason(String of) {
        this.of = of;
    }

    /** Whose limit it was, for a log line. */
    String of() {
        return of;
    }

    /** The value of the metric's label. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
