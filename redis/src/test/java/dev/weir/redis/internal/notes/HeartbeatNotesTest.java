package dev.weir.redis.internal.notes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.internal.notes.HeartbeatNotes.Heartbeat;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.AwaitableAsk;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.testkit.RedisCluster;
import dev.weir.redis.testkit.RedisProcess;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The status that servers write about themselves, in a real Redis. */
class HeartbeatNotesTest {
    private static final String KEY = "weir:{AAAAAAAAAAA}/notes:nodes";

    @Test
    void aTextIsReadWithItsAgeUntilItIsRemovedOrTooOld() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                RedisSharedStore store = RedisSharedStore.open(RedisSettings.of(redis.uri()))) {
            AwaitableAsk.awaitServing(store);
            walk(store.nodes());
            long now = System.currentTimeMillis();
            redis.cli("HSET", KEY, "silent", now - 60_000 + " was here");
            redis.cli("HSET", KEY, "ahead", now + 60_000 + " clock went back");
            redis.cli("HSET", KEY, "forgotten", now - 601_000 + " was here");
            redis.cli("HSET", KEY, "nonsense", "x");
            assertThat(get(store.nodes().read()))
                    .anySatisfy(each -> {
                        assertThat(each.name()).isEqualTo("silent");
                        assertThat(each.ageMillis()).isBetween(59_000L, 120_000L);
                        assertThat(each.text()).isEqualTo("was here");
                    })
                    .anySatisfy(each -> assertThat(each).isEqualTo(new Heartbeat("ahead", 0, "clock went back")))
                    .hasSize(2);
            assertThat(redis.cli("HLEN", KEY)).isEqualTo(2L);
        }
    }

    @Test
    void aClusterHasThemToo() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(true);
                RedisSharedStore store = RedisSharedStore.open(RedisSettings.of(cluster.uri()))) {
            AwaitableAsk.awaitServing(store);
            walk(store.nodes());
        }
    }

    private static void walk(HeartbeatNotes notes) throws Exception {
        String strange = "{\"\u00e4\": \"\ud83d\ude00 \\n 9 \"}\n2";
        assertThat(get(notes.read())).isEmpty();
        get(notes.post("a:1", "older"));
        get(notes.post("a:1", strange));
        assertThat(get(notes.read())).singleElement().satisfies(each -> {
            assertThat(each.name()).isEqualTo("a:1");
            assertThat(each.text()).isEqualTo(strange);
            assertThat(each.ageMillis()).isNotNegative();
        });
        get(notes.remove("a:1"));
        assertThat(get(notes.read())).isEmpty();
    }

    private static <T> T get(CompletionStage<T> answer) throws Exception {
        return answer.toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
}
