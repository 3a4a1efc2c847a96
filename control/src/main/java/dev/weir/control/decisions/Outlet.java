package dev.weir.control.decisions;

/** Where lines leave the server. Used by the sink's thread alone, but for the counts. */
interface Outlet extends AutoCloseable {
    /** A word for metrics and logs. */
    String name();

    /** Takes a line, or counts it as dropped; throws nothing. */
    void write(DecisionLine line);

    /** Nothing more comes for a moment. */
    void pause();

    /** Lines that got where they belong. */
    long written();

    /** Lines that did not, and will not. */
    long dropped();

    @Override
    void close();
}
