package dev.weir.control.bans;

import dev.weir.control.change.ChangeRefusedException;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Cidr;
import dev.weir.internal.match.pattern.IpAddress;
import dev.weir.internal.model.Ban;

/**
 * Whom an entry names: one value of an attribute, in one domain or in all. People and rules have entries of their own
 * for one caller, so that a rule never replaces what an operator decided.
 *
 * @param domain empty for all domains
 * @param automatic whether a rule made the entry, by {@code escalate}
 */
public record BanName(String domain, String attribute, String value, boolean automatic) {
    private static final int LONGEST_ATTRIBUTE = 64;
    private static final int LONGEST_VALUE = 256;
    private static final int LONGEST_DOMAIN = 200;
    private static final String RULES = "~";

    /**
     * Names a caller as people write it; an address is put into its one spelling.
     *
     * @throws ChangeRefusedException if a part is empty, too long, or not an address where one is needed
     */
    public static BanName of(String domain, String attribute, String value, boolean automatic) {
        boolean named = !attribute.isBlank() && attribute.length() <= LONGEST_ATTRIBUTE && isOneLine(attribute);
        if (!named || attribute.startsWith(RULES) || attribute.indexOf('=') >= 0 || attribute.indexOf('|') >= 0) {
            throw refused(
                    "attribute",
                    attribute,
                    "the name of an attribute, up to " + LONGEST_ATTRIBUTE + " characters without = and |");
        }
        if (domain.length() > LONGEST_DOMAIN || !isOneLine(domain) || domain.matches(".*[=|].*")) {
            throw refused("domain", domain, "up to " + LONGEST_DOMAIN + " characters without = and |");
        }
        if (value.isEmpty() || value.length() > LONGEST_VALUE || !isOneLine(value)) {
            throw refused("value", value, "1 to " + LONGEST_VALUE + " characters on one line");
        }
        String name = attribute.equals(Attributes.REMOTE_ADDRESS) ? Attributes.IP : attribute;
        return new BanName(domain, name, Attributes.isAddress(name) ? address(value) : value, automatic);
    }

    private static boolean isOneLine(String text) {
        return text.chars().noneMatch(Character::isISOControl);
    }

    private static ChangeRefusedException refused(String name, String value, String expected) {
        String shown = value.substring(0, Math.min(value.length(), 40)).replaceAll("\\p{Cntrl}", "?");
        return new ChangeRefusedException(
                ChangeRefusedException.Cause.INVALID, name + ": \"" + shown + "\" (expected: " + expected + ")");
    }

    private static String address(String text) {
        String one = IpAddress.normalForm(text);
        if (one != null) {
            return one;
        }
        try {
            return Cidr.parse(text).text();
        } catch (IllegalArgumentException e) {
            throw new ChangeRefusedException(ChangeRefusedException.Cause.INVALID, "value: " + e.getMessage());
        }
    }

    /** The one text of this name, by which entries are stored: {@code domain|attribute=value}. */
    public String id() {
        return (automatic ? RULES : "") + (domain.isEmpty() ? "" : domain + "|") + attribute + "=" + value;
    }

    /** The name of {@code ban}. */
    static BanName of(Ban ban) {
        return new BanName(ban.domain(), ban.attribute(), ban.value(), ban.automatic());
    }
}
