package dev.weir.server.log;

import java.util.logging.LogManager;

/**
 * A log manager that ignores the JDK's reset on SIGTERM, which would drop all handlers while the server is still
 * logging its shutdown.
 */
public final class SteadyLogManager extends LogManager {
    @Override
    public void reset() {}
}
