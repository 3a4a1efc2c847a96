package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.algorithm.Meter;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.redis.testkit.SentinelSet;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A master that the sentinels replace. */
class SentinelStoreTest {
    @Test
    void aNewMasterIsFoundByItself() {
        Meter meter = Asking.limit(100);
        try (SentinelSet set = SentinelSet.start();
                RedisStore store = RedisStore.open(RedisSettings.of(set.uri()).withDeadline(Duration.ofSeconds(1)))) {
            Asking.awaitServing(store);
            assertThat(new Asking().on("k", meter, 1).now(store).remaining(0)).isEqualTo(99);
            RedisProcess old = set.master();
            old.kill();
            Awaitility.await().atMost(Asking.PATIENCE).until(() -> !store.serves());
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> new Asking().on("k", meter, 1).now(store).failure() == null);
            assertThat(set.master()).isNotSameAs(old);
        }
    }

    @Test
    void sentinelsThatAskForAPasswordGetTheirOwn() {
        try (SentinelSet set = SentinelSet.start()) {
            set.sentinels().forEach(each -> each.cli("ACL", "SETUSER", "default", "resetpass", ">of the sentinels"));
            RedisSettings settings = RedisSettings.of(set.uri()).withDeadline(Duration.ofSeconds(1));
            RedisCredentials known = new RedisCredentials("", "of the sentinels");
            try (RedisStore stranger = RedisStore.open(settings);
                    RedisStore store = RedisStore.open(settings.withSentinelCredentials(() -> known))) {
                Asking.awaitServing(store);
                assertThat(new Asking().on("k", Asking.limit(100), 1).now(store).remaining(0))
                        .isEqualTo(99);
                assertThat(stranger.serves()).isFalse();
            }
        }
    }
}
