package dev.weir.redis.internal.inspection;

import dev.weir.internal.counter.CounterName;
import dev.weir.redis.internal.routing.RedisRoutes;
import dev.weir.redis.internal.routing.RoutedCommand;
import dev.weir.redis.internal.script.RedisKey;
import dev.weir.redis.internal.script.RedisKeyPrefix;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Reads and resets single counters, for operators and not for decisions. */
public final class CounterInspector {
    private static final byte[] TOTAL = {'t'};

    private final RedisRoutes routes;
    private final RedisKeyPrefix prefix;

    public CounterInspector(RedisRoutes routes, RedisKeyPrefix prefix) {
        this.routes = routes;
        this.prefix = prefix;
    }

    public CompletionStage<Optional<CounterState>> inspect(CounterName name) {
        byte[] key = prefix.before(RedisKey.of(name));
        return RoutedCommand.run(routes, name.subject(), CommandType.GET, key)
                .thenCombine(
                        RoutedCommand.run(routes, name.subject(), CommandType.PTTL, key),
                        (value, ttl) -> state(key, value, ttl));
    }

    /** Reads the permits of a concurrency limit. Those that have expired are counted until the next one is taken. */
    public CompletionStage<Optional<CounterState>> inspectPermits(CounterName name) {
        byte[] key = prefix.before(RedisKey.of(name));
        return RoutedCommand.run(routes, name.subject(), CommandType.ZCARD, key)
                .thenCombine(
                        RoutedCommand.run(routes, name.subject(), CommandType.PTTL, key),
                        (count, ttl) -> permits(key, count, ttl));
    }

    /** Reads the sum of the levels of a concurrency limit whose nodes count by themselves. */
    public CompletionStage<Optional<CounterState>> inspectLevels(CounterName name) {
        byte[] key = prefix.before(RedisKey.of(name));
        return RoutedCommand.run(routes, name.subject(), CommandType.HGET, key, TOTAL)
                .thenCombine(
                        RoutedCommand.run(routes, name.subject(), CommandType.PTTL, key),
                        (total, ttl) -> levels(key, total, ttl));
    }

    private static Optional<CounterState> levels(byte[] key, List<Object> total, List<Object> ttl) {
        return total.get(0) instanceof byte[] text && ttl.get(0) instanceof Long lasts
                ? Optional.of(
                        CounterState.ofPermits(key, Long.parseLong(new String(text, StandardCharsets.US_ASCII)), lasts))
                : Optional.empty();
    }

    private static Optional<CounterState> permits(byte[] key, List<Object> count, List<Object> ttl) {
        return count.get(0) instanceof Long held && held > 0 && ttl.get(0) instanceof Long lasts
                ? Optional.of(CounterState.ofPermits(key, held, lasts))
                : Optional.empty();
    }

    /** Resets a counter; returns whether it existed. */
    public CompletionStage<Boolean> reset(CounterName name) {
        return RoutedCommand.run(routes, name.subject(), CommandType.DEL, prefix.before(RedisKey.of(name)))
                .thenApply(gone -> !gone.isEmpty() && gone.get(0) instanceof Long count && count > 0);
    }

    private static Optional<CounterState> state(byte[] key, List<Object> value, List<Object> ttl) {
        Object state = value.isEmpty() ? null : value.get(0);
        Object millis = ttl.isEmpty() ? null : ttl.get(0);
        return state instanceof byte[] bytes && millis instanceof Long lasts
                ? Optional.of(CounterState.of(key, bytes, lasts))
                : Optional.empty();
    }
}
