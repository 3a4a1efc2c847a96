package dev.weir.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class LogTest {
    private static final Pattern GAP = Pattern.compile("(\\d+) log lines were dropped here: the output was blocked$");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final AtomicLong nanos = new AtomicLong();

    @Test
    void aLineForPeopleHasItsTimeItsLevelWhereItMattersAndNoLoggerName() {
        assertThat(logged(TextLogFormatter.forTerminal(false), Level.INFO, "listening"))
                .matches("\\d\\d:\\d\\d:\\d\\d\\.\\d{3}  listening\n");
        assertThat(logged(TextLogFormatter.forTerminal(false), Level.WARNING, "odd"))
                .endsWith("  warning  odd\n");
        assertThat(logged(TextLogFormatter.forTerminal(true), Level.SEVERE, "bad"))
                .contains("\u001b[31;1merror\u001b[0m  bad\n");
    }

    @Test
    void aLineInAFileHasItsDateAndZone() {
        String line = logged(TextLogFormatter.forFile(), Level.WARNING, "odd");
        assertThat(line)
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}(Z|[+-]\\d\\d:\\d\\d)  warning  odd\n");
        assertThat(OffsetDateTime.parse(line.substring(0, line.indexOf(' '))).toInstant())
                .isBetween(Instant.now().minusSeconds(60), Instant.now());
    }

    @Test
    void coloursAreForThoseWhoWantThem() {
        assertThat(Logs.wantsColours(Map.of("TERM", "xterm-256color", "NO_COLOR", "")))
                .isTrue();
        assertThat(Logs.wantsColours(Map.of("TERM", "xterm-256color", "NO_COLOR", "1")))
                .isFalse();
        assertThat(Logs.wantsColours(Map.of("TERM", "dumb"))).isFalse();
    }

    @Test
    void aValueCannotForgeALineOrPaintATerminal() {
        String line = logged(TextLogFormatter.forTerminal(false), Level.INFO, "key \u001b[31m\r12:00 forged\u202e");
        assertThat(line).endsWith("key ·[31m·12:00 forged·\n");
        assertThat(logged(new JsonLogFormatter(), Level.INFO, "a\"b\\c\r\nd\u0000\u202e"))
                .contains("\"message\":\"a\\\"b\\\\c\\u000d\\nd\\u0000\\u202e\"}\n");
    }

    @Test
    void norCanOneInWhatAnExceptionSays() {
        LogRecord record = record(Level.SEVERE, "failed");
        record.setThrown(new IllegalStateException("\u001b[31m\n12:00:00.000  forged"));
        assertThat(TextLogFormatter.forTerminal(false).format(record))
                .doesNotContain("\u001b", "\n12:00:00.000")
                .contains("IllegalStateException: ·[31m", "  forged\n", " at dev.weir.server.log.LogTest.")
                .endsWith("\n");
    }

    @Test
    void elsewhereItIsOneJsonObjectALine() {
        assertThat(logged(new JsonLogFormatter(), Level.WARNING, "odd"))
                .matches(
                        "\\{\"time\":\"[-0-9T:.]+Z\",\"level\":\"warning\",\"logger\":\"dev.weir\",\"message\":\"odd\"}\n");
    }

    @Test
    void aMessageThatRepeatsIsHeldBackAndThenCounted() {
        LogHandler handler = handler(TextLogFormatter.forTerminal(false));
        for (int i = 0; i < 1_000; i++) {
            String bytes = Long.toHexString(0x9E3779B97F4A7C15L * (i + 1));
            handler.publish(record(Level.WARNING, "peer " + i + " sent nonsense: " + bytes));
        }
        handler.publish(record(Level.WARNING, "something else"));
        handler.flush();
        assertThat(lines()).hasSize(6).last(STRING).endsWith("something else");

        nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
        handler.publish(record(Level.WARNING, "peer 7 sent nonsense: c0ffee0badcafe"));
        handler.flush();
        assertThat(lines())
                .hasSize(7)
                .last()
                .asString()
                .endsWith("peer 7 sent nonsense: c0ffee0badcafe (995 similar messages suppressed)");
    }

    @Test
    void whatTheServerSaysOfItselfIsNeverHeldBack() {
        LogHandler handler = handler(TextLogFormatter.forTerminal(false));
        for (int i = 0; i < 100; i++) {
            handler.publish(record(Level.INFO, "reloaded"));
        }
        handler.flush();
        assertThat(lines()).hasSize(100);
    }

    @Test
    void whoSpeaksNeverWaitsForAPipeThatNobodyReadsAndWhatIsLostIsCounted() throws Exception {
        int said = 10_000;
        PipedInputStream pipe = new PipedInputStream();
        LogHandler handler = new LogHandler(
                new PipedOutputStream(pipe), TextLogFormatter.forTerminal(false), new LogThrottle(nanos::get));
        assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
            for (int i = 0; i < said; i++) {
                handler.publish(record(Level.INFO, "line " + i));
            }
            handler.flush(); // gives up
        });
        BufferedReader reader = new BufferedReader(new InputStreamReader(pipe, StandardCharsets.UTF_8));
        int told = 0;
        int lost = 0;
        while (told < said) {
            String line = reader.readLine();
            Matcher gap = GAP.matcher(line);
            if (gap.find()) {
                lost += Integer.parseInt(gap.group(1));
                told += Integer.parseInt(gap.group(1));
            } else {
                assertThat(line).endsWith("  line " + told++);
            }
        }
        assertThat(lost).as("all but what waits, and what a pipe holds").isBetween(said - 1_200, said - 1_024);
        handler.publish(record(Level.INFO, "and on"));
        assertThat(reader.readLine()).endsWith("and on");
    }

    private String logged(Formatter formatter, Level level, String message) {
        out.reset();
        LogHandler handler = handler(formatter);
        handler.publish(record(level, message));
        handler.flush();
        return out.toString(StandardCharsets.UTF_8);
    }

    private LogHandler handler(Formatter formatter) {
        return new LogHandler(out, formatter, new LogThrottle(nanos::get));
    }

    private static LogRecord record(Level level, String message) {
        LogRecord record = new LogRecord(level, message);
        record.setLoggerName("dev.weir");
        return record;
    }

    private List<String> lines() {
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
