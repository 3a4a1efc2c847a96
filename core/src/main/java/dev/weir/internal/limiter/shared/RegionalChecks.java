package dev.weir.internal.limiter.shared;

import dev.weir.internal.counter.CounterKey;
import dev.weir.internal.limiter.check.CheckWriter;
import dev.weir.internal.limiter.check.MeteredRules;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.model.Rule;
import dev.weir.internal.region.RegionStores;
import dev.weir.internal.region.RegionalCounts;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;

/** The checks of a request whose counters regions share. */
final class RegionalChecks {
    private final CounterKey key = new CounterKey();

    /** Lets each of them take no more than this region may use now. */
    void narrow(MeteredRules rules, Matches matches, Checks checks, RegionalCounts counts) {
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            Match match = matches.get(check.about);
            Rule rule = match.rule();
            RegionStores regions = rule == null || CheckWriter.isDenied(match) ? null : rules.regions(rule);
            if (regions != null && rule != null && check.store == regions.own()) {
                counts.narrow(check, key, regions, rule.reportIntervalMicros());
            }
        }
    }
}
