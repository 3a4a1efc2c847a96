package dev.weir.server.replay.input;

/** Reports that a line cannot be read: why, and in which column. */
public final class LineException extends Exception {
    private final int column;

    LineException(int column, String message) {
        super(message, null, false, false); // there may be millions of them
        this.column = column;
    }

    /** The column, counted from 1. */
    public int column() {
        return column;
    }
}
