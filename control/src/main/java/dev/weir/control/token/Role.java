package dev.weir.control.token;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What somebody may do; each may do what those before it may. */
public enum Role {
    /** Looks. */
    VIEWER,
    /** Keeps it running: quotas, switches, counters. */
    OPERATOR,
    /** Everything, rules and tokens too. */
    ADMIN;

    public boolean covers(Role needed) {
        return compareTo(needed) >= 0;
    }

    /** As it is written. */
    public String spelling() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static @Nullable Role called(String spelling) {
        for (Role each : values()) {
            if (each.spelling().equals(spelling)) {
                return each;
            }
        }
        return null;
    }
}
