package dev.weir.control.decisions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.control.decisions.DecisionSinkSettings.KeyShown;
import dev.weir.control.decisions.DecisionSinkSettings.Requests;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Requests as lines: what is in them, what is hashed, and whose are in a sample. */
class RequestLinesTest {
    private final List<String> lines = new CopyOnWriteArrayList<>();

    /** Decides what {@code asks} asks, and returns the lines. */
    private List<String> record(Requests requests, int sample, KeyShown key, Consumer<Limiter> asks) {
        lines.clear();
        Rule rule = Rule.builder("api", "writes")
                .label("writes")
                .limit(Limit.fixedWindow(2, Duration.ofHours(1)))
                .build();
        RuleIndex rules = RuleIndex.of(WrittenRules.builder()
                .weir("api", List.of(new WeirRule(rule, List.of(Condition.of("endpoint", "/x")), KeyBy.of("user_id"))))
                .build());
        DecisionSinkSettings settings = new DecisionSinkSettings(
                null,
                null,
                sample,
                false,
                key,
                "s3cret",
                "node-1",
                "eu",
                requests,
                Set.copyOf(IdentityHash.PLAIN),
                16_384);
        try (MemoryStore store = new MemoryStore(1024)) {
            try (DecisionSink sink = new DecisionSink(settings, List.of(new Collected()))) {
                sink.rules(rules);
                asks.accept(new Limiter(
                        rules, store, SharedStores.none(), TimeSource.system(), LimiterSettings.defaults(), sink));
            }
        }
        return new ArrayList<>(lines);
    }

    private final class Collected implements Outlet {
        @Override
        public String name() {
            return "list";
        }

        @Override
        public void write(DecisionLine line) {
            lines.add(new String(line.json(), StandardCharsets.UTF_8));
        }

        @Override
        public void pause() {}

        @Override
        public long written() {
            return lines.size();
        }

        @Override
        public long dropped() {
            return 0;
        }

        @Override
        public void close() {}
    }

    private static Request ask(String user, String endpoint) {
        return Request.to("api")
                .with("user_id", user)
                .with("endpoint", endpoint)
                .asAttributes();
    }

    @Test
    void everyRequestIsALineAlsoIfNoRuleMatchesIt() {
        String hash = new IdentityHash("s3cret").of("user_id", "u_1");
        List<String> found = record(Requests.ALL, 0, KeyShown.HASH, limiter -> {
            limiter.decide(ask("u_1", "/x").hits(2));
            limiter.decide(ask("u_1", "/x"));
            limiter.decide(ask("u_1", "/other").hits("output_tokens", 80));
            limiter.decide(ask("u_1", "/x").takeNothing());
        });

        assertThat(found).hasSize(4);
        assertThat(found.get(0)).contains("\"node\":\"node-1\",\"recording\":\"all\",\"region\":\"eu\",\"hash\":\"");
        assertThat(found.get(1))
                .matches("\\{\"time\":\"\\d{4}-.*Z\",.*")
                .contains("\"request\":[{\"user_id\":\"" + hash + "\",\"endpoint\":\"/x\"}],\"attributes\":true")
                .contains("\"cost\":2,\"hashed\":[\"user_id\"],\"passed\":true}");
        assertThat(found.get(2))
                .contains("\"passed\":false,\"denied_by\":\"writes\"}")
                .doesNotContain("cost");
        assertThat(found.get(3)).contains("\"costs\":{\"output_tokens\":80}", "\"passed\":true");
    }

    @Test
    void callersAreNamedIfTheSettingsSayPlain() {
        List<String> found = record(Requests.ALL, 0, KeyShown.PLAIN, limiter -> limiter.decide(ask("u_1", "/x")));

        assertThat(found.get(1)).contains("\"user_id\":\"u_1\"").doesNotContain("hashed");
    }

    @Test
    void aSampleHasAllRequestsOfOneCallerInSoMany() {
        List<String> found = record(Requests.SAMPLE, 10, KeyShown.PLAIN, limiter -> {
            for (int i = 0; i < 3_000; i++) {
                limiter.decide(ask("u_" + i % 1_000, "/none"));
            }
        });
        TreeMap<String, Integer> users = new TreeMap<>();
        found.stream()
                .filter(each -> each.contains("\"request\""))
                .forEach(each -> users.merge(each.replaceAll(".*\"user_id\":\"([^\"]*)\".*", "$1"), 1, Integer::sum));

        assertThat(users).hasSizeBetween(60, 140);
        assertThat(users.values()).containsOnly(3);
        assertThat(found.get(found.size() - 1)).contains("\"sample\":10,\"sample_by\":\"user_id\"");
    }

    @Test
    void aRequestThatIsTooLargeToKeepIsToldAsLost() {
        List<String> found = record(Requests.ALL, 0, KeyShown.HASH, limiter -> {
            limiter.decide(ask("u_1", "/x"));
            limiter.decide(ask("x".repeat(20_000), "/x"));
        });

        assertThat(found).hasSize(3);
        assertThat(found.get(2)).contains("\"lost_requests\":1,\"lost_lines\":0");
    }

    @Test
    void addressesAreHashedAsTheyAreCounted() {
        IdentityHash hash = new IdentityHash(null);

        assertThat(hash.of("ip", "2001:db8::1")).isEqualTo(hash.of("ip", "[2001:DB8::ffff]:443"));
        assertThat(hash.of("ip", "2001:db8::1")).isNotEqualTo(hash.of("ip", "2001:db8:1::1"));
        assertThat(hash.of("ip", "::ffff:192.0.2.1")).isEqualTo(hash.of("ip", "192.0.2.1:80"));
        assertThat(hash.of("user_id", "u")).hasSize(32).isNotEqualTo(new IdentityHash("k").of("user_id", "u"));
    }
}
