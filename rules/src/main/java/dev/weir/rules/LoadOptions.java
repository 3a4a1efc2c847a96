package dev.weir.rules;

/**
 * How files become a rule set.
 *
 * @param mergeDomains several files may add to one domain; without it that is an error, as in the reference service
 */
public record LoadOptions(boolean mergeDomains) {
    /** One file, one domain. */
    public static final LoadOptions DEFAULT = new LoadOptions(false);
}
