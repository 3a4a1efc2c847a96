package dev.weir.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.runtime.FleetSecret.Trust;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which notes are believed. */
class FleetSecretTest {
    private static final String OLD = "0123456789abcdef0123456789abcdef";
    private static final String NEW = "fedcba9876543210fedcba9876543210";
    private final FleetSecret secret = new FleetSecret(List.of(OLD));

    @Test
    void whatWasSignedIsReadAsItWas() {
        String content = "{\"who\": \"ada\", \"ä\": \"a  b \"} ";
        FleetSecret.Note note = FleetSecret.read(secret, "switch", "all", secret.sign("switch", "all", 7, content));
        assertThat(note).isEqualTo(new FleetSecret.Note(Trust.VERIFIED, 7, content));
    }

    @Test
    void aNoteThatWasAlteredOrMovedIsForged() {
        String text = secret.sign("switch", "all", 7, "off by ada");
        assertThat(trust("switch", "all", text.replace("off", "on "))).isEqualTo(Trust.FORGED);
        assertThat(trust("switch", "all", text.replace("ada", "bob"))).isEqualTo(Trust.FORGED);
        assertThat(trust("switch", "all", text.replace(" 7 ", " 8 "))).isEqualTo(Trust.FORGED);
        assertThat(trust("switch", "all", text.replace(" 7 ", " x "))).isEqualTo(Trust.FORGED);
        assertThat(trust("switch", "api/orders", text)).isEqualTo(Trust.FORGED);
        assertThat(trust("ban", "all", text)).isEqualTo(Trust.FORGED);
        assertThat(trust("switcha", "ll", text))
                .as("fields do not run together")
                .isEqualTo(Trust.FORGED);
        assertThat(trust("switch", "all", text.substring(0, text.length() - 1))).isEqualTo(Trust.FORGED);
    }

    @Test
    void aNoteWithoutASignatureIsUnsigned() {
        for (String each : List.of("", "w1", "w1 a b", "w2 a b 7 c", "{\"state\": \"off\"}", "\u0000")) {
            assertThat(FleetSecret.read(secret, "switch", "all", each))
                    .isEqualTo(new FleetSecret.Note(Trust.UNSIGNED, 0, each));
        }
    }

    @Test
    void withoutASecretNothingIsVerifiedAndSignedContentIsReadable() {
        FleetSecret.Note note = FleetSecret.read(null, "switch", "all", secret.sign("switch", "all", 7, "off"));
        assertThat(note).isEqualTo(new FleetSecret.Note(Trust.UNSIGNED, 7, "off"));
    }

    @Test
    void whileASecretIsReplacedTheFirstSignsAndBothVerify() {
        FleetSecret both = new FleetSecret(List.of(NEW, OLD));
        String byOld = secret.sign("switch", "all", 7, "off");
        String byBoth = both.sign("switch", "all", 8, "on");
        assertThat(FleetSecret.read(both, "switch", "all", byOld).trust()).isEqualTo(Trust.VERIFIED);
        assertThat(FleetSecret.read(new FleetSecret(List.of(NEW)), "switch", "all", byBoth)
                        .trust())
                .isEqualTo(Trust.VERIFIED);
        assertThat(trust("switch", "all", byBoth)).isEqualTo(Trust.OTHER_SECRET);
    }

    @Test
    void theSecretIsShownNowhere() {
        assertThat(secret.toString() + secret.keyId() + secret.sign("switch", "all", 7, "off"))
                .doesNotContain(OLD, OLD.substring(0, 8));
    }

    @Test
    void rejectedNotesAreCountedAndLoggedOnceAMinute() {
        long[] now = {0};
        RejectedNotes notes = new RejectedNotes("switches", () -> now[0]);
        notes.count(Trust.UNSIGNED, "all");
        notes.count(Trust.UNSIGNED, "all");
        notes.count(Trust.OTHER_SECRET, "all");
        assertThat(notes.of(RejectedNotes.Reason.UNSIGNED)).isEqualTo(2);
        assertThat(notes.of(RejectedNotes.Reason.OTHER_SECRET)).isEqualTo(1);
        assertThat(notes.of(RejectedNotes.Reason.FORGED)).isZero();
    }

    private Trust trust(String kind, String subject, String text) {
        return FleetSecret.read(secret, kind, subject, text).trust();
    }
}
