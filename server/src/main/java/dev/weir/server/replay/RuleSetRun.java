package dev.weir.server.replay;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.control.decisions.IdentityHash;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.server.replay.input.TrafficLine;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One set of rules that decides recorded requests again, at their own times, with counters of its own.
 *
 * <h2>Sampled traffic</h2>
 *
 * <p>If one caller in N was recorded, with all of its requests, the counters of that caller count as they did. A counter
 * that callers share saw N times as much, so there a request takes N times its hits. Each way of sampling thus has a
 * limiter of its own, and all limiters share one store.
 */
public final class RuleSetRun {
    private static final int MOST_KEYS = 1 << 22;
    private static final long MOST_BLOCK_BYTES = 256 << 20;
    private static final TimeSource NO_CLOCK = () -> {
        throw new IllegalStateException("a replay has the times of its lines");
    };

    private final String name;
    private final WrittenRules written;
    private final IdentityHash hash;
    private final LimiterSettings settings;
    private final MemoryStore store;
    private final Set<String> hashed = new HashSet<>();
    private final Map<String, Limiter> limiters = new HashMap<>();
    private final Map<String, RuleTally> tallies = new HashMap<>();
    private final MutableDecision decision = new MutableDecision();
    private RuleTally[] byOrdinal = {};
    private WrittenRules played;
    private boolean usesHash;
    private int lastSample;
    private @Nullable String lastSampledBy;
    private @Nullable Limiter last;

    /** The counts of one rule in a replay. */
    public static final class RuleTally {
        private final Rule rule;
        long met;
        long denied;
        long shadowed;

        RuleTally(Rule rule) {
            this.rule = rule;
        }

        public Rule rule() {
            return rule;
        }

        /** The requests that met it. */
        public long met() {
            return met;
        }

        /** The requests that it denied. */
        public long denied() {
            return denied;
        }

        /** The requests that it would have denied if it were not in shadow mode. */
        public long shadowed() {
            return shadowed;
        }
    }

    /**
     * Creates a run of {@code rules}.
     *
     * @param name the rules as people call them, such as the name of their file
     */
    public RuleSetRun(String name, WrittenRules rules, EndpointForm endpointForm, IdentityHash hash) {
        this(name, rules, endpointForm, hash, new MemoryStore(MOST_KEYS, MOST_BLOCK_BYTES));
    }

    /** Creates a run whose counters are in {@code store}. */
    RuleSetRun(String name, WrittenRules rules, EndpointForm endpointForm, IdentityHash hash, MemoryStore store) {
        this.store = store;
        this.name = name;
        this.written = rules;
        this.played = rules;
        this.hash = hash;
        this.settings = LimiterSettings.defaults().withEndpointForm(endpointForm);
    }

    public String name() {
        return name;
    }

    /** The rules as written. */
    public WrittenRules rules() {
        return written;
    }

    /** Whether some rule matches a value that is hashed in the traffic. */
    boolean usesHash() {
        return usesHash;
    }

    /** The attributes that rules of {@code domain} count by. */
    Set<String> countedBy(String domain) {
        return limiter(1, null).index().countedBy(domain);
    }

    boolean hasDomain(String domain) {
        return limiter(1, null).index().hasDomain(domain);
    }

    /**
     * Decides the request of {@code line}.
     *
     * @return the decision, until the next call
     * @throws ReplayException if a rule matches by a pattern what is hashed in the line
     */
    MutableDecision decide(TrafficLine line) throws ReplayException {
        if (!line.hashed().isEmpty() && !hashed.containsAll(line.hashed())) {
            hashed.addAll(line.hashed());
            HashedRules mapped = new HashedRules(hashed, hash);
            played = mapped.apply(written);
            usesHash = mapped.usesHash();
            limiters.clear(); // the counters stay
            last = null;
        }
        Request request = line.request();
        Limiter limiter = last;
        if (limiter == null || line.sample() != lastSample || !same(line.sampledBy(), lastSampledBy)) {
            limiter = limiter(line.sample(), line.sampledBy());
            lastSample = line.sample();
            lastSampledBy = line.sampledBy();
            last = limiter;
            byOrdinal = tallies(limiter);
        }
        limiter.decide(request.withoutPermits(), line.micros(), decision);
        count(line.sample());
        return decision;
    }

