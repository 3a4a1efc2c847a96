package dev.weir.server.rlqs;

import dev.weir.Request;
import dev.weir.internal.ban.BanSet;
import dev.weir.internal.ban.BanTable;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.SharedStore;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.server.rls.RequestCaps;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.function.Supplier;

/** A quota service and Envoys on virtual time. The store outlives the service, as Redis does. */
abstract class QuotaTestBed {
    private static final long STEP_MICROS = 10_000;
    static final Map<String, String> ANN = Map.of("user", "ann");

    final List<SimulatedEnvoy> envoys = new ArrayList<>();
    final Random random = new Random(1);
    long now = 1_800_000_000_000_000L;
    long delayMicros = 1_000;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private WrittenRules written = parse("");
    private MemoryStore store = new MemoryStore(200_000);
    private SharedStores stores = SharedStores.none();
    private int services;
    /** What the tasks of services threw. */
    final List<Throwable> failures = new ArrayList<>();

    Supplier<GrantLedger> ledgers = GrantLedger::new;
    QuotaBounds bounds = QuotaBounds.ofThisHeap();
    Limiter limiter = limiter();
    QuotaService service = service();

    private static WrittenRules parse(String rules) {
        String yaml = "domain: front\nrules:\n" + (rules.isEmpty() ? "  []\n" : rules);
        return Objects.requireNonNull(RuleLoader.parse("rules.yaml", yaml).rules());
    }

    /** The time of the server; a test may have it fail. */
    long time() {
        return now;
    }

    private Limiter limiter() {
        return new Limiter(written, store, stores, this::time, LimiterSettings.defaults(), new LimiterObserver() {});
    }

    private QuotaService service() {
        int mine = ++services;
        return new QuotaService(
                limiter,
                this::time,
                RequestCaps.defaults(),
                task -> tasks.add(() -> {
                    if (mine == services) {
                        task.run();
                    }
                }),
                bounds,
                failures::add,
                () -> ledgers.get());
    }

    /** Starts over with {@code rules} and nothing counted. */
    void rules(String rules) {
        written = parse(rules);
        store = new MemoryStore(200_000);
        restart();
    }

    /** The same, with counters in {@code shared}. */
    void rules(String rules, SharedStore shared) {
        stores = SharedStores.of(shared);
        rules(rules);
    }

    /** Puts {@code rules} in force while everything runs. */
    void reload(String rules) {
        written = parse(rules);
        limiter.rules(written);
    }

    /** Another server takes the place of the one that runs, whose work is lost. */
    void restart() {
        tasks.clear();
        limiter = limiter();
        service = service();
    }

    /** Puts switches and overrides in force while everything runs. */
    void control(RuleSwitches switches, OverrideLookup overrides) {
        limiter.index(RuleIndex.of(written, overrides, switches));
    }

    void ban(BanKind kind) {
        Ban ban = new Ban(kind, "user", "ann", "", Ban.FOREVER, "", "test", false);
        limiter.bans(new BanTable(List.of(BanSet.of(List.of(ban), false))));
    }

    SimulatedEnvoy envoy() {
        SimulatedEnvoy envoy = new SimulatedEnvoy(
                () -> service,
                "front",
                "envoy-" + envoys.size(),
                () -> now,
                () -> delayMicros + random.nextLong(delayMicros + 1));
        envoys.add(envoy);
        return envoy;
    }

    /** Lets the server do {@code most} pieces of work; returns how many it did. */
    int work(int most) {
        int done = 0;
        for (; done < most && !tasks.isEmpty(); done++) {
            tasks.remove().run();
        }
        return done;
    }

    void step() {
        now += STEP_MICROS;
        envoys.forEach(SimulatedEnvoy::run);
        if (now % 100_000 == 0) {
            service.tick();
        }
        work(Integer.MAX_VALUE);
    }

    /** Lets a report and its answer arrive. */
    void roundTrip() {
        step();
        step();
    }

    void run(int seconds) {
        for (int i = 0; i < seconds * 100; i++) {
            step();
        }
    }

    /** Asks {@code perSecond[i]} times a second through the i-th Envoy. */
    void run(int seconds, int... perSecond) {
        for (int i = 0; i < seconds * 100; i++) {
            step();
            for (int j = 0; j < perSecond.length; j++) {
                int due = perSecond[j] * (i + 1) / 100 - perSecond[j] * i / 100;
                for (int k = 0; k < due; k++) {
                    envoys.get(j).ask(ANN);
                }
            }
        }
    }

    /** The hits that the counter of {@code user} has left, as a check would see them. */
    long left(String user) {
        return limiter.probe(
                        Request.to("front").with("user", user).asAttributes().hits(1))
                .toCompletableFuture()
                .join()
                .decision()
                .verdict(0)
                .remaining();
    }

    /** The requests that passed in all Envoys. */
    long passed() {
        return envoys.stream().mapToLong(each -> each.allowed).sum();
    }
}
