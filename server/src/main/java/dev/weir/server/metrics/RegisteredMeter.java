package dev.weir.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.function.DoubleSupplier;

/**
 * A number of the server that changes by itself.
 *
 * @param counts whether it only grows
 * @param tags names and values in turn
 */
record RegisteredMeter(String name, String help, boolean counts, DoubleSupplier value, List<String> tags) {

    void addTo(MeterRegistry registry) {
        String[] pairs = tags.toArray(String[]::new);
        if (counts) {
            FunctionCounter.builder(name, value, DoubleSupplier::getAsDouble)
                    .description(help)
                    .tags(pairs)
                    .register(registry);
        } else {
            Gauge.builder(name, value::getAsDouble)
                    .description(help)
                    .tags(pairs)
                    .register(registry);
        }
    }

    MetricReading.Reading read() {
        return new MetricReading.Reading(tags, value.getAsDouble(), List.of());
    }
}
