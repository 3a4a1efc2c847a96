package dev.weir.server;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Windows that do not end while a test runs, which would forget what it has sent. */
public final class SteadyCalendar {
    private SteadyCalendar() {}

    /** The days of a fixed window that neither began nor ends today or tomorrow: windows begin at multiples since 1970. */
    public static int daysOfAWindow() {
        long today = TimeUnit.MILLISECONDS.toDays(System.currentTimeMillis());
        return IntStream.range(60, 120)
                .filter(days -> today % days > 0 && today % days < days - 2)
                .findFirst()
                .orElseThrow();
    }

    /** Waits, if a day of UTC ends within {@code needed}, until the next one has begun. All longer windows end then too. */
    public static void awaitRoomBeforeMidnight(Duration needed) {
        long day = TimeUnit.DAYS.toMillis(1);
        await().atMost(needed.plusSeconds(10))
                .pollDelay(Duration.ZERO)
                .until(() -> day - System.currentTimeMillis() % day > needed.toMillis());
    }
}
