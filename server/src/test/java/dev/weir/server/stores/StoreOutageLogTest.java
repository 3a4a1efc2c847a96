package dev.weir.server.stores;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StoreOutageLogTest {
    private final List<String> log = new ArrayList<>();
    private String unreachable = "";
    private long checks;
    private StoreFailure failure = StoreFailure.TIMEOUT;
    private long seconds;
    private final StoreOutageLog outages = new StoreOutageLog(
            () -> unreachable,
            () -> checks,
            () -> failure,
            () -> TimeUnit.SECONDS.toNanos(seconds),
            (level, text) -> log.add(level + " " + text));

    @Test
    void logsTwoLinesHoweverLongAnOutageIs() {
        update(3);
        assertThat(log).isEmpty();
        unreachable = "store default, h:1: unreachable";
        for (int i = 0; i < 20; i++) {
            checks += 100;
            update(1);
        }
        assertThat(outages.isDegraded()).isTrue();
        unreachable = "";
        update(5);
        assertThat(outages.isDegraded()).isFalse();
        assertThat(log)
                .containsExactly(
                        "WARNING degraded: store default, h:1: unreachable; on_fail decides",
                        "INFO no longer degraded, after 22 s; on_fail decided 2000 checks");
    }

    @Test
    void aStoreThatComesAndGoesIsOneOutage() {
        for (int i = 0; i < 10; i++) {
            unreachable = i % 2 == 0 ? "store default: unreachable" : "";
            update(1);
        }
        update(3);
        assertThat(log).hasSize(2);
    }

    @Test
    void lateAnswersOfAConnectedStoreAreAnOutage() {
        update(1);
        checks = 7;
        update(1);
        assertThat(log)
                .containsExactly("WARNING degraded: a store did not answer within the deadline; on_fail decides");
        update(3);
        assertThat(log).last().isEqualTo("INFO no longer degraded, after 3 s; on_fail decided 7 checks");
    }

    @Test
    void namesTheFailureOfAConnectedStore() {
        failure = StoreFailure.UNAVAILABLE;
        checks = 1;
        update(1);
        assertThat(log).containsExactly("WARNING degraded: a store failed (unavailable); on_fail decides");
    }

    private void update(int times) {
        for (int i = 0; i < times; i++) {
            seconds++;
            outages.update();
        }
    }
}
