package dev.weir.control.switches;

import dev.weir.internal.model.SwitchState;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.RuleSwitches.Name;
import dev.weir.internal.ruleset.RuleSwitches.Setting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The newest known change of every switch, in memory, releases included. */
public final class LatestSwitches {
    private volatile SortedMap<String, SwitchChange> all = new TreeMap<>();

    /** Adds the changes that are newer than the known ones, and returns those. */
    public synchronized List<SwitchChange> merge(Collection<SwitchChange> changes) {
        SortedMap<String, SwitchChange> next = new TreeMap<>(all);
        List<SwitchChange> newer = new ArrayList<>();
        for (SwitchChange each : changes) {
            if (each.isAfter(next.get(each.name().id()))) {
                next.put(each.name().id(), each);
                newer.add(each);
            }
        }
        all = next;
        return newer;
    }

    /** Returns the last change of a switch; null if there was none. */
    public @Nullable SwitchChange last(SwitchName name) {
        return all.get(name.id());
    }

    /** Returns the last change of every switch, releases included. */
    public Collection<SwitchChange> last() {
        return all.values();
    }

    /** Returns the switches that are set, ordered by id. */
    public List<SwitchChange> active() {
        return all.values().stream().filter(each -> each.setting() != null).toList();
    }

    /** Returns the switches in the form that a rule set uses. */
    public RuleSwitches inForce() {
        SwitchState everything = SwitchState.ON;
        Map<Name, Setting> rules = new HashMap<>();
        for (SwitchChange each : all.values()) {
            Setting setting = each.setting();
            if (setting != null && each.name().isEverything()) {
                everything = setting.state();
            } else if (setting != null) {
                rules.put(new Name(each.name().domain(), each.name().rule()), setting);
            }
        }
        return new RuleSwitches(everything, rules);
    }
}
