package dev.weir.control;

import dev.weir.control.audit.Author;
import dev.weir.control.switches.Switch;
import dev.weir.control.switches.SwitchName;
import dev.weir.match.RuleSwitches.Setting;
import org.jspecify.annotations.Nullable;

/**
 * What somebody wants switched.
 *
 * @param setting null releases the switch
 * @param dryRun whether it is only tried
 */
record SwitchWish(
        Author author, SwitchName name, @Nullable Setting setting, Precondition precondition, boolean dryRun) {

    /** For a switch that nobody has set: there must be something to set it to. */
    void requireSomething() {
        if (setting == null) {
            throw new RefusedException(RefusedException.Cause.MISSING, name.id() + " is not switched");
        }
    }

    /** The switch as it is wanted, later than {@code last} whatever the clock says. */
    Switch after(@Nullable Switch last, Switch.Via via) {
        long now = System.currentTimeMillis();
        return new Switch(name, setting, last == null ? now : Math.max(now, last.stamp() + 1), author, via);
    }
}
