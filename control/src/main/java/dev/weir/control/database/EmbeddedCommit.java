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
 * Ends a change of H2 so that it is on disk: H2 by itself writes half a second later, and leaves it to the system when that is
 * there. And a write that fails half way closes H2 with all its connections, so it begins only where there is room.
 */
final class EmbeddedCommit {
    /** Far more than a change writes. */
    private static final int ROOM = 1 << 20;

    /** Of no pattern: some file systems need no room for zeros. */
    private final byte[] anything = new byte[ROOM];

    private final Path file;

    EmbeddedCommit(Path folder) {
        this.file = folder.resolve("weir.room");
        new SplittableRandom().nextBytes(anything);
    }

    void commit(Connection connection) throws SQLException {
        requireRoom();
        connection.commit();
        try (Statement statement = connection.createStatement()) {
            statement.execute("CHECKPOINT SYNC");
        }
    }

    private void requireRoom() throws SQLException {
        try (FileChannel channel = PrivateFile.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            ByteBuffer bytes = ByteBuffer.wrap(anything);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException e) {
            throw new SQLException("there is no room for it on the disk: " + e.getMessage(), e);
        }
    }
}
