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

/**
 * The newest known change of every switch, in memory, releases included. Unverified changes lie over the others as long
 * as they are set; they never replace one.
 */
public final class LatestSwitches {
    private volatile SortedMap<String, SwitchChange> all = new TreeMap<>();
    /** The switches in force: {@link #all}, and the unverified changes that are newer. */
    private volatile SortedMap<String, SwitchChange> combined = all;

    private Map<String, SwitchChange> unverified = Map.of();

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
        combine();
        return newer;
    }

    /**
     * Replaces the unverified changes by those of {@code changes} that are newer than the verified ones. Returns those
     * that were not set before; null if nothing changed.
     */
    synchronized @Nullable List<SwitchChange> unverified(Collection<SwitchChange> changes) {
        Map<String, SwitchChange> next = new HashMap<>();
        for (SwitchChange each : changes) {
            if (each.isNewerThan(all.get(each.name().id()))) {
                next.put(each.name().id(), each);
            }
        }
        if (next.equals(unverified)) {
            return null;
        }
        List<SwitchChange> added = next.values().stream()
                .filter(each -> !each.equals(unverified.get(each.name().id())))
                .toList();
        unverified = next;
        combine();
        return added;
    }

    private void combine() {
        SortedMap<String, SwitchChange> both = new TreeMap<>(all);
        unverified.forEach((id, each) -> {
            if (each.isNewerThan(all.get(id))) {
                both.put(id, each);
            }
        });
        combined = both;
    }

    /** Returns the change of a switch that is in force; null if there was none. */
    public @Nullable SwitchChange last(SwitchName name) {
        return combined.get(name.id());
    }

    /** Returns the last verified change of a switch; null if there was none. */
    public @Nullable SwitchChange lastVerified(SwitchName name) {
        return all.get(name.id());
    }

    /** Returns the last verified change of every switch, releases included. */
    public Collection<SwitchChange> last() {
        return all.values();
    }

    /** Returns the switches that are set, ordered by id. */
    public List<SwitchChange> active() {
        return combined.values().stream().filter(each -> each.setting() != null).toList();
    }

    /** Returns the switches in the form that a rule set uses. */
    public RuleSwitches inForce() {
        SwitchState everything = SwitchState.ON;
        Map<Name, Setting> rules = new HashMap<>();
        for (SwitchChange each : combined.values()) {
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
