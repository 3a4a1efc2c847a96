package dev.weir.server.load;

import dev.weir.internal.load.LoadShares;
import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.LoadQuery;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.runtime.DaemonThreads;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.RejectedNotes;
import dev.weir.redis.internal.notes.NewsStream;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Keeps limits that follow load in step with the loads of their services. It is applied when rules are compiled, so a
 * decision costs the same with it or without.
 *
 * <p>A thread of its own reads news, asks Prometheus and compiles: none of it may delay a decision or a lease. Without a
 * rule that follows a load it does nothing.
 */
public final class LimitsUnderLoad implements UnaryOperator<Rule>, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(LimitsUnderLoad.class.getName());
    private static final long EVERY_MILLIS = 500;
    /** However many reports come, limits are computed, and sent to other servers, no more often. */
    private static final long PAUSE_MILLIS = 100;

    private final LongSupplier nanos;
    private final LongSupplier millis;
    private final LoadReports reports = new LoadReports();
    private final LoadShares shares = new LoadShares();
    private final PrometheusLoads prometheus;
    private final RejectedNotes rejectedNotes = new RejectedNotes("loads");
    private final Semaphore wake = new Semaphore(0);
    private final Thread thread = DaemonThreads.create("weir-load", this::run);
    /** The services of which something was reported here that other servers do not know yet. */
    private final Set<String> untold = new HashSet<>();

    private volatile Map<LoadCurve, Integer> inForce = Map.of();
    private Supplier<WrittenRules> rules = WrittenRules::empty;
    private Runnable changed = () -> {};
    private @Nullable LoadNews news;
    private volatile boolean closed;

    public LimitsUnderLoad() {
        this(System::nanoTime, System::currentTimeMillis);
    }

    /** As above, with another monotonic clock and wall clock. */
    LimitsUnderLoad(LongSupplier nanos, LongSupplier millis) {
        this.nanos = nanos;
        this.millis = millis;
        this.prometheus = new PrometheusLoads(reports, nanos);
    }

    /** Returns {@code rule} with the share of its limit that is in force. */
    @Override
    public Rule apply(Rule rule) {
        return LoadShares.apply(rule, inForce);
    }

    /**
     * Starts to follow loads.
     *
     * @param rules the rules in force
     * @param changed puts them in force anew
     * @param stream passes loads between servers; null without a Redis
     */
    public void start(
            Supplier<WrittenRules> rules, Runnable changed, @Nullable NewsStream stream, @Nullable FleetSecret secret) {
        connect(rules, changed, stream == null ? null : LoadChannel.of(stream), secret);
        thread.start();
    }

    void connect(
            Supplier<WrittenRules> rules,
            Runnable changed,
            @Nullable LoadChannel channel,
            @Nullable FleetSecret secret) {
        this.rules = rules;
        this.changed = changed;
        this.news = channel == null ? null : new LoadNews(channel, secret, rejectedNotes, millis);
    }

    /** The services whose load some rule follows. */
    public Set<String> services() {
        return rules.get().followedServices();
    }

    /** Notes that {@code reporter} reported the load of {@code service}; it is in force here at once, and soon elsewhere. */
    public void report(String service, String reporter, double utilisation) {
        reports.add(service, reporter, utilisation, nanos.getAsLong());
        synchronized (untold) {
            untold.add(service);
        }
        wake.release();
    }

    /** The highest fresh utilisation of {@code service}; NaN if nobody reports it. */
    public double load(String service) {
        return reports.highest(service, nanos.getAsLong());
    }

    /** Counts news of other servers that were ignored. */
    public RejectedNotes rejectedNotes() {
        return rejectedNotes;
    }

    private void run() {
        while (!closed) {
            try {
                wake.tryAcquire(EVERY_MILLIS, TimeUnit.MILLISECONDS);
                wake.drainPermits();
                follow();
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                return; // the server stops
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "limits could not follow a load; retrying", e);
            }
        }
    }

    /** Brings the limits in step with the loads. */
    void follow() throws InterruptedException {
        WrittenRules current = rules.get();
        Set<LoadCurve> curves = new HashSet<>();
        for (Rule each : current.rules()) {
            LoadCurve curve = each.follows();
            if (curve != null) {
                curves.add(curve);
            }
        }
        if (curves.isEmpty() && inForce.isEmpty()) {
            return;
        }
        update(curves); // first what was reported here: Redis or Prometheus may take seconds to fail
        Set<String> services = current.followedServices();
        exchange(services);
        List<LoadQuery> queries = current.loadQueries().values().stream()
                .filter(each -> services.contains(each.service()))
                .toList();
        prometheus.poll(queries);
        update(curves);
    }

    private void update(Set<LoadCurve> curves) {
        if (shares.update(curves, this::load, nanos.getAsLong())) {
            inForce = shares.all();
            changed.run();
        }
    }

    /** Sends other servers what was reported here, and receives what was reported to them. */
    private void exchange(Set<String> services) throws InterruptedException {
        LoadNews others = news;
        Set<String> fresh;
        synchronized (untold) {
            fresh = Set.copyOf(untold);
            untold.clear();
        }
        if (others == null) {
            return;
        }
        try {
            for (String each : fresh) {
                // The highest of all reporters: it replaces what this server sent before.
                double highest = reports.highestOwn(each, nanos.getAsLong());
                if (!Double.isNaN(highest)) {
                    others.tell(each, highest).toCompletableFuture().get();
                }
            }
            for (LoadNews.Heard each : others.next().toCompletableFuture().get()) {
                if (services.contains(each.service())) {
                    reports.heard(each.service(), each.server(), each.utilisation(), nanos.getAsLong());
                }
            }
        } catch (ExecutionException e) {
            // The log says once, elsewhere, that Redis is unreachable. Reporters report again within seconds.
            LOG.log(Level.DEBUG, "loads could not be exchanged through Redis", e);
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
