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
    /** Direct memory ran out although the budget was kept. */
    OUT_OF_MEMORY("all connections (memory ran out)"),
    /** Too many connections were open on the port. */
    CONNECTIONS("the port"),
    /** Too many connections of one address were open on the port. */
    ADDRESS_CONNECTIONS("one address"),
    /** A head, a frame or a TLS handshake was not complete in time. */
    HEAD_TIMEOUT("a head");

    private final String of;

    CloseReason(String of) {
        this.of = of;
    }

    /** The owner of the limit, for a log line. */
    String of() {
        return of;
    }

    /** The value of the metric's label. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
