package dev.weir.redis.internal.notes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.AwaitableAsk;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.testkit.RedisCluster;
import dev.weir.redis.testkit.RedisProcess;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Texts that all servers read, in a real Redis. */
class SharedNotesTest {

    @Test
    void theNewestOfEachNameIsRead() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                RedisSharedStore store = RedisSharedStore.open(RedisSettings.of(redis.uri()))) {
            AwaitableAsk.awaitServing(store);
            walk(store.notes("switches"));
            assertThat(get(store.notes("others").read())).isEmpty();
        }
    }

    @Test
    void aClusterHasThemToo() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(true);
                RedisSharedStore store = RedisSharedStore.open(RedisSettings.of(cluster.uri()))) {
            AwaitableAsk.awaitServing(store);
            walk(store.notes("switches"));
        }
    }

    @Test
    void aRedisThatLostItsDataDoesNotCountAsBefore() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                RedisSharedStore store = RedisSharedStore.open(RedisSettings.of(redis.uri()))) {
            AwaitableAsk.awaitServing(store);
            SharedNotes notes = store.notes("bans");
            assertThat(get(notes.post("a", 1, "text", ""))).isTrue();
            String before = get(notes.count()).orElseThrow();
            redis.cli("FLUSHALL");
            assertThat(get(notes.post("b", 1, "text", ""))).isTrue();
            assertThat(get(notes.count()).orElseThrow()).isNotEqualTo(before);
        }
    }

    @Test
    void aRedisThatIsAwayIsAFailureAtOnce() {
        try (RedisProcess redis = RedisProcess.start();
                RedisSharedStore store = RedisSharedStore.open(RedisSettings.of(redis.uri()))) {
            AwaitableAsk.awaitServing(store);
            redis.kill();
            assertThatThrownBy(() -> get(store.notes("switches").read())).isInstanceOf(ExecutionException.class);
        }
    }

    private static void walk(SharedNotes notes) throws Exception {
        String strange = "{\"\u00e4\": \"\ud83d\ude00 \\n 9 \"}";
        assertThat(get(notes.count())).isEmpty();
        assertThat(get(notes.read())).isEmpty();
        assertThat(get(notes.post("a/b c", 1_800_000_000_000L, strange, ""))).isTrue();
        assertThat(get(notes.post("a/b c", 1_799_999_999_999L, "older", ""))).isFalse();
        assertThat(get(notes.post("a/b c", 1_800_000_000_000L, "as old", ""))).isFalse();
        String first = get(notes.count()).orElseThrow();
        assertThat(get(notes.post("d", 1, "", ""))).isTrue();
        assertThat(get(notes.read())).isEqualTo(Map.of("a/b c", strange, "d", ""));
        assertThat(get(notes.post("a/b c", 1_800_000_000_001L, "newer", ""))).isTrue();
        assertThat(get(notes.read())).containsEntry("a/b c", "newer");
        String count = get(notes.count()).orElseThrow();
        assertThat(Long.parseLong(count)).isGreaterThan(1 + Long.parseLong(first));
        assertThat(get(notes.post("a/b c", 5, "older", first)))
                .as("others have posted since")
                .isFalse();
        assertThat(get(notes.post("a/b c", 5, "in place of it", count))).isTrue();
        assertThat(get(notes.read())).containsEntry("a/b c", "in place of it");
    }

    private static <T> T get(CompletionStage<T> answer) throws Exception {
        return answer.toCompletableFuture().get(5, TimeUnit.SECONDS);
    }
}
