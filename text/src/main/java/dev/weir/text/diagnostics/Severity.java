package dev.weir.text.diagnostics;

/** The severity of a diagnostic: a file with errors does not load, a file with warnings does. */
public enum Severity {
    WARNING,
    ERROR
}
