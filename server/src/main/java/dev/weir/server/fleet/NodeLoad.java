package dev.weir.server.fleet;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;

/** Tells how busy this server is, as part of its status. */
public interface NodeLoad {
    /** When this server started, seconds since the epoch. */
    long started();

    /** Writes the members of the load into the current object. */
    void write(JsonGenerator out) throws IOException;
}
