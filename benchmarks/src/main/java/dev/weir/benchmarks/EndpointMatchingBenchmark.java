package dev.weir.benchmarks;

import dev.weir.Request;
import dev.weir.internal.match.Matches;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.RuleLoader;
import java.util.concurrent.TimeUnit;
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
 * How long it takes to match a request by its endpoint: one in normal form, one with a query, and one that takes every
 * step of the normal form.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class EndpointMatchingBenchmark {
    @Param({"POST /api/v1/orders/4711/items", "POST /api/v1/orders/4711/items?page=2", "post //api/./v1/%6Frders;a=b/"})
    String endpoint = "";

    private RuleIndex index = RuleIndex.of(WrittenRules.empty());
    private final Request request = Request.to("bench");
    private final Matches matches = new Matches();

    @Setup
    public void prepare() {
        index = RuleIndex.of(RuleLoader.parse("bench.yaml", """
                        domain: bench
                        key_by: user
                        rules:
                          - { name: exact, match: { endpoint: "POST /login" }, limit: { requests: 5, window: 1m } }
                          - { name: glob, match: { endpoint: "/api/*" }, limit: { requests: 100, window: 1s } }
                        """).orThrow());
    }

    @Benchmark
    public Matches match() {
        // A copy, because the string of a request has no cached hash.
        request.clear("bench").with("endpoint", new String(endpoint)).with("user", "user-1");
        index.match(request, matches);
        return matches;
    }
}
