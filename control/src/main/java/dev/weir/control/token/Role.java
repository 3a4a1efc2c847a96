package dev.weir.control.token;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The permissions of a token. Each role includes those before it. */
public enum Role {
    /** May read. */
    VIEWER,
    /** May also change quotas, switches and counters. */
    OPERATOR,
    /** May change everything, including rules and tokens. */
    ADMIN;

    public boolean covers(Role needed) {
        return compareTo(needed) >= 0;
    }

    /** Returns the name in files, requests and responses. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static @Nullable Role called(String text) {
        for (Role each : values()) {
            if (each.text().equals(text)) {
                return each;
            }
        }
        return null;
    }
}
