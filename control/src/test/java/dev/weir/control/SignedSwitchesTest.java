package dev.weir.control;

import static dev.weir.control.SwitchContract.ADA;
import static dev.weir.control.SwitchContract.ANY;
import static dev.weir.control.SwitchContract.OFF;
import static dev.weir.control.SwitchContract.ORDERS;
import static dev.weir.control.SwitchContract.SHADOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.control.switches.SwitchChange;
import dev.weir.control.switches.SwitchChange.Via;
import dev.weir.control.switches.SwitchName;
import dev.weir.internal.ruleset.RuleSwitches.Setting;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.RejectedNotes.Reason;
import dev.weir.rules.internal.load.LoadOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers without a shared database that tell each other of switches, and somebody else who writes there too. */
class SignedSwitchesTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final FleetSecret SECRET = new FleetSecret(List.of("0123456789abcdef0123456789abcdef"));
    private static final FleetSecret OTHER = new FleetSecret(List.of("fedcba9876543210fedcba9876543210"));

    private final InMemoryNoteRelay relay = new InMemoryNoteRelay();

    @TempDir
    private Path a;

    @TempDir
    private Path b;

    private ControlPlane here;
    private ControlPlane there;

    @BeforeEach
    void open() throws IOException {
        here = ControlPlane.open(new ControlSettings(a, null), LoadOptions.DEFAULT);
        there = ControlPlane.open(new ControlSettings(b, null), LoadOptions.DEFAULT);
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    @Test
    void withTheSecretASwitchHoldsEverywhereWithItsAuthor() {
        follow(SECRET, SECRET);
        SwitchChange done = change(here, ORDERS, OFF);
        assertThat(here.switches().caveat(done)).isNull();
        Awaitility.await().atMost(SOON).until(() -> "off".equals(state(there, ORDERS)));
        assertThat(Objects.requireNonNull(there.switches().get(ORDERS)).author())
                .isEqualTo(ADA);
        Awaitility.await().atMost(SOON).until(() -> there.audit(0, 10).size() == 1);
    }

    @Test
    void withoutASecretItHoldsOnOneServerAndTheAnswerSaysSo() {
        follow(null, null);
        SwitchChange done = change(here, ORDERS, OFF);
        assertThat(here.switches().caveat(done)).contains("this server only", "fleet_secret");
        Awaitility.await().atMost(SOON).until(() -> count(there, Reason.UNVERIFIED) == 1);
        assertThat(state(there, ORDERS)).isNull();
        assertThat(there.audit(0, 10)).isEmpty();
    }

    @Test
    void unsignedAlteredAndMovedNotesAreIgnoredCountedAndReplaced() {
        follow(SECRET, SECRET);
        change(here, ORDERS, SHADOW);
        Awaitility.await().atMost(SOON).until(() -> "shadow".equals(state(there, ORDERS)));
        String signed = relay.texts().get("api/orders");
        long later = System.currentTimeMillis() + 60_000;
        relay.scribble("all", new SwitchChange(SwitchName.EVERYTHING, OFF, later, ADA, Via.REDIS).text());
        relay.scribble("api/other", Objects.requireNonNull(signed));
        relay.scribble("api/orders", signed.replace("shadow", "off"));
        Awaitility.await()
                .atMost(SOON)
                .until(() -> count(here, Reason.FORGED) + count(there, Reason.FORGED) >= 2
                        && count(there, Reason.UNSIGNED) == 1);
        assertThat(there.switches().active()).hasSize(1);
        assertThat(state(there, ORDERS)).isEqualTo("shadow");
        Awaitility.await()
                .atMost(SOON)
                .until(() -> FleetSecret.read(
                                        SECRET,
                                        "switch",
                                        "api/orders",
                                        String.valueOf(relay.texts().get("api/orders")))
                                .trust()
                        == FleetSecret.Trust.VERIFIED);
        change(here, SwitchName.EVERYTHING, SHADOW);
        Awaitility.await().atMost(SOON).until(() -> "shadow".equals(state(there, SwitchName.EVERYTHING)));
    }

    @Test
    void anOldSwitchThatIsReplayedDoesNotHoldAgain() {
        follow(SECRET, SECRET);
        change(here, ORDERS, OFF);
        Awaitility.await().atMost(SOON).until(() -> "off".equals(state(there, ORDERS)));
        String old = Objects.requireNonNull(relay.texts().get("api/orders"));
        change(here, ORDERS, null);
        Awaitility.await().atMost(SOON).until(() -> state(there, ORDERS) == null);
        relay.scribble("api/orders", old);
        change(here, SwitchName.EVERYTHING, SHADOW);
        Awaitility.await().atMost(SOON).until(() -> "shadow".equals(state(there, SwitchName.EVERYTHING)));
        assertThat(state(there, ORDERS)).isNull();
        assertThat(state(here, ORDERS)).isNull();
    }

    @Test
    void aServerWithAnotherSecretDoesNotFollowAndCounts() {
        follow(SECRET, OTHER);
        change(here, ORDERS, OFF);
        Awaitility.await().atMost(SOON).until(() -> count(there, Reason.OTHER_SECRET) >= 1);
        assertThat(state(there, ORDERS)).isNull();
    }

    private void follow(@Nullable FleetSecret first, @Nullable FleetSecret second) {
        here.switches().follow(relay, first);
        there.switches().follow(relay, second);
    }

    private static SwitchChange change(ControlPlane plane, SwitchName name, @Nullable Setting setting) {
        return Objects.requireNonNull(
                plane.switches().change(ADA, name, setting, ANY, false, false).done());
    }

    private static @Nullable String state(ControlPlane plane, SwitchName name) {
        SwitchChange found = plane.switches().get(name);
        return found == null ? null : found.state();
    }

    private static long count(ControlPlane plane, Reason reason) {
        return plane.switches().rejectedNotes().of(reason);
    }
}
