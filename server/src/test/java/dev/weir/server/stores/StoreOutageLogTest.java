package dev.weir.server.stores;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StoreOutageLogTest {
    private final List<String> log = new ArrayList<>();
    private String away = "";
    private long checks;
    private StoreFailure failure = StoreFailure.TIMEOUT;
    private long seconds;
    private final StoreOutageLog watch = new StoreOutageLog(
            () -> away,
            () -> checks,
            () -> failure,
            () -> TimeUnit.SECONDS.toNanos(seconds),
            (level, text) -> log.add(level + " " + text));

    @Test
    void anOutageIsTwoLinesHoweverLongItIs() {
        look(3);
        assertThat(log).isEmpty();
        away = "store default, h:1: unreachable";
        for (int i = 0; i < 20; i++) {
            checks += 100;
            look(1);
        }
        assertThat(watch.isDegraded()).isTrue();
        away = "";
        look(5);
        assertThat(watch.isDegraded()).isFalse();
        assertThat(log)
                .containsExactly(
                        "WARNING degraded: store default, h:1: unreachable; rules follow their on_fail",
                        "INFO no longer degraded, after 22 s; on_fail decided 2000 checks");
    }

    @Test
    void aStoreThatComesAndGoesIsOneOutage() {
        for (int i = 0; i < 10; i++) {
            away = i % 2 == 0 ? "store default: unreachable" : "";
            look(1);
        }
        look(3);
        assertThat(log).hasSize(2);
    }

    @Test
    void answersThatComeTooLateAreNoticedThoughTheStoreIsThere() {
        look(1);
        checks = 7;
        look(1);
        assertThat(log)
                .containsExactly(
                        "WARNING degraded: a store did not answer inside the deadline; rules follow their on_fail");
        look(3);
        assertThat(log).last().isEqualTo("INFO no longer degraded, after 3 s; on_fail decided 7 checks");
    }

    @Test
    void whatAStoreThatIsThereSaidIsNamed() {
        failure = StoreFailure.UNAVAILABLE;
        checks = 1;
        look(1);
        assertThat(log).containsExactly("WARNING degraded: a store failed (unavailable); rules follow their on_fail");
    }

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            seconds++;
            watch.look();
        }
    }
}
