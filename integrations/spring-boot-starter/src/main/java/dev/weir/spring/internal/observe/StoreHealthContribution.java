package dev.weir.spring.internal.observe;

import dev.weir.Weir;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Health on Spring Boot 4: the same as {@link StoreHealth}. */
record StoreHealthContribution(Weir weir) implements HealthIndicator {

    @Override
    public Health health() {
        return weir.serves()
                ? Health.up().build()
                : Health.status(StoreHealth.DEGRADED)
                        .withDetail("store", "does not answer; on_fail decides")
                        .build();
    }
}
