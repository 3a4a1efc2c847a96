package dev.weir.control.audit;

import dev.weir.control.data.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The version of the last change that an embedded database has committed, in a file beside the audit file.
 *
 * <p>The line of a change is on disk before the change commits, so that the audit file alone cannot tell a change that
 * was interrupted from one that the database has lost. This file is written after the commit and before the change is
 * acknowledged: a database that ends before this version has lost an acknowledged change.
 */
public final class LastCommit implements AutoCloseable {
    /** The name of the file in the data folder. */
    public static final String NAME = "committed";

    private static final int BYTES = 40;
    /** The version, twice: a damaged digit is noticed. */
    private static final Pattern TEXT = Pattern.compile("([0-9]{19}) \\1\n");

    private final FileChannel channel;
    private long version;

    private LastCommit(FileChannel channel) throws IOException {
        this.channel = channel;
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        channel.read(bytes, 0);
        version = parse(new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII));
    }

    /** Reads the version from the file in {@code folder}; -1 if it is unknown. */
    public static long in(Path folder) throws IOException {
        Path file = folder.resolve(NAME);
        return Files.exists(file) ? parse(Files.readString(file, StandardCharsets.ISO_8859_1)) : -1;
    }

    private static long parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        return matcher.matches() ? Long.parseLong(matcher.group(1)) : -1;
    }

    /** Opens the file in {@code folder}; if there is none, it is created without a version. */
    public static LastCommit open(Path folder) throws IOException {
        FileChannel channel = PrivateFile.open(
                folder.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            return new LastCommit(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Returns the version; -1 if it is unknown, because the file is new or damaged. */
    public synchronized long version() {
        return version;
    }

    /** Sets the version, which is on disk when this returns. If it cannot be written, it is unknown from now on. */
    public synchronized void set(long committed) throws IOException {
        version = -1;
        try {
            // In place: a full disk has room for it.
            String digits = String.format(Locale.ROOT, "%019d", committed);
            byte[] text = (digits + " " + digits + "\n").getBytes(StandardCharsets.US_ASCII);
            channel.write(ByteBuffer.wrap(text), 0);
            channel.force(false);
            version = committed;
        } catch (IOException e) {
            try {
                channel.truncate(0);
            } catch (IOException again) {
                e.addSuppressed(again);
            }
            throw e;
        }
    }

    /** Makes the version unknown. */
    public synchronized void forget() throws IOException {
        channel.truncate(0);
        channel.force(false);
        version = -1;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
