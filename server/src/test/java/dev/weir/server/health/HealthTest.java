package dev.weir.server.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HealthTest {
    private final Health health = new Health();
    private final List<Health.State> heard = new ArrayList<>();

    @Test
    void aServerThatHasNotSaidSoIsNotServing() {
        assertThat(health.serving()).isFalse();
    }

    @Test
    void aServerThatLacksRulesServesAndIsNotHealthy() {
        health.onChange(heard::add);
        health.lacksRules(true);
        health.set(Health.State.SERVING);
        assertThat(health.serving()).isTrue();
        assertThat(health.state()).isEqualTo(Health.State.NOT_SERVING);
        health.lacksRules(false);
        health.lacksRules(true);
        assertThat(heard).containsExactly(Health.State.SERVING, Health.State.NOT_SERVING);
    }

    @Test
    void listenersHearEveryChangeOnceUntilTheyLeave() {
        Runnable leave = health.onChange(heard::add);
        health.set(Health.State.SERVING);
        health.set(Health.State.SERVING);
        health.set(Health.State.NOT_SERVING);
        leave.run();
        health.set(Health.State.SERVING);
        assertThat(heard).containsExactly(Health.State.SERVING, Health.State.NOT_SERVING);
        assertThat(health.serving()).isTrue();
    }
}
