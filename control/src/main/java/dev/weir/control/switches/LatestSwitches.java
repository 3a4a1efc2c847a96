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

/** Every switch in memory, of each the newest that this node has heard of, also those that are released again. */
public final class LatestSwitches {
    private volatile SortedMap<String, SwitchChange> all = new TreeMap<>();

    /** Takes in what is newer than what it knows, and tells which that was. */
    public synchronized List<SwitchChange> take(Collection<SwitchChange> heard) {
        SortedMap<String, SwitchChange> next = new TreeMap<>(all);
        List<SwitchChange> news = new ArrayList<>();
        for (SwitchChange each : heard) {
            if (each.isAfter(next.get(each.name().id()))) {
                next.put(each.name().id(), each);
                news.add(each);
            }
        }
        all = next;
        return news;
    }

    /** What was done to it last; null if nothing ever was. */
    public @Nullable SwitchChange last(SwitchName name) {
        return all.get(name.id());
    }

    /** Everything that was done last, releases too. */
    public Collection<SwitchChange> last() {
        return all.values();
    }

    /** The switches that are not as they came, by their ids. */
    public List<SwitchChange> active() {
        return all.values().stream().filter(each -> each.setting() != null).toList();
    }

    /** As a rule set takes them. */
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
