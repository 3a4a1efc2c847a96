package dev.weir.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.control.audit.AuditTable;
import dev.weir.control.audit.Author;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.change.Precondition;
import dev.weir.control.switches.SwitchChange;
import dev.weir.control.switches.SwitchName;
import dev.weir.control.switches.Switches;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.ruleset.RuleSwitches.Setting;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The contract of switches on every database. */
abstract class SwitchContract extends DatabaseContract {
    static final Author ADA = new Author("ada", "10.0.0.1", "two in the morning");
    static final SwitchName ORDERS = new SwitchName("api", "orders");
    static final Setting OFF = new Setting(SwitchState.OFF);
    static final Setting SHADOW = new Setting(SwitchState.SHADOW);

    @Test
    void aSwitchIsInForceWhenTheChangeReturnsAndAfterARestart() throws IOException {
        AtomicInteger told = new AtomicInteger();
        plane.switches().onChange(told::incrementAndGet);
        put(ORDERS, new Setting(SwitchState.ON, 2_500));
        put(SwitchName.EVERYTHING, SHADOW);
        assertThat(told).hasValue(2);
        for (int restarts = 0; restarts < 2; restarts++) {
            assertThat(plane.switches().inForce().everything()).isEqualTo(SwitchState.SHADOW);
            SwitchChange orders = Objects.requireNonNull(plane.switches().get(ORDERS));
            assertThat(orders.state()).isEqualTo("rollout 25");
            assertThat(orders.author()).isEqualTo(ADA);
            reopen();
        }
    }

    @Test
    void aSwitchIsReleasedOnce() {
        put(ORDERS, OFF);
        plane.switches().change(ADA, ORDERS, null, ANY, false, false);
        assertThat(plane.switches().get(ORDERS)).isNull();
        assertThat(plane.switches().active()).isEmpty();
        assertThatThrownBy(() -> plane.switches().change(ADA, ORDERS, null, ANY, false, false))
                .isInstanceOf(ChangeRefusedException.class)
                .hasMessage("api/orders is not switched");
    }

    @Test
    void aSwitchIsAuditedWithItsStateBeforeAndAfter() {
        put(ORDERS, OFF);
        put(ORDERS, SHADOW);
        plane.switches().change(ADA, ORDERS, null, ANY, false, false);
        List<AuditTable.Entry> lines = plane.audit(0, 10);
        assertThat(lines).extracting(AuditTable.Entry::kind).containsOnly("switch");
        assertThat(lines).extracting(AuditTable.Entry::subject).containsOnly("api/orders");
        String second = lines.get(1).line().text();
        assertThat(second)
                .contains("\"who\":\"ada\"", "\"from\":\"10.0.0.1\"", "\"reason\":\"two in the morning\"")
                .contains("\"change\":\"update\"", "\"state\":\"off\"", "\"state\":\"shadow\"");
        assertThat(lines.get(2).line().text()).contains("\"change\":\"delete\"", "\"after\":null");
        assertThat(plane.verifyAudit().problems()).isEmpty();
    }

    @Test
    void aSwitchThatSomebodyElseHasChangedIsNotChanged() {
        SwitchChange first = put(ORDERS, OFF);
        put(ORDERS, SHADOW);
        assertThatThrownBy(() -> plane.switches()
                        .change(ADA, ORDERS, null, new Precondition.Unchanged(first.stamp()), false, false))
                .isInstanceOfSatisfying(
                        ChangeRefusedException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(ChangeRefusedException.Cause.STALE));
        assertThat(Objects.requireNonNull(plane.switches().get(ORDERS)).setting())
                .isEqualTo(SHADOW);
        assertThatThrownBy(() -> plane.switches().change(ADA, ORDERS, OFF, new Precondition.Absent(), false, false))
                .isInstanceOf(ChangeRefusedException.class);
    }

    @Test
    void aDryRunTellsAndChangesNothing() {
        put(ORDERS, OFF);
        Switches.Switched would = plane.switches().change(ADA, ORDERS, SHADOW, ANY, true, false);
        assertThat(would.done()).isNull();
        assertThat(would.change().before()).contains("\"state\":\"off\"");
        assertThat(would.change().after()).contains("\"state\":\"shadow\"");
        assertThat(plane.audit(0, 10)).hasSize(1);
        assertThat(Objects.requireNonNull(plane.switches().get(ORDERS)).setting())
                .isEqualTo(OFF);
    }

    @Test
    void domainsAndRulesWithSlashesAreKeptApart() {
        put(new SwitchName("a/b", "c"), OFF);
        put(new SwitchName("a", "b/c"), SHADOW);
        put(new SwitchName("a%2Fb", "c"), new Setting(SwitchState.ON));
        put(new SwitchName("d".repeat(200), "\u00e4\ud83d\ude00\"'\\;--".repeat(20)), OFF);
        assertThat(plane.switches().active()).hasSize(4);
        assertThat(state(new SwitchName("a/b", "c"))).isEqualTo("off");
        assertThat(state(new SwitchName("a", "b/c"))).isEqualTo("shadow");
        assertThatThrownBy(() -> put(new SwitchName("%".repeat(201), "r"), OFF))
                .isInstanceOf(ChangeRefusedException.class)
                .hasMessageStartingWith("switch: ");
    }

    private @Nullable String state(SwitchName name) {
        SwitchChange found = plane.switches().get(name);
        return found == null ? null : found.state();
    }

    SwitchChange put(SwitchName name, Setting setting) {
        return Objects.requireNonNull(
                plane.switches().change(ADA, name, setting, ANY, false, false).done());
    }
}
