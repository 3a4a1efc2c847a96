package dev.weir.benchmarks.redis;

import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.redis.internal.node.NodeHealth;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.RedisSharedStore;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Weir's store, asked as the limiter asks it: a key is written and hashed anew for every decision. */
final class RedisWeirSide implements RedisSide {
    /** So long that a busy machine fails no decision; a failure would spoil the run. */
    private static final Duration DEADLINE = Duration.ofSeconds(2);

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final RedisSharedStore store;
    private final Meter meter;
    private final Question[] questions;
    private final String[] keys;

    RedisWeirSide(RedisURI redis, RedisLimit limit, int callers, int keys) {
        store = RedisSharedStore.open(RedisSettings.of("redis://" + redis.getHost() + ":" + redis.getPort())
                .withDeadline(DEADLINE));
        awaitConnection(store);
        meter = Meters.of(limit.tokenBucket());
        questions = IntStream.range(0, callers).mapToObj(i -> new Question()).toArray(Question[]::new);
        // The store prepends "weir:{", a tag of eleven characters and "}:", which makes forty.
        this.keys = IntStream.range(0, keys)
                .mapToObj(i -> String.format(Locale.ROOT, "bench:users:%09d", i))
                .toArray(String[]::new);
    }

    /** Waits for the connection: the store connects in the background, and fails earlier asks. */
    private static void awaitConnection(RedisSharedStore store) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!store.health().stream().allMatch(NodeHealth::serves)) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("Redis does not serve: " + store.health());
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public String name() {
        return "Weir";
    }

    @Override
    public void ask(RedisCaller caller, int key) {
        store.decide(questions[caller.number()].about(caller, key));
    }

    @Override
    public void close() {
        store.close();
    }

    /** The ask of one caller. */
    private final class Question extends Ask {
        private final CounterKeyHash hash = new CounterKeyHash();
        private @Nullable RedisCaller caller;

        Question about(RedisCaller who, int key) {
            caller = who;
            home = who.home();
            deadlineNanos = who.began() + DEADLINE.toNanos();
            checks.clear();
            Check check = checks.add();
            check.meter = meter;
            check.hits = 1;
            check.failure = null;
            String text = keys[key];
            hash.reset().add(text).end();
            check.key0 = hash.key0();
            check.key1 = hash.key1();
            check.name.clear();
            check.name.subject(key * 0x9e3779b97f4a7c15L);
            for (int i = 0; i < text.length(); i++) {
                check.name.append((byte) text.charAt(i));
            }
            return this;
        }

        @Override
        public void answered() {
            RedisCaller who = caller;
            if (who == null) {
                throw new IllegalStateException("an answer without a question (expected: one answer per question)");
            }
            Check check = checks.get(0);
            if (check.failure != null) {
                who.failed();
            } else {
                who.answered(check.outcome.allowed);
            }
        }
    }
}
