package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.TimeSource;
import dev.weir.internal.escalation.Escalator;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.server.metrics.RuleMetrics;
import dev.weir.server.settings.SettingsReader;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which observers stand on the path of a decision. */
class DecisionObserversTest {
    private static final RuleIndex PLAIN = index("");
    private static final RuleIndex ESCALATING = index(", escalate: { after: 3, within: 10m, ban: 10m }");

    private final Escalator escalator = new Escalator(
            new MemoryStore(1 << 10),
            SharedStores.none(),
            TimeSource.system(),
            LimiterSettings.defaults(),
            ban -> {},
            () -> 0);

    @TempDir
    Path folder;

    @Test
    void theTapAloneFollowsTheMetricsWithRulesThatDoNotEscalate() throws Exception {
        try (DecisionObservers observers = observers(Map.of())) {
            LimiterObserver tap = observers.topKeys().tap();
            assertThat(observers.observer()).isSameAs(observers.ruleMetrics());
            observers.escalateWith(escalator, PLAIN);
            assertThat(observers.ruleMetrics().next()).isSameAs(tap);
            observers.rules(ESCALATING);
            assertThat(observers.ruleMetrics().next()).isNotNull().isNotSameAs(tap);
            observers.rules(PLAIN);
            assertThat(observers.ruleMetrics().next()).isSameAs(tap);
        }
    }

    @Test
    void aSinkIsToldOfDecisionsWithAndWithoutRulesThatEscalate() throws Exception {
        String file = folder.resolve("decisions.jsonl").toString();
        try (DecisionObservers observers = observers(Map.of("decisions_file", file))) {
            observers.escalateWith(escalator, PLAIN);
            LimiterObserver sink = observers.ruleMetrics().next();
            assertThat(sink).isNotNull();
            observers.rules(ESCALATING);
            assertThat(observers.ruleMetrics().next())
                    .isNotNull()
                    .isNotSameAs(sink)
                    .isNotSameAs(escalator);
            observers.rules(PLAIN);
            assertThat(observers.ruleMetrics().next()).isEqualTo(sink);
        }
    }

    @Test
    void theMetricsHearAllThatALimiterTells() {
        assertThat(Stream.of(RuleMetrics.class.getDeclaredMethods()).map(Method::getName))
                .containsAll(Stream.of(LimiterObserver.class.getMethods())
                        .map(Method::getName)
                        .toList());
    }

    private DecisionObservers observers(Map<String, String> flags) throws Exception {
        Map<String, String> all = new HashMap<>(flags);
        all.put("rules", folder.toString());
        return new DecisionObservers(SettingsReader.read(all, Map.of(), folder), TimeSource.system());
    }

    private static RuleIndex index(String more) {
        String yaml = """
            domain: api
            rules:
              - { name: login, key_by: ip, limit: { requests: 1, window: 1h }%s }
            """.formatted(more);
        return RuleIndex.of(
                Objects.requireNonNull(RuleLoader.parse("api.yaml", yaml).rules()),
                OverrideLookup.NONE,
                RuleSwitches.NONE,
                LimiterSettings.defaults().endpointForm());
    }
}
