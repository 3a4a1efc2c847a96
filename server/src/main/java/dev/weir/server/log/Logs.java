package dev.weir.server.log;

import dev.weir.server.settings.LogFormat;
import dev.weir.server.settings.Settings.Logging;
import java.io.Console;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;

/** Sets up the JDK's logging, which Netty and Vert.x fall back to as well: one handler, one format, one gate against floods. */
public final class Logs {
    /** Loggers whose level was set; the JDK forgets a logger that nobody holds, and its level with it. */
    private static final List<java.util.logging.Logger> KEPT = new ArrayList<>();

    private Logs() {}

    /** To be called before anything logs: keeps the JDK from silencing the log while the server still drains. */
    public static void outliveShutdown() {
        System.setProperty("java.util.logging.manager", SteadyLogManager.class.getName());
    }

    /** Whether a person reads standard output: what {@code ./weir} has found out, else what the JDK thinks. */
    @SuppressWarnings("SystemConsoleNull") // what it warns of is what isTerminal is asked for
    public static boolean isTerminal() {
        String told = System.getProperty("weir.terminal");
        Console console = System.console();
        if (told != null || console == null) {
            return "true".equals(told);
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            // Before JDK 22, a console was a terminal.
            return true;
        }
    }

    /** Whether the user has not told all programs to do without them, and the terminal has them. */
    static boolean wantsColours(Map<String, String> environment) {
        return environment.getOrDefault("NO_COLOR", "").isEmpty() && !"dumb".equals(environment.get("TERM"));
    }

    /** Writes to {@code out} from now on. */
    public static synchronized void configure(Logging logging, OutputStream out, boolean isTerminal) {
        java.util.logging.Logger root = LogManager.getLogManager().getLogger("");
        for (Handler each : root.getHandlers()) {
            root.removeHandler(each);
        }
        boolean text = logging.format() == LogFormat.TEXT || (logging.format() == LogFormat.AUTO && isTerminal);
        Formatter formatter =
                text ? new TextLogFormatter(isTerminal && wantsColours(System.getenv())) : new JsonLogFormatter();
        root.addHandler(new LogHandler(out, formatter, new LogThrottle(System::nanoTime)));
        root.setLevel(Level.WARNING);
        level("dev.weir", levelOf(logging.level()));
        // Vert.x and Netty report what a peer did wrong as if it were ours to fix.
        level("io.vertx", Level.WARNING);
        level("io.netty", Level.WARNING);
        // What could not be read of a connection, with all its bytes: a client's secrets may be among them.
        level("io.vertx.core.net.impl.ConnectionBase", Level.OFF);
        // A database that is away is told once, by whoever asks it.
        level("com.zaxxer.hikari", Level.SEVERE);
        level("org.postgresql", Level.SEVERE);
        // So is a Redis; Lettuce says of each sentinel, at every attempt, that it is away.
        level("io.lettuce", Level.SEVERE);
        // So is a broker that is away.
        level("org.apache.kafka", Level.OFF);
        // A connection that comes in just as the server stops listening, with its stack trace.
        level("io.netty.bootstrap.ServerBootstrap", Level.SEVERE);
    }

    /** Waits until what was said is written, but not for long: the last thing before the process ends. */
    public static synchronized void flush() {
        for (Handler each : LogManager.getLogManager().getLogger("").getHandlers()) {
            each.flush();
        }
    }

    private static void level(String name, Level level) {
        java.util.logging.Logger logger = java.util.logging.Logger.getLogger(name);
        logger.setLevel(level);
        KEPT.add(logger);
    }

    private static Level levelOf(Logger.Level level) {
        return switch (level) {
            case ALL, TRACE -> Level.FINER;
            case DEBUG -> Level.FINE;
            case INFO -> Level.INFO;
            case WARNING -> Level.WARNING;
            case ERROR, OFF -> Level.SEVERE;
        };
    }
}
