package dev.weir.control.relay;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A store of notes beside the database, which every node reads about once a second. Notes that are posted there reach all
 * nodes while the database is unreachable. Others may write to it as well. Calls may block for a second.
 */
public interface NoteRelay {

    /** Returns everything that is posted, by id; null if nothing has changed since the last call. */
    @Nullable
    Map<String, String> read() throws IOException;

    /**
     * Posts {@code text}, unless a change with this stamp or a newer one is posted under {@code id}.
     *
     * @param replace whether to replace the text that was last read under {@code id} whatever its stamp, because nobody
     *     may follow it
     */
    void post(String id, long stamp, String text, boolean replace) throws IOException;

    /** Deletes what is posted under {@code id}, unless it is newer than {@code stamp}. */
    void delete(String id, long stamp) throws IOException;
}
