package dev.weir.control.decisions;

/** A destination of lines. Only the sink's thread uses it, except for the counts. */
interface Outlet extends AutoCloseable {
    /** Returns the name in metrics and logs. */
    String name();

    /** Accepts a line, or counts it as dropped; never throws. */
    void write(DecisionLine line);

    /** Called when the ring is empty for a moment. */
    void pause();

    /** Returns the number of delivered lines. */
    long written();

    /** Returns the number of dropped lines. */
    long dropped();

    @Override
    void close();
}
