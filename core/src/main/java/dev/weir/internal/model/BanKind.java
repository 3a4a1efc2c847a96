package dev.weir.internal.model;

import java.util.Locale;

/** The effect of a {@link Ban} entry, in the order in which they take precedence. */
public enum BanKind {
    /** Exempts the caller from bans, escalation and reputation; limits still apply. */
    ALLOW,
    /** Denies every request. */
    BAN,
    /** Lets every request pass, charges nothing, and marks it for the upstream. */
    SHADOW,
    /** Counts the requests that a ban would have denied. */
    WATCH;

    private static final BanKind[] ALL = values();

    /** The kind at {@code ordinal}. */
    public static BanKind at(int ordinal) {
        return ALL[ordinal];
    }

    /** The kind as operators write it: {@code allow}, {@code ban}, {@code shadow}, {@code watch}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
