package dev.weir.control.switches;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A place beside the database that every node reads: what is posted there holds although the database is away. It may block for a second. */
public interface SwitchRelay {

    /** Everything that is posted, by id; null if nothing was since it was read last. */
    @Nullable
    Map<String, String> read() throws IOException;

    /** Posts {@code text}, unless what is posted under {@code id} is as new as {@code stamp} or newer. */
    void post(String id, long stamp, String text) throws IOException;
}
