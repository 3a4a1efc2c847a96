package dev.weir.server.replay.input;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Times as logs write them, compared with {@code java.time}. */
class MomentsTest {
    private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss xx", Locale.ROOT);

    @Test
    void everyFormIsTheSameMoment() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 10_000; i++) {
            long micros = random.nextLong(4_000_000_000_000_000L);
            Instant moment = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
            ZoneOffset offset = ZoneOffset.ofTotalSeconds(900 * random.nextInt(-48, 48));
            assertThat(Moments.any(moment.toString())).as("%s", moment).isEqualTo(micros);
            String iso = moment.atOffset(offset).toString();
            if (moment.atOffset(offset).getSecond() > 0) { // java.time leaves seconds of 0 out
                assertThat(Moments.any(iso)).as(iso).isEqualTo(micros);
            }
            String local = LOCAL.format(moment.atOffset(offset));
            assertThat(Moments.any(local)).as(local).isEqualTo(micros - micros % 1_000_000);
            String seconds = String.format(Locale.ROOT, "%d.%06d", micros / 1_000_000, micros % 1_000_000);
            assertThat(Moments.any(seconds)).as(seconds).isEqualTo(micros);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "x",
                ".5",
                "2026-11-16",
                "2026-13-16T05:30:00Z",
                "2026-11-16T25:30:00Z",
                "2026-11-16T05:30:00",
                "2026-11-16T05:30:00+1",
                "16/Nov/2026:05:30:00",
                "16/Nvo/2026:05:30:00 +0000",
                "123456789012.5",
                "1.5x"
            })
    void anythingElseIsNoTime(String text) {
        assertThat(Moments.any(text)).isEqualTo(Moments.NONE);
    }
}
