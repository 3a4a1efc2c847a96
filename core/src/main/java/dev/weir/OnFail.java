package dev.weir;

/** What a rule answers while its store does not. */
public enum OnFail {
    ALLOW,
    DENY,
    LOCAL
}
