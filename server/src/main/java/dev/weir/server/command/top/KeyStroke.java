package dev.weir.server.command.top;

import java.io.IOException;
import org.jline.utils.NonBlockingReader;

/** Reads keys from a terminal in raw mode. Keys without a character of their own have negative numbers. */
final class KeyStroke {
    static final int CONTROL_C = 3;
    static final int TAB = '\t';
    static final int ENTER = '\r';
    static final int ESCAPE = 27;
    static final int BACKSPACE = 127;

    /** No key was pressed. */
    static final int NONE = NonBlockingReader.READ_EXPIRED;
    /** The terminal is gone. */
    static final int END_OF_INPUT = NonBlockingReader.EOF;

    static final int UP = -10;
    static final int DOWN = -11;
    static final int LEFT = -12;
    static final int RIGHT = -13;
    static final int HOME = -14;
    static final int END = -15;

    /** The time in which the rest of an escape sequence arrives. */
    private static final long SEQUENCE_MILLIS = 50;

    private KeyStroke() {}

    /** Waits for a key, at most {@code millis} milliseconds. */
    static int read(NonBlockingReader in, long millis) throws IOException {
        int key = in.read(millis);
        if (key == '\n') {
            return ENTER;
        }
        if (key == '\b') {
            return BACKSPACE;
        }
        return key == ESCAPE ? sequence(in) : key;
    }

    /** Reads what follows an escape: {@code [A} or {@code OA} for an arrow. Alone, it is the key itself. */
    private static int sequence(NonBlockingReader in) throws IOException {
        int first = in.read(SEQUENCE_MILLIS);
        if (first != '[' && first != 'O') {
            return ESCAPE;
        }
        return switch (in.read(SEQUENCE_MILLIS)) {
            case 'A' -> UP;
            case 'B' -> DOWN;
            case 'C' -> RIGHT;
            case 'D' -> LEFT;
            case 'H' -> HOME;
            case 'F' -> END;
            default -> NONE;
        };
    }
}
