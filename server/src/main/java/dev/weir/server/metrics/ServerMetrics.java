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
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes {@code GET /metrics}: rules from {@link RuleMetrics}, stores from {@link StoreMetrics}, the server and its JVM
 * from Micrometer. Micrometer is loaded on first use: it would take a tenth of the start, and nobody scrapes a server
 * that is not up.
 */
public final class ServerMetrics implements AutoCloseable {
    /** The content type of the text. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final RuleMetrics rules;
    private final StoreMetrics stores;
    /**
     * Kept for good: Micrometer holds the objects that it reads only weakly, and would keep showing their last number.
     */
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

    /** Adds a gauge; to be called before the first scrape. */
    public ServerMetrics gauge(String name, String help, DoubleSupplier value, String... tags) {
        meters.add(to -> Gauge.builder(name, value::getAsDouble)
                .description(help)
                .tags(tags)
                .register(to));
        return this;
    }

    /** Adds a counter; to be called before the first scrape. */
    public ServerMetrics counter(String name, String help, DoubleSupplier value, String... tags) {
        meters.add(to -> FunctionCounter.builder(name, value, DoubleSupplier::getAsDouble)
                .description(help)
                .tags(tags)
                .register(to));
        return this;
    }

    /**
     * Loads Micrometer, which from now on also observes garbage collections. This takes a while, so never call it on an
     * event loop.
     */
    public synchronized void open() {
        var unused = registry();
    }

    private synchronized PrometheusMeterRegistry registry() {
        PrometheusMeterRegistry open = registry;
        if (open == null) {
            open = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            // Their names break Prometheus's rules: an abbreviated unit, and the suffix of a histogram.
            open.config().meterFilter(MeterFilter.denyNameStartsWith("process.cpu.time"));
            open.config().meterFilter(MeterFilter.denyNameStartsWith("system.cpu.count"));
            collections = new JvmGcMetrics();
            collections.bindTo(open);
            new JvmMemoryMetrics().bindTo(open);
            new JvmThreadMetrics().bindTo(open);
            new ProcessorMetrics().bindTo(open);
            new FileDescriptorMetrics().bindTo(open);
            new UptimeMetrics().bindTo(open);
            Version version = Version.current();
            Gauge.builder("weir.build.info", () -> 1)
                    .description("Always 1; the labels name the version, the commit and the Java runtime.")
                    .tags("version", version.number(), "commit", version.commit(), "java", Version.java())
                    .register(open);
            for (Consumer<MeterRegistry> each : meters) {
                each.accept(open);
            }
            registry = open;
        }
        return open;
    }

    /** Returns Prometheus's text. With a thousand rules it has a few megabytes, so never call this on an event loop. */
    public String scrape() {
        Exposition out = new Exposition();
        rules.write(out);
        stores.write(out);
        return out.append(registry().scrape()).toString();
    }

    /** Returns the same with the series of the reference service before it. */
    public String scrapeWithReference() {
        Exposition out = new Exposition();
        rules.writeReference(out);
        return out.append(scrape()).toString();
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
