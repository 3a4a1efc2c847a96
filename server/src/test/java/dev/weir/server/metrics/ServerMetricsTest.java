package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.TimeSource;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ServerMetricsTest {

    @Test
    void aCounterGoesOnCountingAfterAGarbageCollection() {
        try (ServerMetrics metrics = new ServerMetrics(new RuleMetrics(TimeSource.system(), false, null))) {
            AtomicLong count = new AtomicLong(5);
            metrics.counter("things", "Things counted.", count::get);
            metrics.open();
            WeakReference<Object> canary = new WeakReference<>(new Object());
            await().until(() -> {
                System.gc();
                return canary.get() == null;
            });

            count.set(7);
            assertThat(metrics.scrape()).contains("things_total 7.0");
        }
    }
}
