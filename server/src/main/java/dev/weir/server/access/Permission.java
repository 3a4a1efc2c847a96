package dev.weir.server.access;

import dev.weir.control.token.Role;
import java.util.Map;

/** The table of permissions, with the lowest role that has each. */
public enum Permission {
    READ(Role.VIEWER, "read"),
    CHANGE_QUOTAS(Role.OPERATOR, "change quotas"),
    SWITCH(Role.OPERATOR, "use switches"),
    BAN(Role.OPERATOR, "ban callers"),
    RESET_COUNTERS(Role.OPERATOR, "reset counters"),
    GIVE_BACK(Role.OPERATOR, "give hits back"),
    REPORT_LOAD(Role.OPERATOR, "report a load"),
    CHANGE_RULES(Role.ADMIN, "change rules"),
    REPLAY(Role.ADMIN, "play rules on recorded requests"),
    MANAGE_TOKENS(Role.ADMIN, "read or change tokens"),
    BACK_UP(Role.ADMIN, "read a backup"),
    /** The permission of a route that is not in this table. */
    OTHERWISE(Role.ADMIN, "change this");

    /** The permission of calls other than GET, by the start of the route. */
    private static final Map<String, Permission> CHANGES = Map.of(
            "/admin/v1/quotas", CHANGE_QUOTAS,
            "/admin/v1/switch", SWITCH,
            "/admin/v1/bans", BAN,
            "/admin/v1/explain", READ,
            "/admin/v1/replay", REPLAY,
            "/v1/counters", RESET_COUNTERS,
            "/v1/ratelimit/config", CHANGE_RULES,
            "/ratelimit/rules", CHANGE_RULES);

    private static final String TOKENS = "/admin/v1/tokens";
    private static final String BACKUP = "/admin/v1/backup";

    private final Role role;
    private final String words;

    Permission(Role role, String words) {
        this.role = role;
        this.words = words;
    }

    /**
     * The permission that a call requires.
     *
     * @param route as it was declared, never the path of a request, which dots and escapes could disguise
     */
    public static Permission of(boolean changes, String route) {
        if (route.startsWith(TOKENS)) {
            return MANAGE_TOKENS;
        }
        if (route.startsWith(BACKUP)) {
            return BACK_UP;
        }
        if (!changes) {
            return READ;
        }
        return CHANGES.entrySet().stream()
                .filter(each -> route.startsWith(each.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(OTHERWISE);
    }

    /** The lowest role that has this permission. */
    public Role role() {
        return role;
    }

    /** A verb phrase, to follow "required to". */
    String words() {
        return words;
    }
}
