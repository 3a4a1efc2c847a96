package dev.weir.rules.diagnostics;

/** Whether a file with this in it still loads. */
public enum Severity {
    WARNING,
    ERROR
}
