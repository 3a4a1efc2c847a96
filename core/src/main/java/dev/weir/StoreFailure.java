package dev.weir;

import java.util.Locale;

/** The reason why a shared store gave no answer. The names are metric labels. */
public enum StoreFailure {
    /** The store did not answer within the deadline; whether it took the hits is unknown. */
    TIMEOUT,
    /** The circuit breaker is open: the store failed too often recently, and was not asked. */
    OPEN,
    /** The store cannot be reached. */
    UNREACHABLE,
    /** The store is reachable but cannot serve: it is loading, read-only, out of memory, or its cluster is down. */
    UNAVAILABLE,
    /** The store rejected the credentials: wrong password or missing permission. */
    REFUSED,
    /** The queue of asks that wait for the store is full. */
    OVERLOADED,
    /** The store's reply could not be parsed. */
    BROKEN,
    /** The counter has a format that this version does not know: a later version of Weir shares the store. */
    UNKNOWN_FORMAT;

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
