package dev.weir.benchmarks;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.ban.AddressList;
import dev.weir.internal.ban.BanSet;
import dev.weir.internal.ban.BanTable;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.pattern.Cidr;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.rules.internal.load.RuleLoader;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Decides requests of callers that are not banned, without bans and beside a list of 100,000 addresses. The rule counts by
 * address, so that both sides read the address of the caller.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BanBenchmark {
    private static final int REQUESTS = 1 << 14;
    private static final String RULES = """
            domain: api
            rules:
              - { name: each, key_by: ip, limit: { requests: 1000000, window: 1s } }
            """;

    @Param({"0", "100000"})
    public int entries;

    /** The protocol of the callers and of the blocks. */
    @Param({"ipv4", "ipv6"})
    public String family = "ipv4";

    private final Request[] requests = new Request[REQUESTS];
    private final MutableDecision decision = new MutableDecision();
    private long now = 1_800_000_000_000_000L;
    private int next;

    @SuppressWarnings("NullAway.Init") // JMH calls load first
    private Limiter limiter;

    /** Loads the blocks and draws the requests, none of which is in a block. */
    @Setup
    public void load() {
        limiter = new Limiter(
                Objects.requireNonNull(RuleLoader.parse("rules.yaml", RULES).rules()),
                new MemoryStore(1 << 16),
                TimeSource.system(),
                LimiterSettings.defaults(),
                new LimiterObserver() {});
        Random random = new Random(42);
        AddressList blocks = new AddressList();
        for (int i = 0; i < entries; i++) {
            // Blocks are odd in their last byte or group, callers even.
            blocks.add(Cidr.parse(address(random, 1)));
        }
        Ban list = new Ban(BanKind.BAN, "ip", "list", "", Ban.FOREVER, "", "list", false);
        limiter.bans(new BanTable(List.of(BanSet.ofAddresses(list, blocks))));
        for (int i = 0; i < REQUESTS; i++) {
            requests[i] = Request.to("api")
                    .descriptor()
                    .with("user_id", "u" + random.nextInt(1_000))
                    .with("ip", address(random, 0));
        }
    }

    private String address(Random random, int odd) {
        int last = random.nextInt(128) * 2 + odd;
        return family.equals("ipv4")
                ? (1 + random.nextInt(222)) + "." + random.nextInt(256) + "." + random.nextInt(256) + "." + last
                : "2a0" + random.nextInt(10) + ":" + Integer.toHexString(random.nextInt(1 << 16)) + ":"
                        + Integer.toHexString(random.nextInt(1 << 16)) + "::" + Integer.toHexString(last);
    }

    /** Decides one request, which passes. */
    @Benchmark
    public boolean decide() {
        limiter.decide(requests[next++ & REQUESTS - 1], now += 10, decision);
        return decision.allowed();
    }
}
