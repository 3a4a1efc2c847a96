package dev.weir.control.bans;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A store beside the database that every node reads once a second. Others may write to it as well. Calls may block for a
 * second.
 */
public interface BanRelay {

    /** Returns everything that is posted, by id; null if nothing has changed since the last call. */
    @Nullable
    Map<String, String> read() throws IOException;

    /** Posts {@code text}, unless a change with this stamp or a newer one is posted under {@code id}. */
    void post(String id, long stamp, String text) throws IOException;

    /** Deletes what is posted under {@code id}, unless it is newer than {@code stamp}. */
    void delete(String id, long stamp) throws IOException;
}
