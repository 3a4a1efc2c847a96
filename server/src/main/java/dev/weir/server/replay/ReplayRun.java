package dev.weir.server.replay;

import dev.weir.control.decisions.IdentityHash;
import dev.weir.control.decisions.RequestCaller;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.RequestTooCostlyException;
import dev.weir.server.replay.input.TrafficInput;
import dev.weir.server.replay.input.TrafficLine;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One replay: every recorded request is decided by the rules, and before that by the rules to compare with, if there are
 * any. Otherwise it is compared with what was recorded.
 */
public final class ReplayRun {
    private static final Set<String> PLAIN = Set.copyOf(IdentityHash.PLAIN);

    private final TrafficInput input;
    private final RuleSetRun now;
    private final @Nullable RuleSetRun before;
    private final @Nullable LimitSearch search;
    private final IdentityHash hash;
    private final Map<String, Set<String>> counted = new HashMap<>();
    private final ReplayTotals totals = new ReplayTotals();
    private final CallerTable callers = new CallerTable();
    private final DenialSeries series = new DenialSeries();
    private final Set<String> plainSeen = new HashSet<>();
    private final Set<String> hashedSeen = new HashSet<>();
    private final Map<String, Long> unknownDomains = new TreeMap<>();

    /**
     * Creates a replay.
     *
     * @param before the rules to compare with; null compares with what was recorded
     * @param search records what the rules count, to suggest limits; null does not
     * @param hash the hash of identities in the traffic
     */
    public ReplayRun(
            TrafficInput input,
            RuleSetRun now,
            @Nullable RuleSetRun before,
            @Nullable LimitSearch search,
            IdentityHash hash) {
        this.input = input;
        this.now = now;
        this.before = before;
        this.search = search;
        this.hash = hash;
    }

    /**
     * Decides all traffic.
     *
     * @throws ReplayException if the rules cannot be replayed on it
     */
    public ReplayResult run() throws IOException, ReplayException {
        return run(() -> true);
    }

    /**
     * Decides traffic as long as {@code goesOn}, which is asked before each request.
     *
     * @throws ReplayException if the rules cannot be replayed on it
     */
    ReplayResult run(BooleanSupplier goesOn) throws IOException, ReplayException {
        TrafficLine line;
        while ((line = input.next()) != null) {
            if (!goesOn.getAsBoolean()) {
                totals.stopped = true;
                break;
            }
            play(line);
        }
        boolean usesHash = now.usesHash() || (before != null && before.usesHash());
        if (usesHash && !input.isHashedBy(hash)) {
            throw new ReplayException("the traffic was recorded with another decisions_secret, so rules that match a"
                    + " hashed value would match nothing (expected: --config with it, or WEIR_DECISIONS_SECRET)");
        }
        boolean prefixes = !hashedSeen.isEmpty()
                && (now.countsOtherPrefixes() || (before != null && before.countsOtherPrefixes()));
        return new ReplayResult(now, before, totals, callers, series, unknownDomains, ReplayCaveats.of(this, prefixes));
    }

    TrafficInput input() {
        return input;
    }

    RuleSetRun now() {
        return now;
    }

    @Nullable
    RuleSetRun before() {
        return before;
    }

    ReplayTotals totals() {
        return totals;
    }

    private void play(TrafficLine line) throws ReplayException {
        int weight = line.sample();
        requireOneForm(line);
        totals.add(line);
        if (line.isBanned()) {
            return;
        }
        if (!now.hasDomain(line.request().domain())) {
            unknownDomains.merge(line.request().domain(), (long) weight, Long::sum);
        }
        try {
            decide(line, weight);
        } catch (RequestTooCostlyException e) {
            totals.tooCostly++;
        }
    }

    private void decide(TrafficLine line, int weight) throws ReplayException {
        Rule deniedBefore = null;
        Boolean recorded = line.passed();
        boolean wasDenied = recorded != null && !recorded;
        if (before != null) {
            wasDenied = !before.decide(line).allowed();
            deniedBefore = before.denyingRule();
        }
        MutableDecision decision = now.decide(line);
        boolean isDenied = !decision.allowed();
        if (search != null) {
            search.add(line.request(), decision, line.micros());
        }
        totals.decided(line, wasDenied, isDenied);
        series.add(line.micros(), weight, wasDenied, isDenied);
        int caller = caller(line);
        if (caller >= 0) {
            CallerTable.Stats stats = callers.of(line.request(), caller);
            if (stats != null) {
                stats.requests += weight;
                stats.before += wasDenied ? weight : 0;
                stats.now += isDenied ? weight : 0;
                if (wasDenied != isDenied) {
                    changed(stats, line, caller, isDenied ? now.denyingRule() : deniedBefore);
                }
            }
        }
    }

    private static void changed(CallerTable.Stats stats, TrafficLine line, int caller, @Nullable Rule by) {
        if (stats.caller == null) {
            stats.caller = CallerTable.text(line.request(), caller);
            stats.firstChange = line.micros();
        }
        stats.lastChange = line.micros();
        stats.rule = by == null ? stats.rule : by.label();
    }

    private int caller(TrafficLine line) {
        String domain = line.request().domain();
        Set<String> names = counted.get(domain);
        if (names == null) {
            names = new HashSet<>(now.countedBy(domain));
            if (before != null) {
                names.addAll(before.countedBy(domain));
            }
            counted.put(domain, names);
        }
        return RequestCaller.find(line.request(), names, PLAIN);
    }

    /** An attribute that is hashed in some lines and plain in others would be two callers. */
    private void requireOneForm(TrafficLine line) throws ReplayException {
        int descriptors = line.request().descriptors();
        boolean isNew = false;
        for (int i = 0, end = descriptors == 0 ? 0 : line.request().end(descriptors - 1); i < end; i++) {
            String name = line.request().key(i);
            isNew |= line.hashed().contains(name) ? hashedSeen.add(name) : plainSeen.add(name);
        }
        if (isNew) {
            for (String each : hashedSeen) {
                if (plainSeen.contains(each)) {
                    throw new ReplayException(input.place() + ": " + each + " is "
                            + (line.hashed().contains(each) ? "hashed here and plain" : "plain here and hashed")
                            + " in lines before (expected: one form; replay the files one by one)");
                }
            }
        }
    }
}
