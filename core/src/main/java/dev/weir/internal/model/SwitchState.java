package dev.weir.internal.model;

import java.util.Locale;

/** What an operator has switched a rule, or everything, to while it runs. */
public enum SwitchState {
    /** Denies what is over. */
    ON,
    /** As if it were not there: nothing is counted and nothing is denied. */
    OFF,
    /** Counts and reports, never denies. */
    SHADOW;

    /** As operators write it. */
    public String spelling() {
        return name().toLowerCase(Locale.ROOT);
    }
}
