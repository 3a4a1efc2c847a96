package dev.weir.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.control.data.StoredVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** However many quotas begin and end, and however often they are written: one timer runs for all of them. */
class QuotaCacheTest {
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private final QuotaCache cache = new QuotaCache(timer);

    QuotaCacheTest() {
        timer.setRemoveOnCancelPolicy(true);
    }

    @AfterEach
    void stop() {
        timer.shutdownNow();
    }

    @Test
    void oneTimerRunsForAllAndNoneWhereNothingIsDue() {
        List<StoredQuota> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            StoredQuota quota = until("k" + i, Instant.now().plusSeconds(100 - i));
            cache.set(quota.apiKey(), quota);
            all.add(quota);
        }
        assertThat(timer.getQueue()).hasSize(1);
        cache.setAll(all);
        cache.setAll(all);
        assertThat(timer.getQueue()).hasSize(1);
        all.forEach(each -> cache.set(each.apiKey(), null));
        assertThat(timer.getQueue()).isEmpty();
    }

    @Test
    void oneTimerRunsAlsoAfterItHasTicked() {
        Instant soon = Instant.now().plusMillis(200);
        for (int i = 0; i < 20; i++) {
            cache.set("k" + i, until("k" + i, soon.plusMillis(i)));
        }
        cache.set("later", until("later", Instant.now().plusSeconds(60)));
        assertThat(cache.of("k19")).isNotNull();
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> cache.of("k19") == null);
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .until(() -> timer.getQueue().size() == 1);
        long ticked = timer.getTaskCount();
        Awaitility.await()
                .during(Duration.ofMillis(300))
                .atMost(Duration.ofSeconds(10))
                .until(() -> timer.getQueue().size() == 1 && timer.getTaskCount() == ticked);
        assertThat(cache.of("later")).isNotNull();
    }

    @Test
    void anExpiryInTheFarFutureIsAccepted() {
        cache.set("k", until("k", Instant.MAX));
        assertThat(cache.of("k")).isNotNull();
        assertThat(timer.getQueue()).hasSize(1);
    }

    private static StoredQuota until(String apiKey, Instant end) {
        return new StoredQuota(apiKey, "pro", List.of(), null, end, new StoredVersion(1, Instant.EPOCH, "ada"));
    }
}
