package dev.weir;

/** The policy of a rule while its store does not answer. */
public enum OnFail {
    ALLOW,
    DENY,
    LOCAL
}
