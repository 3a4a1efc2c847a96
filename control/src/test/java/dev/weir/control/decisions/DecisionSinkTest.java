package dev.weir.control.decisions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import dev.weir.Algorithm;
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
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DecisionSinkTest {
    private final List<DecisionLine> lines = new CopyOnWriteArrayList<>();
    private final MemoryStore store = new MemoryStore(1024);
    private final RuleIndex rules = rules(false);
    private final CountDownLatch gate = new CountDownLatch(1);
    private @Nullable DecisionSink sink;

    @AfterEach
    void stop() {
        gate.countDown();
        if (sink != null) {
            sink.close();
        }
        store.close();
    }

    private static RuleIndex rules(boolean shadow) {
        Limit two = new Limit(Algorithm.FIXED_WINDOW, 2, 3_600_000_000L, 2, 1);
        Rule rule = Rule.builder("api", "writes")
                .name("writes")
                .label("writes")
                .limit(two)
                .shadow(shadow)
                .source("rules.yaml:3:5")
                .build();
        List<Condition> everything = List.of();
        return RuleIndex.of(WrittenRules.builder()
                .weir("api", List.of(new WeirRule(rule, everything, KeyBy.of("user_id"))))
                .build());
    }

    private Limiter limiter(int sample, boolean denials, KeyShown key, @Nullable String secret, int buffer) {
        return limiter(rules, sample, denials, key, secret, buffer, false);
    }

    private Limiter limiter(
            RuleIndex with,
            int sample,
            boolean denials,
            KeyShown key,
            @Nullable String secret,
            int buffer,
            boolean stuck) {
        DecisionSinkSettings settings = new DecisionSinkSettings(
                null,
                null,
                sample,
                denials,
                key,
                secret,
                "node-1",
                null,
                Requests.NONE,
                Set.copyOf(IdentityHash.PLAIN),
                buffer);
        DecisionSink made = new DecisionSink(settings, List.of(new Collected(stuck)));
        made.rules(with);
        sink = made;
        return new Limiter(with, store, SharedStores.none(), TimeSource.system(), LimiterSettings.defaults(), made);
    }

    private final class Collected implements Outlet {
        private final boolean stuck;

        Collected(boolean stuck) {
            this.stuck = stuck;
        }

        @Override
        public String name() {
            return "list";
        }

        @Override
        public void write(DecisionLine line) {
            if (stuck) {
                try {
                    gate.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            lines.add(line);
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

    private static Request ask(String user) {
        return Request.to("api").with("user_id", user);
    }

    private List<String> written() {
        if (sink != null) {
            sink.close();
        }
        List<String> texts = new ArrayList<>();
        lines.forEach(each -> texts.add(new String(each.json(), StandardCharsets.UTF_8)));
        return texts;
    }

    @Test
    void everyDenialIsALineAndWhatPassesIsNone() {
        Limiter limiter = limiter(0, true, KeyShown.PLAIN, null, 64);
        for (int i = 0; i < 5; i++) {
            limiter.decide(ask("u_1"));
        }

        assertThat(written()).hasSize(3);
        assertThat(written().get(0))
                .startsWith("{\"time\":\"20")
                .contains("\"node\":\"node-1\",\"domain\":\"api\",\"rule\":\"writes\",\"key\":\"user_id=u_1\"")
                .contains("\"verdict\":\"denied\",\"reason\":\"over_limit\",\"passed\":false,\"hits\":1,\"limit\":2")
                .contains("\"remaining\":0,\"retry_after\":")
                .contains("\"degraded\":false,\"shadow\":false,\"source\":\"rules.yaml:3:5\"}")
                .doesNotContain("\n");
    }

    @Test
    void byDefaultACallerIsRecognisedButNotNamed() {
        Limiter limiter = limiter(1, false, KeyShown.HASH, null, 64);
        limiter.decide(ask("u_1"));
        limiter.decide(ask("u_1"));
        limiter.decide(ask("u_2"));

        assertThat(written()).hasSize(3).noneMatch(each -> each.contains("u_1"));
        assertThat(lines.get(0).counter()).isNotEmpty().isEqualTo(lines.get(1).counter());
        assertThat(lines.get(2).counter()).isNotEqualTo(lines.get(0).counter());
    }

    @Test
    void aSecretMakesAHashThatNobodyElseCanMake() {
        limiter(1, false, KeyShown.HASH, "a", 64).decide(ask("u_1"));
        written();
        limiter(1, false, KeyShown.HASH, "b", 64).decide(ask("u_1"));
        written();
        limiter(1, false, KeyShown.HASH, "a", 64).decide(ask("u_1"));
        written();

        assertThat(lines.get(0).counter()).hasSize(32).isEqualTo(lines.get(2).counter());
        assertThat(lines.get(1).counter()).isNotEqualTo(lines.get(0).counter());
    }

    @Test
    void aLineNeedNotTellTheCallerAtAll() {
        limiter(1, false, KeyShown.NONE, null, 64).decide(ask("u_1"));

        assertThat(written()).singleElement().asString().contains("\"key\":null");
        assertThat(lines.get(0).counter()).isNull();
    }

    @Test
    void aRuleThatOnlyWatchesIsWrittenAsOne() {
        Limiter limiter = limiter(rules(true), 0, true, KeyShown.HASH, null, 64, false);
        for (int i = 0; i < 3; i++) {
            limiter.decide(ask("u_1"));
        }

        assertThat(written())
                .singleElement()
                .asString()
                .contains("\"verdict\":\"denied\"", "\"passed\":true", "\"shadow\":true");
    }

    @Test
    void oneInTenIsAboutOneInTen() {
        Limiter limiter = limiter(10, false, KeyShown.NONE, null, 16_384);
        for (int i = 0; i < 10_000; i++) {
            limiter.decide(ask("u_" + i));
        }

        assertThat(written()).hasSizeBetween(800, 1_200);
    }

    @Test
    void hitsThatNeverFitHaveNoRetryAfter() {
        Limiter limiter = limiter(0, true, KeyShown.HASH, null, 64);
        limiter.decide(ask("u_1").hits(3));

        assertThat(written()).singleElement().asString().contains("\"reason\":\"never\"", "\"retry_after\":null");
    }

    @Test
    void decisionsGoOnAndDropsAreCountedIfTheWriterIsStuck() {
        Limiter limiter = limiter(rules, 1, false, KeyShown.NONE, null, 8, true);
        for (int i = 0; i < 1_000; i++) {
            assertThat(limiter.decide(ask("u_" + i)).allowed()).isTrue();
        }
        DecisionSink full = Objects.requireNonNull(sink);

        assertThat(full.full()).isBetween(980L, 992L);
        gate.countDown();
        await().until(() -> lines.size() + full.full() == 1_000);
    }

    @Test
    void aRequestOfManyDescriptorsWritesSoManyAndCountsTheRest() {
        Limiter limiter = limiter(1, false, KeyShown.PLAIN, null, 64);
        Request request = Request.to("api");
        for (int i = 0; i < 100; i++) {
            request.descriptor().with("user_id", "u_" + i);
        }
        limiter.decide(request);

        assertThat(written()).hasSize(RecordedDecision.MOST_VERDICTS);
        assertThat(Objects.requireNonNull(sink).cut()).isEqualTo(100 - RecordedDecision.MOST_VERDICTS);
    }

    @Test
    void hugeValuesAreNotKeptInMemoryButTheDenialIsWritten() {
        Limiter limiter = limiter(0, true, KeyShown.HASH, null, 64);
        String huge = "x".repeat(20_000);
        for (int i = 0; i < 3; i++) {
            limiter.decide(ask(huge));
        }

        assertThat(written()).singleElement().asString().contains("\"rule\":\"writes\",\"key\":null");
    }

    @Test
    void hostileValuesStayInsideTheirLine() {
        limiter(1, false, KeyShown.PLAIN, null, 64).decide(ask("a\"}\n{\"\u2028\u0000\ud800"));

        assertThat(written())
                .singleElement()
                .asString()
                .doesNotContain("\n", "\u0000")
                .endsWith("}");
    }

    @Test
    void theThreadThatDecidesAllocatesNothingForTheSink() {
        Limiter limiter = limiter(1, true, KeyShown.PLAIN, null, 64);
        DecisionSink taking = Objects.requireNonNull(sink);
        Request request = ask("u_1");
        MutableDecision decision = limiter.decide(request);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int i = 0; i < 20_000; i++) {
            taking.decided(request, decision);
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 20_000; i++) {
            taking.decided(request, decision);
        }

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(20_000);
    }

    @Test
    void aChangeOfRulesLosesNoKeyOfWhatWasDecidedBefore() {
        Limiter limiter = limiter(rules, 1, false, KeyShown.PLAIN, null, 64, true);
        limiter.decide(ask("u_1"));
        RuleIndex next = rules(false);
        Objects.requireNonNull(sink).rules(next);
        limiter.decide(ask("u_2")); // still by the rules before
        limiter.index(next);
        limiter.decide(ask("u_3"));
        gate.countDown();

        assertThat(written()).hasSize(3).allMatch(each -> each.contains("\"key\":\"user_id=u_"));
    }
}
