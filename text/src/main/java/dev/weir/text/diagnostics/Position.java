package dev.weir.text.diagnostics;

/** A position in a file, counted from 1; line 0 means the file as a whole. */
public record Position(int line, int column) implements Comparable<Position> {

    /** The position of diagnostics about the file as a whole. */
    public static final Position FILE = new Position(0, 0);

    @Override
    public int compareTo(Position other) {
        return line != other.line ? Integer.compare(line, other.line) : Integer.compare(column, other.column);
    }

    @Override
    public String toString() {
        return line + ":" + column;
    }
}
