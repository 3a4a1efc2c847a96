package dev.weir.benchmarks;

import dev.weir.Request;
import dev.weir.internal.match.Matches;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleLoader;
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
 * Measures how long it takes to find the one rule and counter of a request, among rules that differ in exact values, in
 * either format. 10,000 rules must cost no more than 1.5 times as much as 10. {@code asked} is the number of rules that
 * the traffic matches.
 *
 * <p>Only the rules differ. Each side gets equally many requests, one after the other in one buffer as in a server.
 * Their values lie in memory in the order of the requests, are equally long and were not hashed before. So all sides
 * pay the same for reading the strings.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class MatchingBenchmark {
    private static final int REQUESTS = 1 << 14;

    @Param({"10", "10000"})
    int rules;

    @Param({"envoy", "weir"})
    String format = "";

    @Param({"10", "1000", "10000"})
    int asked;

    private RuleIndex index = RuleIndex.of(WrittenRules.empty());
    private final String[] tenants = new String[REQUESTS];
    private final String[] users = new String[REQUESTS];
    private final Request request = Request.to("bench");
    private final Matches matches = new Matches();
    private int next;

    @Setup
    public void prepare() {
        loadRules();
        System.gc(); // the rules get their final addresses, and nothing will move the values
        drawRequests();
    }

    void loadRules() {
        LoadResult result = RuleLoader.parse(format + ".yaml", format.equals("envoy") ? envoy(rules) : weir(rules));
        if (result.rules() == null) {
            throw new IllegalStateException("rules: " + result.errors() + " (expected: no errors)");
        }
        index = RuleIndex.of(result.rules());
    }

    void drawRequests() {
        Random random = new Random(42);
        for (int i = 0; i < REQUESTS; i++) {
            tenants[i] = tenant(random.nextInt(asked) % rules);
            users[i] = "user-" + (REQUESTS + i);
        }
    }

    @Benchmark
    public Matches match() {
        int now = next++ & REQUESTS - 1;
        // A copy, because the string of a request has no cached hash.
        request.clear("bench").with("tenant", new String(tenants[now])).with("user", new String(users[now]));
        index.match(request, matches);
        return matches;
    }

    /** A name of fixed length, so that its length does not depend on the number of rules. */
    private static String tenant(int number) {
        return "tenant-" + (10_000 + number);
    }

    private static String envoy(int rules) {
        StringBuilder yaml = new StringBuilder("domain: bench\ndescriptors:\n");
        for (int i = 0; i < rules; i++) {
            yaml.append("  - key: tenant\n    value: ").append(tenant(i)).append('\n');
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
            yaml.append("  - match: { tenant: ").append(tenant(i)).append(" }\n");
            yaml.append("    limit: { requests: ").append(i + 1).append(", window: 1h }\n");
        }
        return yaml.toString();
    }
}
