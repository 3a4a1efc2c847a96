package dev.weir.rules.internal.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

/**
 * The attributes of a file, with links followed. Equal stamps mean equal contents, unless the file changed so recently
 * that its timestamp may not have advanced in between (git calls this "racily clean").
 */
public record FileStamp(Path path, Object file, long size, Instant modified, Instant changed) {
    private static final Instant NEVER = Instant.EPOCH;

    /** Reads the stamp of a file, which may be missing. */
    static FileStamp of(Path path) {
        try {
            BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class);
            Object key = found.fileKey() == null ? "" : found.fileKey();
            Instant modified = found.lastModifiedTime().toInstant();
            return new FileStamp(path, key, found.size(), modified, changed(path, modified));
        } catch (IOException e) {
            return new FileStamp(path, "", -1, NEVER, NEVER);
        }
    }

    /** Returns whether the file was changed after {@code moment}, by its modification time or its inode change time. */
    public boolean isAfter(Instant moment) {
        return modified.isAfter(moment) || changed.isAfter(moment);
    }

    /**
     * Returns the inode change time, which {@code cp -p} cannot set back; {@code otherwise} if the file system has
     * none.
     */
    private static Instant changed(Path path, Instant otherwise) throws IOException {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return otherwise;
        }
        return Files.getAttribute(path, "unix:ctime") instanceof FileTime time ? time.toInstant() : otherwise;
    }
}
