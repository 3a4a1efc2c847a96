package dev.weir.server.command.top;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.server.command.client.AdminClient;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jline.terminal.impl.LineDisciplineTerminal;
import org.jline.utils.ScreenTerminal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code weir top} on a virtual terminal, and without one. */
@SuppressWarnings("NullAway.Init") // each test that shows a screen sets its fields
class TopCommandTest {
    private static final int COLUMNS = 100;
    private static final int ROWS = 20;

    private AnsweringAdminPort port;
    private ScreenTerminal screen;
    private LineDisciplineTerminal terminal;
    private TopFeed feed;
    private CompletableFuture<Void> shown;

    @BeforeEach
    void listen() throws IOException {
        port = new AnsweringAdminPort();
    }

    @AfterEach
    void stop() throws Exception {
        if (feed != null) {
            terminal.processInputBytes("\u001bqq".getBytes(StandardCharsets.UTF_8));
            shown.get();
            feed.close();
            terminal.close();
        }
        port.close();
    }

    private void show(boolean colours) throws IOException {
        ScreenTerminal.VirtualTerminal virtual = ScreenTerminal.withTerminal("test", "xterm-256color", COLUMNS, ROWS);
        screen = virtual.screen();
        terminal = virtual.terminal();
        AdminClient admin = new AdminClient();
        admin.url(port.url());
        feed = new TopFeed(admin);
        shown = CompletableFuture.runAsync(() -> {
            try {
                TopCommand.show(terminal, feed, Duration.ofMillis(100), colours);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        awaitText("decisions 4,120/s");
    }

    private void type(String keys) throws IOException {
        terminal.processInputBytes(keys.getBytes(StandardCharsets.UTF_8));
    }

    /** The lines of the screen. */
    private String text() {
        long[] cells = new long[COLUMNS * ROWS];
        screen.dump(cells, new int[2]);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < cells.length; i++) {
            int point = ScreenTerminal.cellCodePoint(cells[i]);
            text.appendCodePoint(point == 0 ? ' ' : point);
            text.append(i % COLUMNS == COLUMNS - 1 ? "\n" : "");
        }
        return text.toString();
    }

    private boolean hasColour() {
        long[] cells = new long[COLUMNS * ROWS];
        screen.dump(cells, new int[2]);
        for (long each : cells) {
            if (ScreenTerminal.cellHasForeground(each)) {
                return true;
            }
        }
        return false;
    }

    private void awaitText(String wanted) {
        await().untilAsserted(() -> assertThat(text()).contains(wanted));
    }

    @Test
    void theFirstScreenTellsTheStateTheFiguresAndWhoIsDenied() throws Exception {
        show(true);
        assertThat(text())
                .contains("weir web-1:6070", "● All well: 6 rules.", "denied 3.1 %", "p99 48 µs", "shed -/s")
                .contains("shop search  api_key=scraper-7")
                .contains("12", "60 %")
                .containsPattern("9[0-9] s")
                .contains("api_key=?[31mevil?");
        assertThat(text().indexOf("scraper-7"))
                .as("the most denied is first")
                .isLessThan(text().indexOf("203.0.113.66"));
        assertThat(hasColour()).isTrue();
    }

    @Test
    void keysSortFilterAndSwitchTables() throws Exception {
        show(false);
        assertThat(hasColour()).isFalse();
        type(">");
        await().until(() -> text().indexOf("203.0.113.66") < text().indexOf("scraper-7"));
        type("r");
        await().until(() -> text().indexOf("evil") < text().indexOf("scraper-7"));
        type("/scra\r");
        awaitText("with \"scra\"");
        assertThat(text()).contains("scraper-7").doesNotContain("203.0.113.66");
        type("\u001b");
        awaitText("203.0.113.66");
        type("4");
        awaitText("10 per minute");
        assertThat(text()).contains("90 %", "140 %", "shadow");
        type("?");
        awaitText("sort by another column");
        type("x");
        awaitText("10 per minute");
    }

    @Test
    void enterExplainsTheRowThatIsSelected() throws Exception {
        show(false);
        type("j\r");
        awaitText("login: 10 of 10 per 1 minute used, over its limit, passes again in 4.2 s");
        awaitText("uploads (if endpoint=PUT /up): 1 of 3 at once used, 2 left");
        assertThat(text())
                .contains("ip=203.0.113.66 in domain shop", "tier free", "login: denied, 10 of 10 per minute used");
        assertThat(port.lastQuery).isEqualTo("domain=shop&ip=203.0.113.66");
    }

    @Test
    void aPauseKeepsTheScreenAndAnOutageKeepsTheLastAnswerAndSaysSo() throws Exception {
        show(false);
        type("p");
        awaitText("PAUSED");
        port.answer("/admin/v1/now", AnsweringAdminPort.now("bad", "Redis is unreachable."));
        await().until(() -> feed.frame() != null
                && feed.frame().now().getJsonObject("state").getString("level").equals("bad"));
        assertThat(text()).contains("All well");
        type("p");
        awaitText("▲ Redis is unreachable.");
        port.stop();
        awaitText("▲ no answer for ");
        assertThat(text()).contains("scraper-7");
    }

    @Test
    void withoutATerminalAnAnswerIsALineOfJson() {
        StringWriter out = new StringWriter();
        int code = new CommandLine(new TopCommand())
                .setOut(new PrintWriter(out, true))
                .execute("--once", "--admin", port.url());
        assertThat(code).isZero();
        JsonObject line = new JsonObject(out.toString());
        assertThat(out.toString().lines()).hasSize(1);
        assertThat(line.getJsonObject("state").getString("level")).isEqualTo("ok");
        assertThat(line.getJsonArray("top_denied")).hasSize(3);
        assertThat(line.containsKey("series")).isFalse();
    }

    @Test
    void aWrongDelayIsExplained() {
        StringWriter err = new StringWriter();
        int code = new CommandLine(new TopCommand())
                .setErr(new PrintWriter(err, true))
                .execute("--delay", "1ms", "--admin", port.url());
        assertThat(code).isEqualTo(2);
        assertThat(err.toString()).contains("--delay: \"1ms\" (expected: a time of at least 100ms, such as 2s)");
    }
}
