package dev.weir.server.log;

import java.util.logging.LogManager;

/** The JDK's log manager, which would drop all handlers as soon as SIGTERM comes: just when the server has things to say. */
public final class SteadyLogManager extends LogManager {
    @Override
    public void reset() {}
}
