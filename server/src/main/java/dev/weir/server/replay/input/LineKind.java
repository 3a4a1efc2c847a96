package dev.weir.server.replay.input;

/** The kinds of lines in recorded traffic. */
public enum LineKind {
    /** A request. */
    REQUEST,
    /** A server began to record. */
    STARTED,
    /** A server lost requests or lines. */
    LOST,
    /** A line that is no traffic, such as a check in a file of the decision sink, or the head of a table. */
    OTHER
}
