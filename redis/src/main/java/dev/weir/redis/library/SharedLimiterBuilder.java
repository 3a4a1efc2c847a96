package dev.weir.redis.library;

import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleSet;
import dev.weir.redis.RedisSettings;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** What a {@link SharedLimiter} needs besides its rules; all but a store has a default. */
public final class SharedLimiterBuilder {
    /** Nobody waits longer, and far beyond it nanoseconds overflow. */
    private static final Duration LONGEST = Duration.ofHours(1);

    final RuleSet rules;
    final Map<String, RedisSettings> stores = new LinkedHashMap<>();
    Duration deadline = RedisSettings.DEFAULT_DEADLINE;
    Duration warmUp = Duration.ofSeconds(10);
    int maxKeys = 1_000_000;
    LimiterObserver observer = new LimiterObserver() {};

    SharedLimiterBuilder(RuleSet rules) {
        this.rules = Objects.requireNonNull(rules, "rules");
    }

    /** The store of all rules that name no other, by its address. */
    public SharedLimiterBuilder store(String redis) {
        return store(Rule.DEFAULT_STORE, RedisSettings.of(redis));
    }

    /** The store of the rules that say {@code store: name}; {@code default} is that of all others. */
    public SharedLimiterBuilder store(String name, RedisSettings settings) {
        stores.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(settings, "settings"));
        return this;
    }

    /** How long a decision may wait for its store, where its rule says nothing else; 10 ms unless said. */
    public SharedLimiterBuilder deadline(Duration longest) {
        deadline = within("deadline", longest, Duration.of(1, ChronoUnit.MICROS));
        return this;
    }

    /**
     * How long opening may take until the way to Redis is warm: cold, the first answers take longer than a deadline. Ten seconds at
     * most unless said, two where Redis is away; with zero, opening does not wait for the connection either.
     */
    public SharedLimiterBuilder warmUp(Duration atMost) {
        warmUp = within("warmUp", atMost, Duration.ZERO);
        return this;
    }

    /**
     * How many counters this process holds at a time for rules with {@code consistency: local} or {@code on_fail: local}, before
     * the least used are forgotten; a million unless said.
     */
    public SharedLimiterBuilder maxKeys(int maxKeys) {
        if (maxKeys < 1) {
            throw new IllegalArgumentException("maxKeys: " + maxKeys + " (expected: >= 1)");
        }
        this.maxKeys = maxKeys;
        return this;
    }

    /** Who is told of every decision and every failure of a store; nobody unless said. */
    public SharedLimiterBuilder observer(LimiterObserver observer) {
        this.observer = Objects.requireNonNull(observer, "observer");
        return this;
    }

    /**
     * Opens the limiter. A Redis that is away is no reason to fail: it is connected to as soon as it is there.
     *
     * @throws IllegalArgumentException if a limit cannot be counted, or the store of a rule, be it the default one, is not among
     *     those given; but for rules with {@code consistency: local}, which need none
     */
    public SharedLimiter open() {
        if (stores.isEmpty()) {
            throw new IllegalArgumentException("store: none (expected: an address)");
        }
        return new SharedLimiter(this);
    }

    private static Duration within(String name, Duration given, Duration least) {
        if (given.compareTo(least) < 0 || given.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + ": " + given + " (expected: " + least + " to " + LONGEST + ")");
        }
        return given;
    }
}
