package dev.weir.redis.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.testkit.RedisCluster;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Requests that a cluster counts in two slots, another Redis in a third place, and each node by itself. */
class RequestOverStoresTest {
    private static final Duration AGES = Duration.ofDays(300);
    private static final long PATIENT_MICROS = 4_000_000;

    private static RedisCluster cluster;
    private static RedisProcess single;
    private static RedisSharedStore slots;
    private static RedisSharedStore other;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(true);
        single = RedisProcess.start();
        slots = RedisSharedStore.open(RedisSettings.of(cluster.uri()));
        other = RedisSharedStore.open(RedisSettings.of(single.uri()));
        AwaitableAsk.awaitServing(slots);
        AwaitableAsk.awaitServing(other);
    }

    @AfterAll
    static void stop() {
        slots.close();
        other.close();
        cluster.close();
        single.stop();
    }

    private static WeirRule rule(String name, long requests, String store) {
        RuleBuilder rule = WeirRules.rule(name, Limit.fixedWindow(requests, AGES));
        if (store.equals("here")) {
            rule.consistency(Consistency.LOCAL);
        } else {
            rule.store(store);
        }
        return WeirRules.rule(rule.build(), KeyBy.of(name));
    }

    private static Limiter node(WrittenRules rules) {
        return new Limiter(
                rules,
                new MemoryStore(1_000),
                SharedStores.of(Map.of("default", slots, "other", other)),
                TimeSource.system(),
                LimiterSettings.defaults().withDeadlineMicros(PATIENT_MICROS),
                new LimiterObserver() {});
    }

    private static Request request(String value) {
        return WeirRules.ask("a", value, "b", value, "c", value, "l", value);
    }

    /** A wide limit that is nearly used up denies: the tighter ones took before, and have it all back in the end. */
    @Test
    void howeverTheyRaceNoPlaceKeepsWhatAnotherDenied() {
        WrittenRules rules = WeirRules.rules(
                rule("a", 300, "default"),
                rule("b", 1_000, "default"),
                rule("c", 2_000, "other"),
                rule("l", 9_999, "here"));
        List<Limiter> nodes = List.of(node(rules), node(rules), node(rules));
        assertThat(FleetLimiters.decide(nodes.get(0), WeirRules.ask("c", "x").hits(1_900))
                        .allowed())
                .isTrue();
        List<CompletableFuture<MutableDecision>> decisions = new ArrayList<>();
        for (int i = 0; i < 1_500; i++) {
            decisions.add(nodes.get(i % 3).decideAsync(request("x")).toCompletableFuture());
        }
        CompletableFuture.allOf(decisions.toArray(CompletableFuture[]::new)).join();
        assertThat(decisions).noneMatch(each -> each.join().degraded());
        long admitted = decisions.stream().filter(each -> each.join().allowed()).count();
        assertThat(admitted).isBetween(1L, 100L);
        assertThat(slots.stats().giveBacks()).isPositive();
        await().untilAsserted(() -> {
            MutableDecision left = FleetLimiters.decide(
                    nodes.get(0), WeirRules.ask("a", "x", "b", "x", "c", "x").hits(0));
            assertThat(left.verdict(0).remaining()).isEqualTo(300 - admitted);
            assertThat(left.verdict(1).remaining()).isEqualTo(1_000 - admitted);
            assertThat(left.verdict(2).remaining()).isEqualTo(100 - admitted);
        });
    }

    @Test
    void whatTheTightestDeniesTakesNothingElsewhere() {
        WrittenRules rules = WeirRules.rules(
                rule("a", 1_000, "default"),
                rule("b", 1_000, "default"),
                rule("c", 10, "other"),
                rule("l", 99, "here"));
        Limiter node = node(rules);
        long before = slots.stats().giveBacks();
        for (int i = 0; i < 10; i++) {
            assertThat(FleetLimiters.decide(node, request("y")).allowed()).isTrue();
        }
        Limiter another = node(rules);
        assertThat(FleetLimiters.decide(another, request("y")).allowed()).isFalse();
        MutableDecision left =
                FleetLimiters.decide(node, WeirRules.ask("a", "y", "b", "y").hits(0));
        assertThat(left.verdict(0).remaining()).isEqualTo(990);
        assertThat(left.verdict(1).remaining()).isEqualTo(990);
        assertThat(slots.stats().giveBacks()).isEqualTo(before);
    }
}
