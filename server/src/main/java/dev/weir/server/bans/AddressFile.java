package dev.weir.server.bans;

import dev.weir.text.message.FileErrors;
import dev.weir.text.message.PrintableText;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * A file about addresses: one address or block a line; {@code #} or {@code ;} starts a comment. If the file gets an
 * error, the last good content stays. Used by one thread at a time, except for {@link #content}.
 *
 * @param <T> the content
 */
final class AddressFile<T> {
    private static final System.Logger LOG = System.getLogger(AddressFile.class.getName());
    private static final long MOST_BYTES = 100 << 20;
    private static final int MOST_LINES = 1_000_000;
    private static final int LONGEST_LINE = 1_024;

    private final Path file;
    private final Format<T> format;
    private volatile T content;
    private volatile boolean current = true;
    /** The file as it was last read, and as it was last seen: one that still changes is not read. */
    private Stamp read;

    private Stamp seen;

    /** The form of the lines. */
    interface Format<T> {
        /** Names the kind of file in messages. */
        String name();

        /** Describes a valid line in messages. */
        String expected();

        Lines<T> open();

        /** The number of addresses and blocks. */
        int size(T content);
    }

    /** Collects the lines of a file. */
    interface Lines<T> {
        /**
         * Adds a line, without comments and blanks.
         *
         * @throws IllegalArgumentException if it is wrong
         */
        void add(String line);

        T end();
    }

    /** Size, modification time and file key: they tell one version of a file from another. */
    private record Stamp(
            long bytes, FileTime modified, @Nullable Object key) {
        static final Stamp NONE = new Stamp(-1, FileTime.fromMillis(0), null);

        static Stamp of(Path file) {
            try {
                BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
                return new Stamp(now.size(), now.lastModifiedTime(), now.fileKey());
            } catch (IOException e) {
                return NONE;
            }
        }
    }

    /**
     * Reads the file for the first time.
     *
     * @throws IOException if it cannot be read, or a line is wrong; the message is for people
     */
    AddressFile(Path file, Format<T> format) throws IOException {
        this.file = file;
        this.format = format;
        this.seen = Stamp.of(file);
        this.read = seen;
        this.content = load();
    }

    /** The content of the last good file. */
    T content() {
        return content;
    }

    /** The number of addresses and blocks. */
    int size() {
        return format.size(content);
    }

    /** Whether the content is that of the file as it is. */
    boolean isCurrent() {
        return current;
    }

    /** Reads the file if it has changed and is not being written; returns whether the content is new. */
    boolean poll() {
        Stamp now = Stamp.of(file);
        boolean settled = now.equals(seen);
        seen = now;
        if (!settled || now.equals(read)) {
            return false;
        }
        read = now;
        try {
            content = load();
            current = true;
            LOG.log(Level.INFO, format.name() + ": " + file + ": " + size() + " addresses and blocks");
            return true;
        } catch (IOException e) {
            current = false;
            LOG.log(Level.ERROR, e.getMessage() + "; the last good " + format.name() + " stays in force");
            return false;
        }
    }

    private T load() throws IOException {
        Lines<T> collected = format.open();
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new IOException(file + ": more than 100 MB (expected on each line: " + format.expected() + ")");
            }
            try (BufferedReader lines = Files.newBufferedReader(file)) {
                int number = 0;
                StringBuilder line = new StringBuilder();
                while (readLine(lines, line)) {
                    if (++number > MOST_LINES) {
                        throw new IOException(file + ": more than " + MOST_LINES + " lines");
                    }
                    add(line.toString().strip(), number, collected);
                }
            }
        } catch (CharacterCodingException e) {
            throw new IOException(file + ": not text in UTF-8 (expected on each line: " + format.expected() + ")", e);
        } catch (IOException e) {
            String message = String.valueOf(e.getMessage());
            throw message.startsWith(file + ":") ? e : new IOException(FileErrors.what(e), e);
        }
        return collected.end();
    }

    /**
     * Reads a line without its comment into {@code into}; false at the end of the file. Of a line that is too long for an
     * address it keeps the beginning: the file may be one line of 100 MB.
     */
    private static boolean readLine(BufferedReader in, StringBuilder into) throws IOException {
        into.setLength(0);
        int next = in.read();
        boolean any = next >= 0;
        boolean comment = false;
        for (; next >= 0 && next != '\n'; next = in.read()) {
            comment = comment || next == '#' || next == ';';
            if (!comment && into.length() < LONGEST_LINE) {
                into.append((char) next);
            }
        }
        return any;
    }

    private void add(String text, int number, Lines<T> into) throws IOException {
        if (text.isEmpty()) {
            return;
        }
        try {
            into.add(text);
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    file + ":" + number + ": " + PrintableText.quote(text) + " (expected: " + format.expected() + ")",
                    e);
        }
    }
}
