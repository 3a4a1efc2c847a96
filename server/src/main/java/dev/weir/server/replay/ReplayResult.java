package dev.weir.server.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The result of a replay: how many are denied before and now, by which rules, which callers change, and when. */
public final class ReplayResult {
    private final RuleSetRun now;
    private final @Nullable RuleSetRun before;
    private final ReplayTotals totals;
    private final CallerTable callers;
    private final DenialSeries series;
    private final Map<String, Long> unknownDomains;
    private final List<String> caveats;

    ReplayResult(
            RuleSetRun now,
            @Nullable RuleSetRun before,
            ReplayTotals totals,
            CallerTable callers,
            DenialSeries series,
            Map<String, Long> unknownDomains,
            List<String> caveats) {
        this.now = now;
        this.before = before;
        this.totals = totals;
        this.callers = callers;
        this.series = series;
        this.unknownDomains = new TreeMap<>(unknownDomains);
        this.caveats = List.copyOf(caveats);
    }

    /**
     * A caller whose denials change.
     *
     * @param rule the rule that made the last difference; null if it is not known
     * @param firstMicros when a decision first differed
     */
    public record ChangedCaller(
            String caller,
            @Nullable String rule,
            long requests,
            long before,
            long now,
            long firstMicros,
            long lastMicros) {}

    /** Whether there is something to compare with: other rules, or recorded decisions. */
    public boolean hasBefore() {
        return before != null || totals.recorded > 0;
    }

    /** The name of what is compared with. */
    public String beforeName() {
        return before == null ? "recorded" : before.name();
    }

    public RuleSetRun now() {
        return now;
    }

    /** The rules compared with; null if there are none. */
    public @Nullable RuleSetRun before() {
        return before;
    }

    public ReplayTotals totals() {
        return totals;
    }

    public DenialSeries series() {
        return series;
    }

    /** How many callers there are; an estimate if there are very many. */
    public long callers() {
        return callers.count() * totals.sample;
    }

    public long callersDeniedBefore() {
        return callers.deniedBefore() * totals.sample;
    }

    public long callersDenied() {
        return callers.deniedNow() * totals.sample;
    }

    /** How many callers have a decision that changes. */
    public long callersChanged() {
        return callers.changedCount() * totals.sample;
    }

    /** The callers for which most changes, at most {@code most}. */
    public List<ChangedCaller> changed(int most) {
        List<ChangedCaller> found = new ArrayList<>();
        for (CallerTable.Stats each : callers.changed(most)) {
            found.add(new ChangedCaller(
                    String.valueOf(each.caller),
                    each.rule,
                    each.requests,
                    each.before,
                    each.now,
                    each.firstChange,
                    each.lastChange));
        }
        return found;
    }

    /** The domains of requests that the rules do not have, with the number of their requests. */
    public Map<String, Long> unknownDomains() {
        return Map.copyOf(unknownDomains);
    }

    /** The reasons why the numbers need not be those of the server. */
    public List<String> caveats() {
        return caveats;
    }

    /** Whether nothing was lost or left out: the decisions are those that one server would have made. */
    public boolean isExact() {
        return caveats.isEmpty();
    }
}
