package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.SharedStore;
import dev.weir.internal.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Callers on event loops of their own, and stores that answer from another: buffers cross threads and come back. */
class SharedThreadsTest {
    private static final int LOOPS = 4;
    private static final int ASKS = 4_000;
    private static final long NOW = 1_800_000_010_000_000L;

    private final List<ExecutorService> loops = new ArrayList<>();
    private final List<ExecutorService> io = new ArrayList<>();

    @AfterEach
    void stop() {
        loops.forEach(ExecutorService::shutdownNow);
        io.forEach(ExecutorService::shutdownNow);
    }

    /** Counts on a thread of its own. */
    private final class ThreadedStore implements SharedStore {
        private final MemoryStore counters = new MemoryStore(10_000);
        private final ExecutorService thread = Executors.newSingleThreadExecutor();

        ThreadedStore() {
            io.add(thread);
        }

        @Override
        public void decide(Ask ask) {
            thread.execute(() -> {
                Checks copy = new Checks();
                for (int i = 0; i < ask.checks.size(); i++) {
                    Check check = copy.add();
                    check.set(ask.checks.get(i));
                    check.hits = ask.denied ? 0 : check.hits;
                }
                counters.decide(copy, NOW);
                for (int i = 0; i < ask.checks.size(); i++) {
                    ask.checks.get(i).outcome.set(copy.get(i).outcome);
                    ask.checks.get(i).failure = null;
                }
                ask.home.execute(ask::answered);
            });
        }

        @Override
        public void close() {}
    }

    @Test
    void manyThreadsPassExactlyTheLimitAndEachGetsItsOwnDecision() throws Exception {
        WrittenRules rules = rules(
                rule(
                        WeirRules.rule("all", Limit.fixedWindow(1_000, Duration.ofMinutes(1)))
                                .build(),
                        KeyBy.global()),
                rule(
                        WeirRules.rule("each", Limit.fixedWindow(400, Duration.ofMinutes(1)))
                                .build(),
                        KeyBy.of("loop")));
        Limiter limiter = new Limiter(
                rules,
                new MemoryStore(100),
                SharedStores.of(new ThreadedStore()),
                () -> NOW,
                LimiterSettings.defaults(),
                new LimiterObserver() {});
        AtomicInteger[] admitted = new AtomicInteger[LOOPS];
        AtomicInteger mixedUp = new AtomicInteger();
        CountDownLatch told = new CountDownLatch(LOOPS * ASKS);
        for (int i = 0; i < LOOPS; i++) {
            ExecutorService loop = Executors.newSingleThreadExecutor();
            loops.add(loop);
            String name = "loop " + i;
            AtomicInteger mine = new AtomicInteger();
            admitted[i] = mine;
            Waiter waiter = new Waiter() {
                @Override
                public Executor home() {
                    return loop;
                }

                @Override
                public void decided(Request request, MutableDecision decision) {
                    mixedUp.addAndGet(request.value(0).equals(name) ? 0 : 1);
                    mine.addAndGet(decision.allowed() ? 1 : 0);
                    told.countDown();
                }
            };
            for (int burst = 0; burst < ASKS; burst += 50) {
                loop.execute(() -> {
                    MutableDecision into = new MutableDecision();
                    for (int each = 0; each < 50; each++) {
                        Request request = ask("loop", name);
                        if (limiter.decide(request, NOW, into, () -> waiter)) {
                            waiter.decided(request, into);
                        }
                    }
                });
            }
        }
        assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(mixedUp).hasValue(0);
        assertThat(admitted).extracting(AtomicInteger::get).allMatch(each -> each <= 400);
        int sum = 0;
        for (AtomicInteger each : admitted) {
            sum += each.get();
        }
        assertThat(sum).isEqualTo(1_000);
    }

    /** Places answer at once, each on a thread of its own; the last of them goes on. */
    @Test
    void ofThreeStoresThatAnswerAtOnceNoneKeepsWhatWasDenied() throws Exception {
        Map<String, ThreadedStore> stores = new LinkedHashMap<>();
        List<WeirRule> rules = new ArrayList<>();
        long[] limits = {900, 1_000, 5_000, 5_000};
        for (int i = 0; i < limits.length; i++) {
            String name = i == 0 ? "default" : "store" + i;
            stores.put(name, new ThreadedStore());
            Limit limit = Limit.fixedWindow(limits[i], Duration.ofMinutes(1));
            rules.add(rule(WeirRules.rule("r" + i, limit).store(name).build(), KeyBy.of("k" + i)));
        }
        Limiter limiter = new Limiter(
                rules(rules.toArray(WeirRule[]::new)),
                new MemoryStore(100),
                SharedStores.of(stores),
                () -> NOW,
                LimiterSettings.defaults().withDeadlineMicros(20_000_000),
                new LimiterObserver() {});
        limiter.decideAsync(ask("k1", "x").hits(300)).toCompletableFuture().get(60, TimeUnit.SECONDS);
        AtomicInteger admitted = new AtomicInteger();
        CountDownLatch told = new CountDownLatch(LOOPS * ASKS);
        for (int i = 0; i < LOOPS; i++) {
            ExecutorService loop = Executors.newSingleThreadExecutor();
            loops.add(loop);
            loop.execute(() -> {
                for (int each = 0; each < ASKS; each++) {
                    var unused = limiter.decideAsync(ask("k0", "x", "k1", "x", "k2", "x", "k3", "x"))
                            .thenAccept(decision -> {
                                admitted.addAndGet(decision.allowed() ? 1 : 0);
                                told.countDown();
                            });
                }
            });
        }
        assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
        for (ExecutorService each : io) {
            each.submit(() -> {}).get(60, TimeUnit.SECONDS); // what was given back has arrived
        }
        assertThat(admitted.get()).isBetween(1, 700);
        MutableDecision left = limiter.decideAsync(
                        ask("k0", "x", "k1", "x", "k2", "x", "k3", "x").hits(0))
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        for (int i = 0; i < limits.length; i++) {
            long used = admitted.get() + (i == 1 ? 300L : 0L);
            assertThat(left.verdict(i).remaining()).as("r" + i).isEqualTo(limits[i] - used);
        }
    }
}
