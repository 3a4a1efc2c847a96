package dev.weir.internal.model;

import java.util.Locale;

/** The state that an operator has switched a rule, or all rules, to. */
public enum SwitchState {
    /** Denies requests that are over the limit. */
    ON,
    /** Ignores the rule: nothing is counted and nothing is denied. */
    OFF,
    /** Counts and reports, but never denies. */
    SHADOW;

    /** The state as operators write it: {@code on}, {@code off}, {@code shadow}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
