package dev.weir.redis.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.algorithm.Meter;
import dev.weir.redis.RedisCredentials;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.redis.testkit.SentinelSet;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A master that the sentinels replace. */
class SentinelStoreTest {
    @Test
    void aNewMasterIsFoundByItself() {
        Meter meter = AwaitableAsk.limit(100);
        try (SentinelSet set = SentinelSet.start();
                RedisSharedStore store =
                        RedisSharedStore.open(RedisSettings.of(set.uri()).withDeadline(Duration.ofSeconds(1)))) {
            AwaitableAsk.awaitServing(store);
            assertThat(new AwaitableAsk().on("k", meter, 1).now(store).remaining(0))
                    .isEqualTo(99);
            RedisProcess old = set.master();
            old.kill();
            Awaitility.await().atMost(AwaitableAsk.PATIENCE).until(() -> !store.serves());
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> new AwaitableAsk().on("k", meter, 1).now(store).failure() == null);
            assertThat(set.master()).isNotSameAs(old);
        }
    }

    @Test
    void sentinelsThatAskForAPasswordGetTheirOwn() {
        try (SentinelSet set = SentinelSet.start()) {
            set.sentinels().forEach(each -> each.cli("ACL", "SETUSER", "default", "resetpass", ">of the sentinels"));
            RedisSettings settings = RedisSettings.of(set.uri()).withDeadline(Duration.ofSeconds(1));
            RedisCredentials known = new RedisCredentials("", "of the sentinels");
            try (RedisSharedStore stranger = RedisSharedStore.open(settings);
                    RedisSharedStore store = RedisSharedStore.open(settings.withSentinelCredentials(() -> known))) {
                AwaitableAsk.awaitServing(store);
                assertThat(new AwaitableAsk()
                                .on("k", AwaitableAsk.limit(100), 1)
                                .now(store)
                                .remaining(0))
                        .isEqualTo(99);
                assertThat(stranger.serves()).isFalse();
            }
        }
    }
}
