package dev.weir.benchmarks;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.server.metrics.RuleMetrics;
import dev.weir.server.topkeys.TopKeys;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Measures the cost of recording a decision for the top keys: on the thread that decides, and with the counting that
 * another thread does. The decisions were made before, of 2,048 callers that all pass or are all denied.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RecordingBenchmark {
    static final int CALLERS = 2_048;

    @Param({"passed", "denied"})
    public String outcome = "passed";

    private final Request[] requests = new Request[CALLERS];
    private final MutableDecision[] decisions = new MutableDecision[CALLERS];

    @SuppressWarnings("NullAway.Init") // JMH calls decide first
    private TopKeys keys;

    @SuppressWarnings("NullAway.Init")
    private LimiterObserver tap;

    @SuppressWarnings("NullAway.Init")
    private RuleMetrics metrics;

    /** Makes the decisions. */
    @Setup(Level.Trial)
    public void decide() {
        int limit = outcome.equals("passed") ? 1_000_000_000 : 1;
        String rules = "domain: api\nrules:\n  - { name: users, key_by: user_id, limit: { requests: " + limit
                + ", window: 365d, algorithm: fixed_window } }\n";
        Limiter limiter = new Limiter(
                Objects.requireNonNull(RuleLoader.parse("api.yaml", rules).rules()),
                new MemoryStore(1 << 16),
                TimeSource.system(),
                LimiterSettings.defaults(),
                new LimiterObserver() {});
        keys = new TopKeys(16L << 20);
        keys.rules(limiter.index());
        tap = keys.tap();
        metrics = new RuleMetrics(TimeSource.system(), false, null);
        metrics.rules(limiter.index());
        metrics.then(tap);
        for (int i = 0; i < CALLERS; i++) {
            requests[i] = Request.to("api").with("user_id", "u" + i).asAttributes();
            limiter.decide(requests[i]);
            decisions[i] = limiter.decide(requests[i]);
        }
    }

    /** Makes room in the rings. An invocation is long enough that this does not disturb it. */
    @Setup(Level.Invocation)
    public void drain() {
        keys.drain();
    }

    /** Records the decisions. */
    @Benchmark
    @OperationsPerInvocation(CALLERS)
    public void record() {
        for (int i = 0; i < CALLERS; i++) {
            tap.decided(requests[i], decisions[i]);
        }
    }

    /** Records the decisions as a server does: in the metrics of its rules, and for the top keys. */
    @Benchmark
    @OperationsPerInvocation(CALLERS)
    public void recordWithMetrics() {
        for (int i = 0; i < CALLERS; i++) {
            metrics.decided(requests[i], decisions[i]);
        }
    }

    /** Records the decisions, and counts them by caller. */
    @Benchmark
    @OperationsPerInvocation(CALLERS)
    public void recordAndCount() {
        record();
        keys.drain();
    }
}
