package dev.weir.control.switches;

import dev.weir.control.audit.Author;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.change.Precondition;
import dev.weir.internal.ruleset.RuleSwitches.Setting;
import org.jspecify.annotations.Nullable;

/**
 * What somebody wants switched.
 *
 * @param setting null releases the switch
 * @param dryRun whether it is only tried
 */
record SwitchRequest(
        Author author, SwitchName name, @Nullable Setting setting, Precondition precondition, boolean dryRun) {

    /** For a switch that nobody has set: there must be something to set it to. */
    void requireSomething() {
        if (setting == null) {
            throw new ChangeRefusedException(ChangeRefusedException.Cause.MISSING, name.id() + " is not switched");
        }
    }

    /** The switch as it is wanted, later than {@code last} whatever the clock says. */
    SwitchChange after(@Nullable SwitchChange last, SwitchChange.Via via) {
        long now = System.currentTimeMillis();
        return new SwitchChange(name, setting, last == null ? now : Math.max(now, last.stamp() + 1), author, via);
    }
}
