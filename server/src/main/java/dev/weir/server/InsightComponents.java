package dev.weir.server;

import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.RejectedNotes;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.server.control.ControlComponents;
import dev.weir.server.fleet.FleetDirectory;
import dev.weir.server.fleet.FleetTopKeys;
import dev.weir.server.fleet.NodeStatus;
import dev.weir.server.health.Health;
import dev.weir.server.history.History;
import dev.weir.server.history.HistoryFiles;
import dev.weir.server.insight.Insight;
import dev.weir.server.lifecycle.CloseStack;
import dev.weir.server.listener.PortCertificates;
import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.metrics.CapacityMetrics;
import dev.weir.server.metrics.LocalTierGauges;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.metrics.StoreMetrics;
import dev.weir.server.otlp.OtlpExport;
import dev.weir.server.settings.ListenAddress;
import dev.weir.server.settings.Settings;
import dev.weir.server.shedding.LoadShedding;
import dev.weir.server.tracing.TracedDecisions;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** The components that show what the server does: metrics, history, top keys, traces, and the view of the fleet. */
final class InsightComponents {
    final ServerMetrics metrics;
    final LoadShedding shedding;
    final TracedDecisions traces;
    final NodeStatus status;
    final FleetDirectory fleet;
    final Insight insight;
    private final FleetTopKeys fleetKeys;
    private final @Nullable OtlpExport otlp;

    InsightComponents(
            Settings settings,
            TimeSource time,
            Health health,
            MemoryBudget memory,
            PortCertificates certificates,
            DecisionObservers observers,
            PolicyComponents policy,
            DecisionComponents decisions,
            CloseStack opened) {
        ControlComponents control = policy.control;
        Limiter limiter = decisions.limiter;
        RedisSharedStore noteStore = decisions.noteStore;
        FleetSecret secret = decisions.secret;
        metrics = opened.add(new ServerMetrics(observers.ruleMetrics(), new StoreMetrics(decisions.stores.redis())));
        decisions.stores.addTo(metrics);
        policy.rules.addTo(metrics);
        control.addTo(metrics);
        certificates.addTo(metrics);
        observers.addTo(metrics);
        new NetworkGauges(memory).addTo(metrics);
        decisions.bans.addTo(metrics);
        add(control.bans().rejectedNotes());
        add(decisions.counters.rejectedNotes());
        add(decisions.stores.rejectedNotes());
        add(policy.loads.rejectedNotes());
        if (control.control() != null) {
            add(control.control().switches().rejectedNotes());
        }
        addLimiter(settings, limiter, health);
        shedding =
                new LoadShedding(settings.network().shedLoad(), settings.trust().proxies());
        shedding.addTo(metrics);
        otlp = otlp(settings, metrics);
        TracedDecisions exemplars = observers.ruleMetrics()::traced;
        traces = otlp == null ? exemplars : opened.add(otlp).spans(time, observers.ruleMetrics()::place, exemplars);
        decisions.quotas.addTo(metrics);
        History history = opened.add(history(settings, observers, shedding)).start();
        addMemory("history", history::bytes);
        addMemory("top_keys", observers.topKeys()::bytes);
        status = new NodeStatus(
                health,
                policy.rules.inForce(),
                limiter,
                decisions.stores.redis(),
                control.control(),
                settings.regions(),
                Insight.loadOfThisNode(history, shedding));
        fleet = opened.add(new FleetDirectory(status, noteStore, control.nodes(), secret));
        add(fleet.rejectedNotes());
        fleetKeys =
                opened.add(new FleetTopKeys(observers.topKeys(), fleet::node, noteStore, control.topKeys(), secret));
        add(fleetKeys.rejectedNotes());
        observers.ruleMetrics().waits().addTo(metrics, decisions.queues);
        observers.ruleMetrics().holds().addTo(metrics, limiter.holds());
        metrics.series(new CapacityMetrics(limiter, time)::write);
        insight = new Insight(
                health,
                status,
                fleet,
                fleetKeys,
                control.control(),
                decisions.stores.redis().keySet(),
                limiter,
                decisions.counters,
                observers.ruleMetrics(),
                decisions.queues,
                policy.loads,
                shedding,
                history,
                observers.topKeys(),
                decisions.quotas);
    }

    private static @Nullable OtlpExport otlp(Settings settings, ServerMetrics metrics) {
        Settings.Otlp otlp = settings.insight().otlp();
        return otlp == null ? null : new OtlpExport(otlp, settings.decisions().node(), metrics::readings);
    }

    private static History history(Settings settings, DecisionObservers observers, LoadShedding shedding) {
        Path data = settings.control().data();
        HistoryFiles files = data == null
                ? null
                : HistoryFiles.open(data.resolve("history"), settings.insight().historyDisk());
        return new History(
                observers.ruleMetrics(), shedding::shed, settings.insight().historyMemory(), files);
    }

    private void addLimiter(Settings settings, Limiter limiter, Health health) {
        metrics.gauge(
                        "ratelimit.rules",
                        "Rules in force.",
                        () -> limiter.index().source().rules().size())
                .gauge(
                        "ratelimit.serving",
                        "1 while the server reports that it is serving.",
                        () -> health.serving() ? 1 : 0);
        new LocalTierGauges(settings, limiter.tier()).addTo(metrics);
    }

    private void addMemory(String of, DoubleSupplier bytes) {
        metrics.gauge(
                "ratelimit.insight.memory.bytes",
                "Memory that records of the traffic take, about: history and top_keys.",
                bytes,
                "of",
                of);
    }

    private void add(RejectedNotes notes) {
        for (RejectedNotes.Reason each : RejectedNotes.Reason.values()) {
            metrics.counter(
                    "ratelimit.notes.rejected",
                    "Notes of other servers in Redis that were ignored, by kind and reason.",
                    () -> notes.of(each),
                    "kind",
                    notes.kind(),
                    "reason",
                    each.label());
        }
    }

    /** Tells the fleet of this server, whose admin port is at {@code admin}, and opens the page of metrics. */
    void start(Settings settings, ListenAddress admin, Vertx vertx) {
        fleet.start(admin, settings.tls().admin() != null);
        fleetKeys.start();
        var unused = vertx.executeBlocking(Executors.callable(metrics::open), false);
        if (otlp != null) {
            otlp.start();
        }
    }
}
