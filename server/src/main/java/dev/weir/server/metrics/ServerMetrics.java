package dev.weir.server.metrics;

import dev.weir.server.settings.Version;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
    private final RuleMetrics rules;
    private final StoreMetrics stores;
    /**
     * Kept for good: Micrometer holds the objects that it reads only weakly, and would keep showing their last number.
     */
    private final List<RegisteredMeter> meters = new CopyOnWriteArrayList<>();

    private final List<Consumer<Exposition>> writers = new CopyOnWriteArrayList<>();

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
        meters.add(new RegisteredMeter(name, help, false, value, List.of(tags)));
        return this;
    }

    /** Adds a counter; to be called before the first scrape. */
    public ServerMetrics counter(String name, String help, DoubleSupplier value, String... tags) {
        meters.add(new RegisteredMeter(name, help, true, value, List.of(tags)));
        return this;
    }

    /** Adds series that change with the rules; to be called before the first scrape. */
    public ServerMetrics series(Consumer<Exposition> writer) {
        writers.add(writer);
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
            for (RegisteredMeter each : meters) {
                each.addTo(open);
            }
            registry = open;
        }
        return open;
    }

    /**
     * Returns all metrics in {@code format}. With a thousand rules they have a few megabytes, so never call this on an
     * event loop.
     */
    public String scrape(MetricsFormat format) {
        Exposition out = new Exposition(format);
        rules.write(out);
        stores.write(out);
        writers.forEach(each -> each.accept(out));
        // Micrometer also writes the end of OpenMetrics.
        return out.append(registry().scrape(format.contentType())).toString();
    }

    /** Returns Prometheus's text. */
    public String scrape() {
        return scrape(MetricsFormat.TEXT);
    }

    /** Returns the same with the series of the reference service before it. */
    public String scrapeWithReference(MetricsFormat format) {
        Exposition out = new Exposition(format);
        rules.writeReference(out);
        return out.append(scrape(format)).toString();
    }

    /**
     * Returns the numbers of rules, stores and server without text, for exporters. The names of the server's own numbers
     * are those of the text with dots. With a thousand rules they are a few thousand, so never call this on an event
     * loop.
     */
    public List<MetricReading> readings() {
        List<MetricReading> all = new ArrayList<>(rules.readings());
        all.add(rules.waits().reading());
        all.addAll(stores.readings());
        Map<String, MetricReading> byName = new LinkedHashMap<>();
        for (RegisteredMeter each : meters) {
            byName.computeIfAbsent(
                            each.name() + ' ' + each.counts(),
                            name -> each.counts()
                                    ? MetricReading.counter(each.name(), "", each.help(), new ArrayList<>())
                                    : MetricReading.gauge(each.name(), "", each.help(), new ArrayList<>()))
                    .readings()
                    .add(each.read());
        }
        all.addAll(byName.values());
        return all;
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
