package dev.weir.control.switches;

import dev.weir.match.RuleSwitches;
import dev.weir.match.RuleSwitches.Name;
import dev.weir.match.RuleSwitches.Setting;
import dev.weir.model.SwitchState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Every switch in memory, of each the newest that this node has heard of, also those that are released again. */
public final class SwitchBook {
    private volatile SortedMap<String, Switch> all = new TreeMap<>();

    /** Takes in what is newer than what it knows, and tells which that was. */
    public synchronized List<Switch> take(Collection<Switch> heard) {
        SortedMap<String, Switch> next = new TreeMap<>(all);
        List<Switch> news = new ArrayList<>();
        for (Switch each : heard) {
            if (each.isAfter(next.get(each.name().id()))) {
                next.put(each.name().id(), each);
                news.add(each);
            }
        }
        all = next;
        return news;
    }

    /** What was done to it last; null if nothing ever was. */
    public @Nullable Switch last(SwitchName name) {
        return all.get(name.id());
    }

    /** Everything that was done last, releases too. */
    public Collection<Switch> last() {
        return all.values();
    }

    /** The switches that are not as they came, by their ids. */
    public List<Switch> active() {
        return all.values().stream().filter(each -> each.setting() != null).toList();
    }

    /** As a rule set takes them. */
    public RuleSwitches inForce() {
        SwitchState everything = SwitchState.ON;
        Map<Name, Setting> rules = new HashMap<>();
        for (Switch each : all.values()) {
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
