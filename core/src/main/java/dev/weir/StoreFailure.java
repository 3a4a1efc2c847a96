package dev.weir;

import java.util.Locale;

/** Why a shared store could not say. The names are labels of metrics. */
public enum StoreFailure {
    /** No answer inside the deadline; whether the hits were taken is unknown. */
    TIMEOUT,
    /** It failed often enough of late not to be asked for now. */
    OPEN,
    /** It cannot be reached. */
    UNREACHABLE,
    /** It is there and cannot serve: loading, read-only, out of memory, without its cluster. */
    UNAVAILABLE,
    /** It does not accept who we are: wrong password, no permission. */
    REFUSED,
    /** More waits for it than it may keep waiting. */
    OVERLOADED,
    /** It answered something that cannot be understood. */
    BROKEN,
    /** The counter is kept in a format that this version does not know: a later one shares the store. */
    UNKNOWN_FORMAT;

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
