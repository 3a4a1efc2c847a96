package dev.weir.control.bans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.control.InMemoryNoteRelay;
import dev.weir.control.audit.Author;
import dev.weir.control.change.Precondition;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.runtime.FleetSecret;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BansTest {
    private static final Author ANN = new Author("ann", "", "abuse");
    private static final BanName CALLER = BanName.of("", "user_id", "u1", false);
    private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();

    private final FleetSecret secret = new FleetSecret(List.of("a secret of at least 32 characters"));
    private final InMemoryNoteRelay relay = new InMemoryNoteRelay();

    @Test
    void aNodeThatWasAwayDoesNotBringBackALongBanThatWasShortened(@TempDir Path folder) {
        try (Bans ann = new Bans(null, null)) {
            ann.follow(relay, secret);
            ban(ann, System.currentTimeMillis() + DAY_MILLIS);
            try (Bans away = new Bans(null, folder)) {
                away.follow(relay, secret);
                assertThat(away.get(CALLER)).isNotNull();
            }

            ban(ann, System.currentTimeMillis() + 50);
            await().until(() -> ann.get(CALLER) == null);
            await().untilAsserted(() -> assertThat(ann.sets().get(0).size()).isZero());

            try (Bans back = new Bans(null, folder)) {
                assertThat(back.get(CALLER)).isNotNull();
                back.follow(relay, secret);
                assertThat(back.get(CALLER)).isNull();
                assertThat(back.sets().get(0).size()).isZero();
            }
        }
    }

    @Test
    void aBanThatARuleMakesAtTheEndIsPassedOn() {
        Ban ban = new Ban(BanKind.BAN, "user_id", "u1", "", Ban.FOREVER, "denied often", "rule orders", true);
        try (Bans stopping = new Bans(null, null)) {
            stopping.follow(relay, secret);
            stopping.escalate(ban);
        }
        try (Bans other = new Bans(null, null)) {
            other.follow(relay, secret);
            assertThat(other.get(BanName.of(ban))).isNotNull();
        }
    }

    @Test
    void aShorterBanIsRememberedAsLongAsTheOneThatItReplaced() {
        long now = 1_000_000_000_000L;
        BanChange day = change(null, now, now + DAY_MILLIS);
        BanChange minute = change(day, now + 1, now + 60_000);
        BanChange second = change(minute, now + 2, now + 1_000);

        assertThat(second.holdsAt(now + 1_000)).isTrue();
        assertThat(second.holdsAt(now + 1_001)).isFalse();
        assertThat(second.forgottenMillis()).isEqualTo(day.endsMillis());
        assertThat(change(minute, now + 2, now + 2 * DAY_MILLIS).forgottenMillis())
                .isEqualTo(now + 2 * DAY_MILLIS + 1);
    }

    @Test
    void theEndOfABanForeverIsRememberedForAMonth() {
        long now = 1_000_000_000_000L;
        BanChange forever = BanChange.after(null, CALLER, BanKind.BAN, Ban.FOREVER, now, ANN);
        BanChange minute = change(forever, now + 1, now + 60_000);

        assertThat(minute.forgottenMillis()).isEqualTo(now + 1 + 30 * DAY_MILLIS);
    }

    @Test
    void whatAChangeReplacedIsReadAgain() throws Exception {
        BanChange shorter = change(change(null, 1_000, DAY_MILLIS), 2_000, 60_000);

        assertThat(BanJson.read(BanJson.text(shorter))).isEqualTo(shorter);
    }

    private static BanChange change(@Nullable BanChange last, long now, long until) {
        return BanChange.after(last, CALLER, BanKind.BAN, TimeUnit.MILLISECONDS.toMicros(until), now, ANN);
    }

    private static void ban(Bans bans, long until) {
        long micros = TimeUnit.MILLISECONDS.toMicros(until);
        bans.change(ANN, CALLER, BanKind.BAN, micros, new Precondition.None(), false);
    }
}
