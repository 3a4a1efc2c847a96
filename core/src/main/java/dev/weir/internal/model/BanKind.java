package dev.weir.internal.model;

import java.util.Locale;

/** The effect of a {@link Ban} entry, in the order in which they take precedence. */
public enum BanKind {
    /** Exempts the caller from bans, escalation and reputation; limits still apply. */
    ALLOW(0),
    /** Denies every request. */
    BAN(1),
    /** Lets every request pass, charges nothing, and marks it for the upstream. */
    SHADOW(2),
    /** Counts the requests that a ban would have denied. */
    WATCH(3);

    private static final BanKind[] ALL = values();

    private final int precedence;

    BanKind(int precedence) {
        this.precedence = precedence;
    }

    /** The position in the order of precedence, from 0 without gaps; the lowest takes precedence. */
    public int precedence() {
        return precedence;
    }

    /** The kind at a {@link #precedence}. */
    public static BanKind at(int precedence) {
        return ALL[precedence];
    }

    /** The kind as operators write it: {@code allow}, {@code ban}, {@code shadow}, {@code watch}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
