package dev.weir.rules.internal.grammar;

/** Whether a rule tells endpoints apart that differ in letter case alone. */
enum EndpointCase {
    KEEP,
    IGNORE
}
