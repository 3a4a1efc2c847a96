package dev.weir.benchmarks;

import dev.weir.match.Matches;
import dev.weir.match.RuleSet;
import dev.weir.model.Request;
import dev.weir.rules.LoadResult;
import dev.weir.rules.RuleLoader;
import java.util.Random;
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
 * What it costs to find the one rule, and the counter, that a request meets among rules that exact values tell apart, in either
 * spelling: 10,000 rules are to cost no more than 1.5 times what 10 do. {@code asked} is how many of them the traffic is about:
 * with 10, both sides see the same requests and the rules alone differ; with 1,000 the rules that are met no longer fit the
 * nearest cache, which is the memory's price and not the search's.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class MatchingBenchmark {
    private static final int REQUESTS = 1 << 10;

    @Param({"10", "10000"})
    int rules;

    @Param({"envoy", "weir"})
    String spelling = "";

    @Param({"10", "1000"})
    int asked;

    private RuleSet set = RuleSet.empty();
    private final Request[] requests = new Request[REQUESTS];
    private final Matches matches = new Matches();
    private int next;

    @Setup
    public void load() {
        LoadResult result = RuleLoader.parse(spelling + ".yaml", spelling.equals("envoy") ? envoy(rules) : weir(rules));
        if (result.rules() == null) {
            throw new IllegalStateException("rules: " + result.errors() + " (expected: no errors)");
        }
        set = result.rules();
        Random random = new Random(42);
        for (int i = 0; i < REQUESTS; i++) {
            requests[i] = Request.to("bench")
                    .with("tenant", "tenant-" + random.nextInt(Math.min(rules, asked)))
                    .with("user", "user-" + i);
        }
    }

    @Benchmark
    public Matches match() {
        set.match(requests[next++ & REQUESTS - 1], matches);
        return matches;
    }

    private static String envoy(int rules) {
        StringBuilder yaml = new StringBuilder("domain: bench\ndescriptors:\n");
        for (int i = 0; i < rules; i++) {
            yaml.append("  - key: tenant\n    value: tenant-").append(i).append('\n');
            yaml.append("    descriptors:\n      - key: user\n");
            yaml.append("        rate_limit: { unit: hour, requests_per_unit: ")
                    .append(i + 1)
                    .append(" }\n");
        }
        return yaml.toString();
    }

    private static String weir(int rules) {
        StringBuilder yaml = new StringBuilder("domain: bench\nkey_by: user\nrules:\n");
        for (int i = 0; i < rules; i++) {
            yaml.append("  - match: { tenant: tenant-").append(i).append(" }\n");
            yaml.append("    limit: { requests: ").append(i + 1).append(", window: 1h }\n");
        }
        return yaml.toString();
    }
}
