package dev.weir.control.change;

import java.util.Locale;

/**
 * The lengths of database columns. They are checked first, because a value that does not fit would look like a database
 * failure.
 */
public enum ColumnLimits {
    RULE_ID(200),
    DOMAIN(300),
    API_KEY(256),
    TIER(64),
    DESCRIPTOR(256),
    SWITCH(600);

    private static final int SHOWN = 40;

    private final int longest;

    ColumnLimits(int longest) {
        this.longest = longest;
    }

    /**
     * Checks that {@code value} fits the column.
     *
     * @throws ChangeRefusedException if it does not
     */
    public void require(String value) {
        if (value.length() > longest || value.chars().anyMatch(Character::isISOControl)) {
            String start = value.substring(0, Math.min(value.length(), SHOWN)).replaceAll("\\p{Cntrl}", "?");
            throw new ChangeRefusedException(
                    ChangeRefusedException.Cause.INVALID,
                    name().toLowerCase(Locale.ROOT) + ": \"" + start + (value.length() > SHOWN ? "…" : "")
                            + "\" (expected: up to " + longest + " characters, none of them a control character)");
        }
    }
}
