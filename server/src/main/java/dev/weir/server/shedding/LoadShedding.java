package dev.weir.server.shedding;

import dev.weir.LoadShedder;
import dev.weir.LoadShedder.Admission;
import dev.weir.LoadShedder.Priority;
import dev.weir.TimeSource;
import dev.weir.internal.match.pattern.TrustedProxies;
import dev.weir.server.http.DirectHandler;
import dev.weir.server.http.PortHandler;
import dev.weir.server.metrics.ServerMetrics;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** The worker shedders of this server: one for each event loop of the HTTP port, one for the operators' threads. */
public final class LoadShedding {
    private static final System.Logger LOG = System.getLogger(LoadShedding.class.getName());
    /**
     * Requests of this port take some ten microseconds each, so an event loop that is busy for milliseconds at a time
     * harms nobody yet. Beyond this, its gRPC callers feel it.
     */
    private static final Duration TOLERATED_ON_LOOPS = Duration.ofMillis(5);
    /** Operators' calls wait for a database, and some read all of it. */
    private static final Duration TOLERATED_BY_OPERATORS = Duration.ofSeconds(1);

    private final boolean on;
    private final RequestPriority priority;
    private final List<LoadShedder> loops = new CopyOnWriteArrayList<>();
    private final Supplier<LoadShedder> forLoop;
    private final LoadShedder operators;
    private long logged;

    /** Creates the shedders; if not {@code on}, they refuse nothing. Only {@code proxies} may raise a priority. */
    public LoadShedding(boolean on, TrustedProxies proxies) {
        this(
                on,
                proxies,
                () -> LoadShedder.create(TOLERATED_ON_LOOPS, TimeSource.system()),
                LoadShedder.create(TOLERATED_BY_OPERATORS, TimeSource.system()));
    }

    LoadShedding(boolean on, TrustedProxies proxies, Supplier<LoadShedder> forLoop, LoadShedder operators) {
        this.on = on;
        this.priority = new RequestPriority(proxies);
        this.forLoop = forLoop;
        this.operators = operators;
    }

    /** Wraps the handler of the HTTP port on one event loop. */
    public Handler<HttpServerRequest> onLoop(Handler<HttpServerRequest> handler) {
        return onLoop(PortHandler.of(handler)).requests();
    }

    /** Wraps the handlers of the HTTP port on one event loop. */
    public PortHandler onLoop(PortHandler handler) {
        if (!on) {
            return handler;
        }
        LoadShedder shedder = forLoop.get();
        loops.add(shedder);
        LoopShedder wrapped = new LoopShedder(shedder, priority, handler.requests());
        DirectHandler direct = handler.direct();
        return new PortHandler(wrapped, direct == null ? null : wrapped.before(direct));
    }

    /** Starts an operator's {@code work}, or fails with the refusal. The wait for a thread counts. */
    public <T> Future<T> forOperator(HttpServerRequest request, Supplier<Future<T>> work) {
        if (!on) {
            return work.get();
        }
        Admission admission = operators.tryAcquire(priority.ofOperator(request));
        return admission == null
                ? Future.failedFuture(Overloaded.problem())
                : work.get().onComplete(done -> admission.close());
    }

    /** Logs when requests were refused since the last call; to be called every few seconds. */
    public void log() {
        long all = shed();
        if (all > logged) {
            LOG.log(
                    Level.WARNING,
                    "overloaded: refused " + (all - logged)
                            + " HTTP requests with 503 in the last seconds (add servers,"
                            + " or find out who sends so much; docs/load-shedding.md)");
            logged = all;
        }
    }

    private static long total(ToLongFunction<Priority> shed) {
        long sum = 0;
        for (Priority each : Priority.values()) {
            sum += shed.applyAsLong(each);
        }
        return sum;
    }

    private long shedByLoops(Priority priority) {
        return loops.stream().mapToLong(each -> each.shed(priority)).sum();
    }

    /**
     * The state of the shedders of one port.
     *
     * @param limit requests that may be in flight at once
     * @param baseline how long a request takes without overload, the longest over the event loops
     * @param shed requests refused since the start, by priority
     */
    public record PortLoad(String port, int inFlight, int limit, Duration baseline, Map<String, Long> shed) {}

    /** Whether requests may be refused. */
    public boolean isOn() {
        return on;
    }

    /** The state of each port. */
    public List<PortLoad> ports() {
        return List.of(
                portLoad("http", loops, this::shedByLoops), portLoad("admin", List.of(operators), operators::shed));
    }

    private static PortLoad portLoad(String port, List<LoadShedder> shedders, ToLongFunction<Priority> shed) {
        Map<String, Long> byPriority = new LinkedHashMap<>();
        for (Priority each : Priority.values()) {
            byPriority.put(RequestPriority.text(each), shed.applyAsLong(each));
        }
        return new PortLoad(
                port,
                shedders.stream().mapToInt(LoadShedder::inFlight).sum(),
                shedders.stream().mapToInt(LoadShedder::limit).sum(),
                shedders.stream()
                        .map(LoadShedder::baseline)
                        .max(Comparator.naturalOrder())
                        .orElse(Duration.ZERO),
                byPriority);
    }

    /** Requests that were refused since the start, of both ports. */
    public long shed() {
        return total(this::shedByLoops) + total(operators::shed);
    }

    public void addTo(ServerMetrics metrics) {
        for (Priority each : Priority.values()) {
            shed(metrics, "http", each, () -> shedByLoops(each));
            shed(metrics, "admin", each, () -> operators.shed(each));
        }
        gauges(metrics, "http", loops);
        gauges(metrics, "admin", List.of(operators));
    }

    private static void shed(ServerMetrics metrics, String port, Priority priority, Supplier<Long> value) {
        metrics.counter(
                "ratelimit.shed",
                "Requests refused with 503 because this process is overloaded, by port and priority.",
                value::get,
                "port",
                port,
                "priority",
                RequestPriority.text(priority));
    }

    private static void gauges(ServerMetrics metrics, String port, List<LoadShedder> shedders) {
        metrics.gauge(
                "ratelimit.shedder.limit",
                "Requests of a port that may be in flight at once; it falls under overload.",
                () -> shedders.stream().mapToInt(LoadShedder::limit).sum(),
                "port",
                port);
        metrics.gauge(
                "ratelimit.shedder.in.flight",
                "Requests of a port that this process is working on.",
                () -> shedders.stream().mapToInt(LoadShedder::inFlight).sum(),
                "port",
                port);
    }
}
