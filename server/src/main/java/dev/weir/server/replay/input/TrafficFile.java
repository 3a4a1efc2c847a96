package dev.weir.server.replay.input;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Reads one file of traffic line by line, within a bounded buffer. */
final class TrafficFile implements Closeable {
    private static final int FIRST_BUFFER = 1 << 16;
    /** The longest line: the decision sink writes none above 64 KiB. */
    private static final int MOST_BUFFER = 1 << 20;

    private final String name;
    private final InputStream in;
    private final LineFormat format;
    private final TrafficInput input;
    final TrafficLine line = new TrafficLine();
    LineKind kind = LineKind.OTHER;
    private byte[] buffer = new byte[FIRST_BUFFER];
    private int from;
    private int filled;
    private boolean ended;
    private long number;

    TrafficFile(String name, InputStream in, LineFormat format, TrafficInput input) {
        this.name = name;
        this.in = in;
        this.format = format;
        this.input = input;
    }

    /** Reads the next line that has something to say into {@link #line}; false at the end. Lines that cannot be read are counted. */
    boolean next() throws IOException {
        while (true) {
            int end = lineEnd();
            boolean last = end < 0;
            if (last && from == filled) {
                return false;
            }
            int start = from;
            int stop = last ? filled : end;
            from = last ? filled : end + 1;
            number++;
            if (stop > start && buffer[stop - 1] == '\r') {
                stop--;
            }
            if (stop > start && read(start, stop, last)) {
                return true;
            }
        }
    }

    private boolean read(int start, int stop, boolean last) {
        try {
            kind = format.read(buffer, start, stop, line);
            return kind != LineKind.OTHER;
        } catch (LineException e) {
            if (last) {
                input.cut();
            } else {
                input.unreadable(name, number, e);
            }
            return false;
        }
    }

    /** The index of the next line break; -1 if what is in the buffer is the last line. */
    private int lineEnd() throws IOException {
        int at = from;
        while (true) {
            for (; at < filled; at++) {
                if (buffer[at] == '\n') {
                    return at;
                }
            }
            if (ended) {
                return -1;
            }
            int searched = filled - from;
            fill();
            at = from + searched;
        }
    }

    private void fill() throws IOException {
        if (from > 0) {
            System.arraycopy(buffer, from, buffer, 0, filled - from);
            filled -= from;
            from = 0;
        }
        if (filled == buffer.length) {
            if (buffer.length == MOST_BUFFER) {
                input.unreadable(name, number + 1, new LineException(1, "longer than 1 MiB"));
                skipLine();
                return;
            }
            buffer = Arrays.copyOf(buffer, buffer.length * 2);
        }
        int read = in.read(buffer, filled, buffer.length - filled);
        ended = read < 0;
        filled += Math.max(0, read);
    }

    /** Drops what is in the buffer and the rest of its line, which are too long to keep. */
    private void skipLine() throws IOException {
        number++;
        while (true) {
            int read = in.read(buffer, 0, buffer.length);
            if (read < 0) {
                ended = true;
                filled = 0;
                return;
            }
            for (int i = 0; i < read; i++) {
                if (buffer[i] == '\n') {
                    filled = read;
                    from = i + 1;
                    return;
                }
            }
        }
    }

    String name() {
        return name;
    }

    /** The place of {@link #line}, {@code traffic.jsonl:12}. */
    String place() {
        return name + ":" + number;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
