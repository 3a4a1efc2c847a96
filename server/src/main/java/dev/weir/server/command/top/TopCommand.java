package dev.weir.server.command.top;

import dev.weir.server.command.client.AdminClient;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.ExitCodes;
import dev.weir.server.log.Logs;
import dev.weir.text.fields.Durations;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows who is denied now, and why, until a key ends it. */
@Command(
        name = "top",
        description = {
            "Show what a server decides now: its state, who is denied, who is near a limit, and every rule.",
            "Without a terminal, print one JSON object a second."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {"0:ended by a key, or printed once", "2:wrong arguments", "4:no answer"},
        footer = {
            "",
            "Keys: ? shows them, q quits.",
            "Example: weir top --delay 2s",
            "         weir top --once | jq .state"
        })
public final class TopCommand implements Callable<Integer> {
    private static final long LEAST_DELAY_MILLIS = 100;
    private static final long KEY_MILLIS = 100;

    @Mixin
    private AdminClient admin = new AdminClient();

    @Option(
            names = "--delay",
            paramLabel = "TIME",
            description = "Time between two answers. Default: 1s.",
            defaultValue = "1s")
    private String delay = "";

    @Option(names = "--once", description = "Print one answer and end.")
    private boolean once;

    @Option(names = "--no-color", description = "Do not use colours; so does the variable NO_COLOR.")
    private boolean noColour;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws CommandException {
        Duration every = every();
        try (TopFeed feed = new TopFeed(admin)) {
            if (once || !Logs.isTerminal()) {
                lines(feed, every);
            } else {
                try (Terminal terminal = TerminalBuilder.builder().system(true).build()) {
                    show(terminal, feed, every, !noColour && Logs.wantsColours(System.getenv()));
                } catch (IOException e) {
                    throw new CommandException("the terminal cannot be used: " + e.getMessage());
                }
            }
        }
        return ExitCodes.YES;
    }

    private Duration every() {
        long micros;
        try {
            micros = Durations.micros(delay);
        } catch (IllegalArgumentException e) {
            micros = 0;
        }
        Duration every = Duration.ofMillis(micros / 1_000);
        if (every.toMillis() < LEAST_DELAY_MILLIS) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--delay: \"" + delay + "\" (expected: a time of at least " + LEAST_DELAY_MILLIS
                            + "ms, such as 2s)");
        }
        return every;
    }

    /** Prints an answer per line: what the first screen shows, without its series. */
    private void lines(TopFeed feed, Duration every) throws CommandException {
        PrintWriter out = spec.commandLine().getOut();
        do {
            TopFeed.Frame frame = feed.ask(TopView.DENIED);
            JsonObject line = frame.now().copy();
            line.remove("series");
            out.println(line.put("top_denied", new JsonArray(frame.rows())).encode());
            out.flush();
        } while (!once && !out.checkError() && pause(every));
    }

    /** Returns whether the time has passed, false if this thread is interrupted. */
    private static boolean pause(Duration time) {
        try {
            TimeUnit.MILLISECONDS.sleep(time.toMillis());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Draws on {@code terminal} until a key ends it, and leaves the terminal as it was. */
    static void show(Terminal terminal, TopFeed feed, Duration every, boolean colours) throws IOException {
        TopState state = new TopState(feed);
        TopScreen screen = new TopScreen(colours);
        Display display = new Display(terminal, true);
        Attributes before = terminal.enterRawMode();
        terminal.puts(Capability.enter_ca_mode);
        terminal.puts(Capability.cursor_invisible);
        try {
            feed.start(every);
            boolean open = true;
            while (open) {
                Size size = terminal.getSize();
                display.resize(size);
                List<AttributedString> lines =
                        screen.draw(state, feed.problem(), Math.max(1, size.getColumns()), Math.max(1, size.getRows()));
                display.update(lines, 0);
                int key = KeyStroke.read(terminal.reader(), KEY_MILLIS);
                open = key == KeyStroke.NONE || state.key(key);
            }
        } finally {
            terminal.puts(Capability.cursor_normal);
            terminal.puts(Capability.exit_ca_mode);
            terminal.flush();
            terminal.setAttributes(before);
        }
    }
}
