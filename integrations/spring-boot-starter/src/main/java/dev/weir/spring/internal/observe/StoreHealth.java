package dev.weir.spring.internal.observe;

import dev.weir.Weir;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;

/** Health on Spring Boot 3. A store that is down takes no instance out of service, because the rules' {@code on_fail} decides. */
record StoreHealth(Weir weir) implements HealthIndicator {
    /** Shown as it is, and ranked below every other status, so that the application stays up. */
    static final String DEGRADED = "DEGRADED";

    @Override
    public Health health() {
        return weir.serves()
                ? Health.up().build()
                : Health.status(DEGRADED)
                        .withDetail("store", "does not answer; on_fail decides")
                        .build();
    }
}
