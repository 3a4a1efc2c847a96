package dev.weir.server.counters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.RejectedNotes.Reason;
import dev.weir.redis.internal.notes.NewsStream;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.http.QueryParameters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Resets that a server hears of, also from one of a later version. */
class SharedResetsTest {

    @Test
    void whatALaterVersionSaysMoreIsIgnoredAndWhatCannotBeReadIsSkipped() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                RedisSharedStore store = RedisSharedStore.open(RedisSettings.of(redis.uri()))) {
            Awaitility.await().atMost(Duration.ofSeconds(20)).until(store::serves);
            NewsStream later = store.resetNews();
            for (String each : List.of(
                    "{\"by\":\"x\",\"version\":9,\"query\":[[\"domain\",\"a\"],null,[1,2,3],[\"user\",7]],\"only\":{}}",
                    "{\"by\":{\"server\":\"x\"},\"query\":[[\"domain\",\"b\"]]}",
                    "{\"kind\":\"pause\"}",
                    "{\"query\":\"domain=c\"}",
                    "{\"query\":[\"domain\"]}",
                    "[]",
                    "7",
                    "",
                    "\u0006")) {
                get(later.post(each));
            }
            SharedResets here = new SharedResets(store.resetNews(), null, System::currentTimeMillis);
            get(here.announce(new QueryParameters(List.of(Map.entry("domain", "mine")))));
            assertThat(get(here.remoteResets()))
                    .extracting(QueryParameters::parameters)
                    .containsExactly(
                            List.of(Map.entry("domain", "a"), Map.entry("user", "7")),
                            List.of(Map.entry("domain", "b")),
                            List.of());
            assertThat(get(here.remoteResets())).isEmpty();
        }
    }

    @Test
    void withASecretOnlyFreshSignedResetsAreReadAndEachOnce() throws Exception {
        FleetSecret secret = new FleetSecret(List.of("0123456789abcdef0123456789abcdef"));
        AtomicLong now = new AtomicLong(1_800_000_000_000L);
        try (RedisProcess redis = RedisProcess.start();
                RedisSharedStore store = RedisSharedStore.open(RedisSettings.of(redis.uri()))) {
            Awaitility.await().atMost(Duration.ofSeconds(20)).until(store::serves);
            SharedResets here = new SharedResets(store.resetNews(), secret, now::get);
            SharedResets there = new SharedResets(store.resetNews(), secret, now::get);
            NewsStream forger = store.resetNews();
            get(forger.post("{\"by\":\"x\",\"number\":1,\"query\":[[\"domain\",\"a\"]]}"));
            assertThat(get(here.remoteResets())).isEmpty();
            assertThat(here.rejectedNotes().of(Reason.UNSIGNED)).isEqualTo(1);
            get(there.announce(new QueryParameters(List.of(Map.entry("domain", "b")))));
            assertThat(get(here.remoteResets()))
                    .extracting(QueryParameters::parameters)
                    .containsExactly(List.of(Map.entry("domain", "b")));
            NewsStream copier = store.resetNews();
            String signed = get(copier.next()).get(1);
            get(forger.post(signed));
            assertThat(get(here.remoteResets())).as("replayed").isEmpty();
            assertThat(here.rejectedNotes().of(Reason.STALE)).isEqualTo(1);
            now.addAndGet(Duration.ofMinutes(6).toMillis());
            SharedResets restarted = new SharedResets(store.resetNews(), secret, now::get);
            assertThat(get(restarted.remoteResets())).as("too old").isEmpty();
            assertThat(restarted.rejectedNotes().of(Reason.STALE)).isEqualTo(2);
        }
    }

    private static <T> T get(CompletionStage<T> answer) throws Exception {
        return answer.toCompletableFuture().get(5, TimeUnit.SECONDS);
    }
}
