package dev.weir.redis.internal.store;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** An ask that a test makes and waits for. It may be asked again once it was answered. */
public final class AwaitableAsk extends Ask {
    public static final Duration PATIENCE = Duration.ofSeconds(20);

    private volatile CompletableFuture<AwaitableAsk> answer = new CompletableFuture<>();
    public volatile long answeredNanos;

    /** A limit that does not run out of time while a test runs. */
    public static Meter limit(long requests) {
        return Meters.of(Limit.of(Algorithm.TOKEN_BUCKET, requests, Duration.ofDays(30)));
    }

    /** Adds a check on the counter {@code key}, with its subject being {@code key} too. */
    public AwaitableAsk on(String key, Meter meter, long hits) {
        check(key, key, meter, hits);
        return this;
    }

    public Check check(String subject, String key, Meter meter, long hits) {
        Check check = checks.add();
        fill(check, subject, key, meter, hits);
        return check;
    }

    static void fill(Check check, String subject, String key, Meter meter, long hits) {
        CounterKeyHash hash = new CounterKeyHash(7, 7).reset().add(key).end();
        check.key0 = hash.key0();
        check.key1 = hash.key1();
        check.meter = meter;
        check.hits = hits;
        check.countsDenied = false;
        check.role = Check.Role.ENFORCE;
        check.name.clear();
        for (byte each : key.getBytes(StandardCharsets.US_ASCII)) {
            check.name.append(each);
        }
        check.name.subject(new CounterKeyHash(7, 8).reset().add(subject).end().key0());
    }

    /** Asks, to be answered within {@code deadline}. */
    public CompletableFuture<AwaitableAsk> ask(SharedStore store, Duration deadline) {
        answer = new CompletableFuture<>();
        deadlineNanos = System.nanoTime() + deadline.toNanos();
        CompletableFuture<AwaitableAsk> mine = answer;
        store.decide(this);
        return mine;
    }

    /** Asks and waits. */
    public AwaitableAsk now(SharedStore store) {
        return now(store, PATIENCE.dividedBy(2));
    }

    public AwaitableAsk now(SharedStore store, Duration deadline) {
        var unused = ask(store, deadline);
        return await();
    }

    /** Waits for the answer to the last ask. */
    public AwaitableAsk await() {
        try {
            return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (Exception e) {
            throw new AssertionError("never answered", e);
        }
    }

    @Override
    public void answered() {
        answeredNanos = System.nanoTime();
        answer.complete(this);
    }

    public boolean allowed() {
        return failure() == null && checks.allowed();
    }

    /** Why the first check that failed did. */
    public @Nullable StoreFailure failure() {
        for (int i = 0; i < checks.size(); i++) {
            if (checks.get(i).failure != null) {
                return checks.get(i).failure;
            }
        }
        return null;
    }

    public long remaining(int check) {
        return checks.get(check).outcome.remaining;
    }

    /** Waits until {@code store} serves. */
    public static void awaitServing(RedisSharedStore store) {
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(store::serves);
    }
}