    private static boolean same(@Nullable String one, @Nullable String other) {
        return one == null ? other == null : one.equals(other);
    }

    private void count(int weight) {
        for (int i = 0, size = decision.size(); i < size; i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            if (rule != null && rule.ordinal() >= 0) {
                RuleTally tally = byOrdinal[rule.ordinal()];
                tally.met += weight;
                if (!verdict.allowed() && verdict.shadow()) {
                    tally.shadowed += weight;
                }
            }
        }
        Rule by = denyingRule();
        if (by != null && by.ordinal() >= 0) {
            byOrdinal[by.ordinal()].denied += weight;
        }
    }

    /** The rule that denied the last request; null if none did. */
    @Nullable
    Rule denyingRule() {
        MutableVerdict binding = decision.allowed() ? null : decision.binding();
        return binding == null ? null : binding.rule();
    }

    private Limiter limiter(int sample, @Nullable String sampledBy) {
        String way = sample + (sampledBy == null ? "" : " " + sampledBy);
        Limiter known = limiters.get(way);
        if (known == null) {
            // The descriptors below one that tells the sampled callers apart do so, too.
            Set<EnvoyDescriptor> below = Collections.newSetFromMap(new IdentityHashMap<>());
            WrittenRules weighted = played.map(
                    rule -> weighted(rule, sample, sampledBy),
                    descriptor -> weighted(descriptor, sample, sampledBy, below),
                    priority -> priority);
            known = new Limiter(weighted, store, NO_CLOCK, settings, new LimiterObserver() {});
            limiters.put(way, known);
        }
        return known;
    }

    private static WeirRule weighted(WeirRule rule, int sample, @Nullable String by) {
        boolean own = by != null && rule.keyBy().parts().stream().anyMatch(part -> part.contains(by));
        return new WeirRule(rule.rule().weighted(own ? 1 : sample), rule.match(), rule.keyBy(), rule.ignoresCase());
    }

    private static EnvoyDescriptor weighted(
            EnvoyDescriptor written, int sample, @Nullable String by, Set<EnvoyDescriptor> below) {
        Rule rule = written.rule();
        boolean own = below.contains(written) || (written.key().equals(by) && written.tellsApart());
        if (own) {
            below.addAll(written.children());
        }
        return rule == null
                ? written
                : new EnvoyDescriptor(
                        written.key(),
                        written.value(),
                        rule.weighted(own ? 1 : sample),
                        written.shareThreshold(),
                        written.children());
    }

    private RuleTally[] tallies(Limiter limiter) {
        List<Rule> rules = limiter.index().rules();
        RuleTally[] found = new RuleTally[rules.size()];
        for (int i = 0; i < found.length; i++) {
            Rule rule = rules.get(i);
            found[i] = tallies.computeIfAbsent(rule.domain() + "\n" + rule.id(), id -> new RuleTally(rule));
        }
        return found;
    }

    /** The counts of each rule, in the order of the files. */
    public List<RuleTally> tallies() {
        List<RuleTally> all = new ArrayList<>();
        for (Rule each : limiter(1, null).index().rules()) {
            all.add(tallies.getOrDefault(each.domain() + "\n" + each.id(), new RuleTally(each)));
        }
        return all;
    }

    /** Whether counters were forgotten or refused for lack of memory. */
    boolean ranOutOfMemory() {
        return store.evictions() > 0 || store.refusals() > 0;
    }

    /** Whether some rule counts addresses by another prefix of IPv6 than hashes do. */
    boolean countsOtherPrefixes() {
        return written.rules().stream()
                .map(written::weirRule)
                .anyMatch(each -> each != null && each.keyBy().ipv6Prefix() != KeyBy.DEFAULT_IPV6_PREFIX);
    }
}
