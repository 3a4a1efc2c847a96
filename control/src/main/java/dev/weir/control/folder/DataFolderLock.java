package dev.weir.control.folder;

import dev.weir.control.data.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** A lock on the data folder, which one server holds while it runs. */
public final class DataFolderLock implements AutoCloseable {
    private static final int LONGEST_NOTE = 64;

    private final FileChannel channel;

    private DataFolderLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Creates the folder if it is missing, and locks it.
     *
     * @throws IOException if the folder cannot be used or another server holds it; the message is for people
     */
    public static DataFolderLock open(Path path) throws IOException {
        PrivateFile.makeFolder(path);
        Path file = path.resolve("weir.lock");
        FileChannel channel =
                PrivateFile.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileLock lock = lock(channel);
        if (lock == null) {
            String holder = note(channel);
            channel.close();
            throw new IOException("another server" + (holder.isEmpty() ? "" : " (" + holder + ")") + " uses " + path
                    + ": each server needs a data folder of its own (to share rules and quotas, use --db)");
        }
        channel.truncate(0);
        String note = "process " + ProcessHandle.current().pid();
        channel.write(ByteBuffer.wrap(note.getBytes(StandardCharsets.UTF_8)), 0);
        return new DataFolderLock(channel);
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // another server in this process
        }
    }

    private static String note(FileChannel channel) throws IOException {
        ByteBuffer note = ByteBuffer.allocate(LONGEST_NOTE);
        channel.read(note, 0);
        return new String(note.array(), 0, note.position(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
