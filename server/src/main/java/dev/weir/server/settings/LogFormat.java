package dev.weir.server.settings;

/** How a log line is written. */
public enum LogFormat {
    /** Text on a terminal, JSON elsewhere. */
    AUTO,
    TEXT,
    JSON
}
