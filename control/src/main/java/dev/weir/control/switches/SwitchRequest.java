package dev.weir.control.switches;

import dev.weir.control.audit.Author;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.change.Precondition;
import dev.weir.internal.ruleset.RuleSwitches.Setting;
import org.jspecify.annotations.Nullable;

/**
 * A requested switch change.
 *
 * @param setting null releases the switch
 * @param dryRun whether the change is only tried
 */
record SwitchRequest(
        Author author, SwitchName name, @Nullable Setting setting, Precondition precondition, boolean dryRun) {

    /** Refuses to release a switch that is not set. */
    void requireSetting() {
        if (setting == null) {
            throw new ChangeRefusedException(ChangeRefusedException.Cause.MISSING, name.id() + " is not switched");
        }
    }

    /** Returns the requested change, with a stamp later than that of {@code last} whatever the clock says. */
    SwitchChange after(@Nullable SwitchChange last, SwitchChange.Via via) {
        long now = System.currentTimeMillis();
        return new SwitchChange(name, setting, last == null ? now : Math.max(now, last.stamp() + 1), author, via);
    }
}
