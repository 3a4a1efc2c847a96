package dev.weir.benchmarks;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleLoader;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures a whole decision in memory by a set of ten rules, of which {@code met} apply to the request: matching, counters and
 * verdicts, for 1,000 callers in turn. No limit binds. A decision by ten rules must take less than 1 µs.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class TenRulesBenchmark {
    private static final int RULES = 10;
    private static final int USERS = 1_000;

    @Param({"1", "3", "10"})
    int met;

    private final String[] users = new String[USERS];
    private final Request request = Request.to("bench");
    private final MutableDecision decision = new MutableDecision();
    private final TimeSource clock = TimeSource.system();
    private @Nullable Limiter limiter;
    private int next;

    @Setup
    public void prepare() {
        StringBuilder yaml = new StringBuilder("domain: bench\nkey_by: user\nrules:\n");
        for (int i = 0; i < RULES; i++) {
            yaml.append("  - name: r").append(i).append("\n    match: { endpoint: \"GET /");
            yaml.append(i < met ? "orders" : "other-" + i).append("\" }\n");
            yaml.append("    limit: { requests: 1000000000, window: ")
                    .append(i + 1)
                    .append("h }\n");
        }
        LoadResult result = RuleLoader.parse("bench.yaml", yaml.toString());
        if (result.rules() == null) {
            throw new IllegalStateException("rules: " + result.errors() + " (expected: no errors)");
        }
        limiter = new Limiter(
                result.rules(), new MemoryStore(100_000), clock, LimiterSettings.defaults(), new LimiterObserver() {});
        for (int i = 0; i < USERS; i++) {
            users[i] = "user-" + (USERS + i);
        }
    }

    @Benchmark
    public MutableDecision decide() {
        Limiter by = limiter;
        if (by == null) {
            throw new IllegalStateException("not prepared");
        }
        next = next + 1 == USERS ? 0 : next + 1;
        // A copy, because the string of a request has no cached hash.
        request.clear("bench").with("endpoint", "GET /orders").with("user", new String(users[next]));
        by.decide(request, clock.micros(), decision);
        if (!decision.allowed() || decision.size() != met) {
            throw new IllegalStateException(decision.size() + " rules (expected: " + met + ", all of which allow)");
        }
        return decision;
    }
}
