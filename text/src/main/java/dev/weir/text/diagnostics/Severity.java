package dev.weir.text.diagnostics;

/** Whether a file with this in it still loads. */
public enum Severity {
    WARNING,
    ERROR
}
