package dev.weir.server.settings;

/** The format of log lines. */
public enum LogFormat {
    /** Text on a terminal, JSON elsewhere. */
    AUTO,
    TEXT,
    JSON
}
