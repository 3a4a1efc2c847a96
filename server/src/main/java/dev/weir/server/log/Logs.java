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

/** Sets up the JDK's logging, which Netty and Vert.x use as well: one handler, one format, one throttle. */
public final class Logs {
    /** Loggers whose level was set. The JDK drops loggers that are not referenced, together with their level. */
    private static final List<java.util.logging.Logger> CONFIGURED = new ArrayList<>();

    private Logs() {}

    /** Keeps the JDK from silencing the log while the server still drains; to be called before anything logs. */
    public static void outliveShutdown() {
        System.setProperty("java.util.logging.manager", SteadyLogManager.class.getName());
    }

    /** Whether standard output is a terminal: as {@code ./weir} has found out, else as the JDK says. */
    @SuppressWarnings("SystemConsoleNull") // the warning is about what isTerminal checks
    public static boolean isTerminal() {
        String launcherSays = System.getProperty("weir.terminal");
        Console console = System.console();
        if (launcherSays != null || console == null) {
            return "true".equals(launcherSays);
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            // Before JDK 22, a console was a terminal.
            return true;
        }
    }

    /** Whether to use colours: NO_COLOR is not set, and the terminal has them. */
    public static boolean wantsColours(Map<String, String> environment) {
        return environment.getOrDefault("NO_COLOR", "").isEmpty() && !"dumb".equals(environment.get("TERM"));
    }

    /** Configures logging to {@code out}. */
    public static synchronized void configure(Logging logging, OutputStream out, boolean isTerminal) {
        java.util.logging.Logger root = LogManager.getLogManager().getLogger("");
        for (Handler each : root.getHandlers()) {
            root.removeHandler(each);
        }
        boolean text = logging.format() == LogFormat.TEXT || (logging.format() == LogFormat.AUTO && isTerminal);
        root.addHandler(new LogHandler(out, formatter(text, isTerminal), new LogThrottle(System::nanoTime)));
        root.setLevel(Level.WARNING);
        level("dev.weir", levelOf(logging.level()));
        // Vert.x and Netty log mistakes of a peer as if they were the server's.
        level("io.vertx", Level.WARNING);
        level("io.netty", Level.WARNING);
        // It logs all bytes that it could not parse, and a client's secrets may be among them.
        level("io.vertx.core.net.impl.ConnectionBase", Level.OFF);
        // Weir itself logs once that the database is unreachable.
        level("com.zaxxer.hikari", Level.SEVERE);
        level("org.postgresql", Level.SEVERE);
        // The same for Redis; Lettuce would log every attempt for every sentinel.
        level("io.lettuce", Level.SEVERE);
        // The same for a Kafka broker.
        level("org.apache.kafka", Level.OFF);
        // It logs a stack trace for a connection that arrives just as the server stops listening.
        level("io.netty.bootstrap.ServerBootstrap", Level.SEVERE);
    }

    /** Keeps libraries from telling what they do, in a command that uses them without a server. */
    public static void warningsOnly() {
        LogManager.getLogManager().getLogger("").setLevel(Level.WARNING);
    }

    private static Formatter formatter(boolean text, boolean isTerminal) {
        if (!text) {
            return new JsonLogFormatter();
        }
        return isTerminal ? TextLogFormatter.forTerminal(wantsColours(System.getenv())) : TextLogFormatter.forFile();
    }

    /** Waits for a short time until everything is written; to be called last before the process ends. */
    public static synchronized void flush() {
        for (Handler each : LogManager.getLogManager().getLogger("").getHandlers()) {
            each.flush();
        }
    }

    private static void level(String name, Level level) {
        java.util.logging.Logger logger = java.util.logging.Logger.getLogger(name);
        logger.setLevel(level);
        CONFIGURED.add(logger);
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
