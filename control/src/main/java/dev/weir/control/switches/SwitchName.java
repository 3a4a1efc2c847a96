package dev.weir.control.switches;

/**
 * The name of a switch.
 *
 * @param domain empty for the switch for everything
 * @param rule the name or id of rules of the domain
 */
public record SwitchName(String domain, String rule) {
    /** The operators' name of the switch for everything. */
    public static final String ALL = "all";

    /** The switch for everything. */
    public static final SwitchName EVERYTHING = new SwitchName("", ALL);

    public boolean isEverything() {
        return domain.isEmpty();
    }

    /**
     * Returns a unique id: {@code all}, or the domain and the rule with a slash between them; slashes in the domain are
     * escaped.
     */
    public String id() {
        return isEverything() ? ALL : domain.replace("%", "%25").replace("/", "%2F") + "/" + rule;
    }
}
