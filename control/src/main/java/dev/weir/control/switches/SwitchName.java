package dev.weir.control.switches;

/**
 * Which switch.
 *
 * @param domain empty for the one that switches everything
 * @param rule the name or id of rules of the domain
 */
public record SwitchName(String domain, String rule) {
    /** What operators call the switch for everything. */
    public static final String ALL = "all";

    /** The switch for everything. */
    public static final SwitchName EVERYTHING = new SwitchName("", ALL);

    public boolean isEverything() {
        return domain.isEmpty();
    }

    /** One text for each switch: {@code all}, or domain and rule with a slash between them, and none in the domain. */
    public String id() {
        return isEverything() ? ALL : domain.replace("%", "%25").replace("/", "%2F") + "/" + rule;
    }
}
