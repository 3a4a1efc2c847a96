package dev.weir.benchmarks.redis;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Bucket4j on Lettuce with batching, its exact way to combine requests: requests that wait for a key go with the next
 * compare-and-swap. Batching belongs to a bucket object, so there is one for the hot key, as its documentation asks.
 */
final class RedisBucket4jSide implements RedisSide {
    private final RedisClient client;
    private final AsyncBucketProxy bucket;

    RedisBucket4jSide(RedisURI redis, RedisLimit limit) {
        client = RedisClient.create(redis);
        BucketConfiguration configuration = BucketConfiguration.builder()
                .addLimit(rate -> rate.capacity(limit.burst()).refillGreedy(1, limit.perHit()))
                .build();
        bucket = Bucket4jLettuce.casBasedBuilder(client)
                .expirationAfterWrite(
                        ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofSeconds(1)))
                .build()
                .asAsync()
                .builder()
                .withOptimization(Optimizations.batching())
                .build(
                        RedisLimit.keys("bucket4j", 1)[0].getBytes(StandardCharsets.US_ASCII),
                        () -> CompletableFuture.completedFuture(configuration));
    }

    @Override
    public String name() {
        return "Bucket4j, batching";
    }

    @Override
    public void ask(RedisCaller caller, int key) {
        var unused = bucket.tryConsumeAndReturnRemaining(1)
                .whenCompleteAsync((probe, failure) -> answer(caller, probe, failure), caller.home());
    }

    private static void answer(RedisCaller caller, @Nullable ConsumptionProbe probe, @Nullable Throwable failure) {
        if (probe == null || failure != null) {
            caller.failed();
        } else {
            caller.answered(probe.isConsumed());
        }
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
