package dev.weir.server.access;

import dev.weir.control.token.Role;
import java.util.Map;

/** What can be done, and the least role that may: the whole table is here. */
public enum Permission {
    READ(Role.VIEWER, "look"),
    CHANGE_QUOTAS(Role.OPERATOR, "change quotas"),
    SWITCH(Role.OPERATOR, "use switches"),
    RESET_COUNTERS(Role.OPERATOR, "reset counters"),
    GIVE_BACK(Role.OPERATOR, "give hits back"),
    CHANGE_RULES(Role.ADMIN, "change rules"),
    MANAGE_TOKENS(Role.ADMIN, "see or change tokens"),
    /** What nobody has put into this table. */
    OTHERWISE(Role.ADMIN, "change this");

    /** What a call other than GET needs, by the beginning of its route. */
    private static final Map<String, Permission> CHANGES = Map.of(
            "/admin/v1/quotas", CHANGE_QUOTAS,
            "/admin/v1/switch", SWITCH,
            "/admin/v1/explain", READ,
            "/v1/counters", RESET_COUNTERS,
            "/v1/ratelimit/config", CHANGE_RULES,
            "/ratelimit/rules", CHANGE_RULES);

    private static final String TOKENS = "/admin/v1/tokens";

    private final Role role;
    private final String words;

    Permission(Role role, String words) {
        this.role = role;
        this.words = words;
    }

    /**
     * What a call needs.
     *
     * @param route as it was declared, never the path of a request: of that, dots and escapes could make another
     */
    public static Permission of(boolean changes, String route) {
        if (route.startsWith(TOKENS)) {
            return MANAGE_TOKENS;
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

    /** The least role that may. */
    public Role role() {
        return role;
    }

    /** What it is, to follow "to". */
    String words() {
        return words;
    }
}
