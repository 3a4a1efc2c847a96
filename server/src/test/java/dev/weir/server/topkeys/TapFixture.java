package dev.weir.server.topkeys;

import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.rules.internal.load.RuleLoader;
import java.util.Objects;

/** A limiter on virtual time with top keys that a test drains by hand. */
public final class TapFixture implements AutoCloseable {
    private static final long START_MILLIS = 1_790_000_040_000L;

    private final MemoryStore store = new MemoryStore(1 << 22);
    public final TopKeys keys;
    public final Limiter limiter;
    private long millis = START_MILLIS;
    private final Request request = Request.to("api");
    private final MutableDecision decision = new MutableDecision();

    public TapFixture(String rules, long seed) {
        this(rules, seed, 16L << 20);
    }

    public TapFixture(String rules, long seed, long budget) {
        keys = new TopKeys(budget, () -> millis, seed);
        RuleIndex index = RuleIndex.of(
                Objects.requireNonNull(RuleLoader.parse("rules.yaml", rules).rules()),
                OverrideLookup.NONE,
                RuleSwitches.NONE);
        keys.rules(index);
        limiter = new Limiter(
                index, store, SharedStores.none(), () -> millis * 1_000, LimiterSettings.defaults(), keys.tap());
    }

    public long millis() {
        return millis;
    }

    public void pass(long more) {
        millis += more;
        keys.drain();
    }

    /** Moves to the beginning of the next minute. */
    public void nextMinute() {
        pass(60_000 - Math.floorMod(millis, 60_000L));
    }

    public boolean ask(String name, String value) {
        return ask(name, value, 1);
    }

    boolean ask(String name, String value, int hits) {
        request.clear("api").with(name, value).asAttributes().hits(hits);
        limiter.decide(request, millis * 1_000, decision);
        return decision.allowed();
    }

    /** Tells the tap what it would be told of many callers of the rule that {@code like} met, without deciding again. */
    public void tell(MutableDecision like, String name, String value, long counter) {
        request.clear("api").with(name, value).asAttributes();
        like.verdict(0).counter(counter);
        keys.tap().decided(request, like);
    }

    /** The decision of a request, to be told again. */
    public MutableDecision decision(String name, String value) {
        MutableDecision made = new MutableDecision();
        request.clear("api").with(name, value).asAttributes();
        limiter.decide(request, millis * 1_000, made);
        return made;
    }

    void askBoth(String endpoint, String user) {
        request.clear("api").with("endpoint", endpoint).with("user_id", user).asAttributes();
        limiter.decide(request, millis * 1_000, decision);
    }

    @Override
    public void close() {
        store.close();
    }
}
