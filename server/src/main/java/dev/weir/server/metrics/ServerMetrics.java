package dev.weir.server.metrics;

import dev.weir.server.settings.Version;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * All that {@code GET /metrics} shows: rules from {@link RuleMetrics}, stores from {@link StoreMetrics}, the server and its JVM from Micrometer. Micrometer is
 * loaded when it is first needed: it would take a tenth of a start, and nobody scrapes a server that is not up.
 */
public final class ServerMetrics implements AutoCloseable {
    /** What the text is served as. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final RuleMetrics rules;
    private final StoreMetrics stores;
    /** Kept for good: Micrometer holds on to what it counts from only weakly, and goes on showing the last number of it. */
    private final List<Consumer<MeterRegistry>> meters = new CopyOnWriteArrayList<>();

    private @Nullable PrometheusMeterRegistry registry;
    private @Nullable JvmGcMetrics collections;

    public ServerMetrics(RuleMetrics rules) {
        this(rules, new StoreMetrics(Map.of()));
    }

    public ServerMetrics(RuleMetrics rules, StoreMetrics stores) {
        this.rules = rules;
        this.stores = stores;
    }

    /** A number that goes up and down; to be named before the first scrape. */
    public ServerMetrics gauge(String name, String help, DoubleSupplier value, String... tags) {
        meters.add(to -> Gauge.builder(name, value::getAsDouble)
                .description(help)
                .tags(tags)
                .register(to));
        return this;
    }

    /** A number that only goes up; to be named before the first scrape. */
    public ServerMetrics counter(String name, String help, DoubleSupplier value, String... tags) {
        meters.add(to -> FunctionCounter.builder(name, value, DoubleSupplier::getAsDouble)
                .description(help)
                .tags(tags)
                .register(to));
        return this;
    }

    /** Loads Micrometer, which from now on also hears of garbage collections; takes a while, so not for an event loop. */
    public synchronized void open() {
        var unused = registry();
    }

    private synchronized PrometheusMeterRegistry registry() {
        PrometheusMeterRegistry open = registry;
        if (open == null) {
            open = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            collections = new JvmGcMetrics();
            collections.bindTo(open);
            new JvmMemoryMetrics().bindTo(open);
            new JvmThreadMetrics().bindTo(open);
            new ProcessorMetrics().bindTo(open);
            new FileDescriptorMetrics().bindTo(open);
            new UptimeMetrics().bindTo(open);
            Version version = Version.current();
            Gauge.builder("weir.build.info", () -> 1)
                    .description("Always 1; the labels say which Weir this is.")
                    .tags("version", version.number(), "commit", version.commit(), "java", Version.java())
                    .register(open);
            for (Consumer<MeterRegistry> each : meters) {
                each.accept(open);
            }
            registry = open;
        }
        return open;
    }

    /** Prometheus's text; with a thousand rules a few megabytes of it, so not to be made on an event loop. */
    public String scrape() {
        Exposition out = new Exposition();
        rules.write(out);
        stores.write(out);
        return out.append(registry().scrape()).toString();
    }

    @Override
    public synchronized void close() {
        if (collections != null) {
            collections.close();
        }
        if (registry != null) {
            registry.close();
        }
    }
}
