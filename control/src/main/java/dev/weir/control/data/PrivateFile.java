package dev.weir.control.data;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Files that only their owner may read, because they hold API keys and hashes of tokens. On a file system without such
 * permissions they are ordinary files.
 */
public final class PrivateFile {
    private PrivateFile() {}

    /** Creates a folder and its missing parents. */
    public static void makeFolder(Path folder) throws IOException {
        Files.createDirectories(folder, permissions(folder, "rwx------"));
    }

    /** Opens a file; if it is created, it is private. */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, Set.of(options), permissions(file, "rw-------"));
    }

    private static FileAttribute<?>[] permissions(Path path, String given) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(given))}
                : new FileAttribute<?>[0];
    }

    /** Writes the content of a file. */
    @FunctionalInterface
    public interface Content {
        void to(Writer out) throws IOException;
    }

    /**
     * Replaces a file atomically: after a crash or a power loss, it holds either all of the old content or all of the
     * new.
     */
    public static void replace(Path file, Content content) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel channel = open(
                        next,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING);
                Writer out = new BufferedWriter(Channels.newWriter(channel, StandardCharsets.UTF_8))) {
            content.to(out);
            out.flush();
            channel.force(true);
        }
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
