package dev.weir.control.audit;

import dev.weir.control.data.PrivateFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The audit log as a file, one change per line: a copy of the table, as far as this node has seen it. */
public final class AuditFile implements AutoCloseable {
    /** The name of the file in the data folder. */
    public static final String NAME = "audit.jsonl";

    private static final int BLOCK = 8 << 10;

    private final Path path;
    private FileChannel channel;
    private @Nullable AuditLine last;
    private long end;

    private AuditFile(Path path) throws IOException {
        this.path = path;
        this.channel = channel(path);
    }

    private static FileChannel channel(Path path) throws IOException {
        return PrivateFile.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Opens the file in {@code folder}. A partial line at its end, left by a crash, is cut off. */
    public static AuditFile open(Path folder) throws IOException {
        return open(folder, NAME);
    }

    /** Opens a file with another name, which has a chain of its own. */
    public static AuditFile open(Path folder, String name) throws IOException {
        AuditFile file = new AuditFile(folder.resolve(name));
        try {
            file.findEnd();
            return file;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    private void findEnd() throws IOException {
        end = endOfLineBefore(channel.size());
        if (end > 0) {
            long start = endOfLineBefore(end - 1);
            ByteBuffer line = ByteBuffer.allocate(Math.toIntExact(end - 1 - start));
            channel.read(line, start);
            last = AuditLine.parse(new String(line.array(), StandardCharsets.UTF_8));
            if (last == null) {
                throw new IOException(path + ": its last line is not an audit line (run weir audit verify for details);"
                        + " move the file away to start a new one");
            }
        }
        channel.truncate(end);
    }

    /**
     * Returns where the last line before {@code position} ends; 0 if there is none. It works on bytes, because a crash
     * may have left part of a character.
     */
    private long endOfLineBefore(long position) throws IOException {
        ByteBuffer block = ByteBuffer.allocate(BLOCK);
        for (long upTo = position; upTo > 0; upTo -= BLOCK) {
            long from = Math.max(0, upTo - BLOCK);
            block.clear().limit((int) (upTo - from));
            channel.read(block, from);
            for (int i = block.position() - 1; i >= 0; i--) {
                if (block.get(i) == '\n') {
                    return from + i + 1;
                }
            }
        }
        return 0;
    }

    /** Reads lines. Bytes that are not UTF-8 become text that matches no hash. */
    static BufferedReader reader(Path path) throws IOException {
        return new BufferedReader(new InputStreamReader(Files.newInputStream(path), StandardCharsets.UTF_8));
    }

    /** Reads all lines of a file. */
    public static List<AuditLine> lines(Path path) throws IOException {
        List<AuditLine> lines = new ArrayList<>();
        try (BufferedReader in = reader(path)) {
            for (String each = in.readLine(); each != null; each = in.readLine()) {
                lines.add(required(path, each));
            }
        }
        return lines;
    }

    private static AuditLine required(Path path, String written) throws IOException {
        AuditLine line = AuditLine.parse(written);
        if (line == null) {
            throw new IOException(path + ": a line is not an audit line (run weir audit verify for details)");
        }
        return line;
    }

    /**
     * Reads the lines after {@code position}; null if the file ends before it.
     *
     * @throws IOException if the file cannot be read, does not have {@code position}, or a later line is not intact; the
     *     message is for people
     */
    public static @Nullable List<AuditLine> linesAfter(Path path, AuditPosition position) throws IOException {
        List<AuditLine> later = new ArrayList<>();
        boolean found = position.equals(AuditPosition.START);
        long version = 0;
        String previous = position.hash();
        try (BufferedReader in = reader(path)) {
            for (String each = in.readLine(); each != null; each = in.readLine()) {
                AuditLine line = required(path, each);
                version = line.version();
                if (line.version() == position.version()) {
                    found = line.hash().equals(position.hash());
                } else if (line.version() > position.version()) {
                    if (!line.isIntact() || !line.previous().equals(previous)) {
                        throw new IOException(path + ": change " + line.version() + " does not follow the one before");
                    }
                    previous = line.hash();
                    later.add(line);
                }
            }
        }
        if (!found && version >= position.version()) {
            throw new IOException(path + " has another change " + position.version());
        }
        return found ? later : null;
    }

    /** Returns the last line; null if there is none. */
    public synchronized @Nullable AuditLine last() {
        return last;
    }

    /** Returns the hash of the last line, which the next line refers to. */
    public synchronized String hash() {
        return last == null ? AuditLine.START : last.hash();
    }

    /** Returns the version of the last line; 0 if there is none. */
    public synchronized long version() {
        return last == null ? 0 : last.version();
    }

    /** Returns whether the last line has this hash; true for a file without lines. */
    public synchronized boolean endsWith(String hash) {
        return last == null || last.hash().equals(hash);
    }

    /**
     * Appends lines, which are on disk when this returns.
     *
     * @return where the file ended before, for {@link #cut}
     * @throws IOException also if the lines do not follow the last line; then none is added
     */
    public synchronized Mark append(List<AuditLine> lines) throws IOException {
        Mark mark = new Mark(end, last);
        StringBuilder text = new StringBuilder();
        AuditLine before = last;
        for (AuditLine each : lines) {
            if (before != null && !each.previous().equals(before.hash())) {
                throw new IOException(
                        path + ": change " + each.version() + " does not follow change " + before.version());
            }
            text.append(each.written()).append('\n');
            before = each;
        }
        last = before;
        try {
            ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
            channel.truncate(end);
            long at = end;
            while (bytes.hasRemaining()) {
                at += channel.write(bytes, at);
            }
            channel.force(false);
            end = at;
            return mark;
        } catch (IOException e) {
            restore(mark, e);
            throw e;
        }
    }

    private void restore(Mark mark, IOException failure) {
        last = mark.last();
        try {
            channel.truncate(mark.end());
        } catch (IOException e) {
            failure.addSuppressed(e); // the next append truncates it
        }
    }

    /** Removes lines whose change was not made. */
    public synchronized void cut(Mark mark) throws IOException {
        channel.truncate(mark.end());
        end = mark.end();
        last = mark.last();
    }

    /** Renames the file, with the time in its name, and starts a new one. */
    public synchronized Path setAside() throws IOException {
        Path aside = path.resolveSibling("audit-" + System.currentTimeMillis() + ".jsonl");
        channel.close();
        Files.move(path, aside);
        channel = channel(path);
        last = null;
        end = 0;
        return aside;
    }

    /** A position in the file. */
    public record Mark(long end, @Nullable AuditLine last) {}

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
