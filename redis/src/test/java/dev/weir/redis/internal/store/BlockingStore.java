package dev.weir.redis.internal.store;

import dev.weir.internal.counter.CounterName;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.LocalStore;
import dev.weir.redis.internal.script.RedisKey;
import dev.weir.redis.internal.script.TestClockScript;
import dev.weir.redis.testkit.RespConnection;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;

/** A Redis store that waits for its answers, at a given time: for the contract of all stores. */
final class BlockingStore implements LocalStore {
    private final RedisSharedStore store;
    private final IntFunction<RespConnection> ofSlot;
    private final Map<Long, Long> clocks = new ConcurrentHashMap<>();

    BlockingStore(RedisSharedStore store, IntFunction<RespConnection> ofSlot) {
        this.store = store;
        this.ofSlot = ofSlot;
    }

    @Override
    public boolean decide(Checks checks, long nowMicros) {
        AwaitableAsk ask = new AwaitableAsk();
        ask.checks.quotaPassed = checks.quotaPassed;
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            Check copy = ask.checks.add();
            copy.key0 = check.key0;
            copy.key1 = check.key1;
            copy.meter = check.meter;
            copy.hits = check.hits;
            copy.window = check.window;
            copy.owed = check.owed;
            copy.countsDenied = check.countsDenied;
            copy.role = check.role;
            name(check, copy.name);
            tell(check.key0, nowMicros);
        }
        ask.now(store);
        if (ask.failure() != null) {
            throw new AssertionError("failed: " + ask.failure());
        }
        for (int i = 0; i < checks.size(); i++) {
            checks.get(i).outcome.set(ask.checks.get(i).outcome);
            checks.get(i).windowOver = ask.checks.get(i).windowOver;
        }
        return ask.checks.allowed();
    }

    @Override
    public boolean forget(Check check) {
        CounterName name = new CounterName();
        name(check, name);
        return store.reset(name).toCompletableFuture().join();
    }

    private static void name(Check check, CounterName into) {
        for (byte each : Long.toHexString(check.key1).getBytes(StandardCharsets.US_ASCII)) {
            into.append(each);
        }
        into.subject(check.key0);
    }

    private void tell(long subject, long nowMicros) {
        clocks.compute(subject, (key, told) -> {
            if (told == null || told != nowMicros) {
                RespConnection redis = ofSlot.apply(RedisKey.slot(subject));
                synchronized (redis) {
                    try {
                        redis.call("SET", TestClockScript.key(subject), Long.toString(nowMicros));
                    } catch (java.io.IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                }
            }
            return nowMicros;
        });
    }

    @Override
    public void close() {
        store.close();
    }
}
