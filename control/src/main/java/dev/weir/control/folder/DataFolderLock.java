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

/** The folder that one server keeps its data in, locked as long as it runs. */
public final class DataFolderLock implements AutoCloseable {
    private static final int LONGEST_NOTE = 64;

    private final FileChannel channel;

    private DataFolderLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Makes the folder if need be, and locks it.
     *
     * @throws IOException if it cannot be used, or another server has it; the message is for people
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
                    + ": one folder, one server. Servers that are to share rules and quotas share a --db");
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
            return null; // another server in this very process
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
