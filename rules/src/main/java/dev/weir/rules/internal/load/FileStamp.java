package dev.weir.rules.internal.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

/**
 * What the file system says about a file, links followed. Equal stamps mean equal contents, unless the file changed so lately
 * that its clock may not have ticked in between (what git calls racily clean).
 */
public record FileStamp(Path path, Object file, long size, Instant modified, Instant changed) {
    private static final Instant NEVER = Instant.EPOCH;

    /** The stamp of a file that may be missing. */
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

    /** Whether the file was changed after {@code moment}, by either of its clocks. */
    public boolean isAfter(Instant moment) {
        return modified.isAfter(moment) || changed.isAfter(moment);
    }

    /** When its inode changed, where there is such a thing: {@code cp -p} can not turn that back. */
    private static Instant changed(Path path, Instant otherwise) throws IOException {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return otherwise;
        }
        return Files.getAttribute(path, "unix:ctime") instanceof FileTime time ? time.toInstant() : otherwise;
    }
}
