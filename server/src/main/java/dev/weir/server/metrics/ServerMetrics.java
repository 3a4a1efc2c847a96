package dev.weir.server.metrics;

import dev.weir.server.settings.Version;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleSupplier;

/** All that {@code GET /metrics} shows: rules from {@link RuleMetrics}, the server and its JVM from Micrometer. */
public final class ServerMetrics implements AutoCloseable {
    /** What the text is served as. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final RuleMetrics rules;
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collections = new JvmGcMetrics();

    /** Micrometer holds on to what it counts from only weakly, and goes on showing the last number when that is gone. */
    private final List<DoubleSupplier> sources = new CopyOnWriteArrayList<>();

    public ServerMetrics(RuleMetrics rules) {
        this.rules = rules;
        new JvmMemoryMetrics().bindTo(registry);
        collections.bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        Version version = Version.current();
        Gauge.builder("weir.build.info", () -> 1)
                .description("Always 1; the labels say which Weir this is.")
                .tags("version", version.number(), "commit", version.commit(), "java", Version.java())
                .register(registry);
    }

    /** A number that goes up and down. */
    public ServerMetrics gauge(String name, String help, DoubleSupplier value, String... tags) {
        Gauge.builder(name, value::getAsDouble).description(help).tags(tags).register(registry);
        return this;
    }

    /** A number that only goes up. */
    public ServerMetrics counter(String name, String help, DoubleSupplier value, String... tags) {
        sources.add(value);
        FunctionCounter.builder(name, value, DoubleSupplier::getAsDouble)
                .description(help)
                .tags(tags)
                .register(registry);
        return this;
    }

    /** Prometheus's text; with a thousand rules a few megabytes of it, so not to be made on an event loop. */
    public String scrape() {
        Exposition out = new Exposition();
        rules.write(out);
        return out.append(registry.scrape()).toString();
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }
}
