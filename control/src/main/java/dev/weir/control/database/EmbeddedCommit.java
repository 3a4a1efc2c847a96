package dev.weir.control.database;

import dev.weir.control.data.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.SplittableRandom;

/**
 * Commits a change of H2 so that it is on disk. By itself, H2 writes half a second later and does not sync. A write
 * that fails halfway closes H2 with all its connections, so a commit starts only if there is disk space.
 */
final class EmbeddedCommit {
    /** Far more bytes than a change writes. */
    private static final int SPACE = 1 << 20;

    /** Random bytes: some file systems need no space for zeros. */
    private final byte[] filler = new byte[SPACE];

    private final Path file;

    EmbeddedCommit(Path folder) {
        this.file = folder.resolve("weir.room");
        new SplittableRandom().nextBytes(filler);
    }

    void commit(Connection connection) throws SQLException {
        requireSpace();
        connection.commit();
        try (Statement statement = connection.createStatement()) {
            statement.execute("CHECKPOINT SYNC");
        }
    }

    private void requireSpace() throws SQLException {
        try (FileChannel channel = PrivateFile.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            ByteBuffer bytes = ByteBuffer.wrap(filler);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException e) {
            throw new SQLException("not enough disk space for the change: " + e.getMessage(), e);
        }
    }
}
