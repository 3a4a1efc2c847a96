package dev.weir.server.fleet;

import dev.weir.control.DatabaseNodes;
import dev.weir.control.database.DatabaseException;
import dev.weir.redis.internal.notes.HeartbeatNotes;
import dev.weir.redis.internal.notes.NoteReplies;
import java.io.IOException;
import java.util.List;

/** A place where all servers that share it leave a note of themselves, and read those of the others. Calls block. */
interface NodeBoard {
    /**
     * A server's note.
     *
     * @param ageMillis how long ago it was written, by the clock of the place
     */
    record Note(String node, long ageMillis, String text) {}

    /** The name of this place in messages. */
    String name();

    /** Whether others than servers can write here, so that notes must be signed. */
    boolean isOpenToOthers();

    void post(String node, String text) throws IOException;

    void remove(String node) throws IOException;

    List<Note> read() throws IOException;

    /** The board in a Redis. */
    record InRedis(HeartbeatNotes notes) implements NodeBoard {
        @Override
        public String name() {
            return "redis";
        }

        @Override
        public boolean isOpenToOthers() {
            return true;
        }

        @Override
        public void post(String node, String text) throws IOException {
            NoteReplies.await(notes.post(node, text));
        }

        @Override
        public void remove(String node) throws IOException {
            NoteReplies.await(notes.remove(node));
        }

        @Override
        public List<Note> read() throws IOException {
            return NoteReplies.await(notes.read()).stream()
                    .map(each -> new Note(each.name(), each.ageMillis(), each.text()))
                    .toList();
        }
    }

    /** The board in a PostgreSQL database, which is trusted: it holds the rules and the tokens. */
    record InDatabase(DatabaseNodes nodes) implements NodeBoard {
        @Override
        public String name() {
            return "database";
        }

        @Override
        public boolean isOpenToOthers() {
            return false;
        }

        @Override
        public void post(String node, String text) throws IOException {
            try {
                nodes.post(node, text);
            } catch (DatabaseException e) {
                throw new IOException(e.getMessage(), e);
            }
        }

        @Override
        public void remove(String node) throws IOException {
            try {
                nodes.remove(node);
            } catch (DatabaseException e) {
                throw new IOException(e.getMessage(), e);
            }
        }

        @Override
        public List<Note> read() throws IOException {
            try {
                return nodes.read().stream()
                        .map(each -> new Note(each.node(), each.ageMillis(), each.text()))
                        .toList();
            } catch (DatabaseException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
    }
}
