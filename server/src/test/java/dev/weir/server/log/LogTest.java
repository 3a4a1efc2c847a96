package dev.weir.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class LogTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final AtomicLong nanos = new AtomicLong();

    @Test
    void aLineForPeopleHasItsTimeItsLevelWhereItMattersAndNoLoggerName() {
        assertThat(logged(new TextFormat(false), Level.INFO, "listening"))
                .matches("\\d\\d:\\d\\d:\\d\\d\\.\\d{3}  listening\n");
        assertThat(logged(new TextFormat(false), Level.WARNING, "odd")).endsWith("  warning  odd\n");
        assertThat(logged(new TextFormat(true), Level.SEVERE, "bad")).contains("\u001b[31;1merror\u001b[0m  bad\n");
    }

    @Test
    void aValueCannotForgeALineOrPaintATerminal() {
        String line = logged(new TextFormat(false), Level.INFO, "key \u001b[31m\r12:00 forged\u202e");
        assertThat(line).endsWith("key ·[31m·12:00 forged·\n");
        assertThat(logged(new JsonFormat(), Level.INFO, "a\"b\\c\r\nd\u0000\u202e"))
                .contains("\"message\":\"a\\\"b\\\\c\\u000d\\nd\\u0000\\u202e\"}\n");
    }

    @Test
    void elsewhereItIsOneJsonObjectALine() {
        assertThat(logged(new JsonFormat(), Level.WARNING, "odd"))
                .matches(
                        "\\{\"time\":\"[-0-9T:.]+Z\",\"level\":\"warning\",\"logger\":\"dev.weir\",\"message\":\"odd\"}\n");
    }

    @Test
    void aMessageThatRepeatsIsHeldBackAndThenCounted() {
        LineHandler handler = handler(new TextFormat(false));
        for (int i = 0; i < 1_000; i++) {
            handler.publish(record(Level.WARNING, "peer " + i + " sent nonsense"));
        }
        handler.publish(record(Level.WARNING, "something else"));
        assertThat(lines()).hasSize(6).last(STRING).endsWith("something else");

        nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
        handler.publish(record(Level.WARNING, "peer 7 sent nonsense"));
        assertThat(lines())
                .hasSize(7)
                .last()
                .asString()
                .endsWith("peer 7 sent nonsense (995 more like this were not shown)");
    }

    @Test
    void whatTheServerSaysOfItselfIsNeverHeldBack() {
        LineHandler handler = handler(new TextFormat(false));
        for (int i = 0; i < 100; i++) {
            handler.publish(record(Level.INFO, "reloaded"));
        }
        assertThat(lines()).hasSize(100);
    }

    private String logged(Formatter formatter, Level level, String message) {
        out.reset();
        handler(formatter).publish(record(level, message));
        return out.toString(StandardCharsets.UTF_8);
    }

    private LineHandler handler(Formatter formatter) {
        return new LineHandler(out, formatter, new FloodGate(nanos::get));
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
