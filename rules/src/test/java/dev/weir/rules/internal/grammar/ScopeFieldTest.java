package dev.weir.rules.internal.grammar;

import static dev.weir.rules.LoadedRules.rules;
import static dev.weir.rules.LoadedRules.said;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.model.RegionScope;
import dev.weir.internal.model.Rule;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleDocument;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.rules.internal.regions.RegionNames;
import dev.weir.text.diagnostics.Diagnostic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ScopeFieldTest {
    private static final RegionNames IN_US = new RegionNames(Set.of("eu", "us", "ap"), "us", "eu", "region:eu");

    private static final RegionNames SHARING = new RegionNames(
            Set.of("eu", "us", "ap"), "us", "eu", "region:eu", Map.of("eu", "region:eu", "ap", "region:ap"));

    @Test
    void aRuleWithoutAScopeCountsInItsRegion() {
        assertThat(rules("rules: [{ limit: { requests: 9, window: 1s } }]"))
                .extracting(Rule::scope)
                .containsExactly(RegionScope.REGION);
        assertThat(rules("rules: [{ scope: region, limit: { requests: 9, window: 1s } }]"))
                .extracting(Rule::scope)
                .containsExactly(RegionScope.REGION);
    }

    @Test
    void aRegionEnforcesItsSlice() {
        Rule rule = only(IN_US, """
            - scope: { slices: { eu: 0.6, us: 0.3, ap: 0.1 } }
              limit: { requests: 1001, window: 1m, algorithm: fixed_window }
            """);
        assertThat(rule.limit()).isEqualTo(Limit.fixedWindow(300, Duration.ofMinutes(1)));
        assertThat(rule.scope().whole()).isEqualTo(Limit.fixedWindow(1_001, Duration.ofMinutes(1)));
        assertThat(rule.consistency()).isEqualTo(Consistency.EXACT);
    }

    @Test
    void partsAddUpAndTheLargestGetsTheRest() {
        RegionScope scope = RegionScope.slices(Map.of("a", 333_333, "b", 333_334, "c", 333_333), "a");
        for (long requests : new long[] {0, 1, 2, 3, 10, 1_000, 1_000_001, Long.MAX_VALUE}) {
            Limit limit = Limit.tokenBucket(requests, Duration.ofSeconds(1)).withBurst(requests / 2);
            long sum = 0;
            long bursts = 0;
            for (String each : List.of("a", "b", "c")) {
                sum += scope.partOf(limit, each).requests();
                bursts += scope.partOf(limit, each).burst();
            }
            assertThat(sum).isEqualTo(requests);
            assertThat(bursts).isEqualTo(requests / 2);
        }
        assertThat(scope.partOf(Limit.tokenBucket(1, Duration.ofSeconds(1)), "b")
                        .requests())
                .isEqualTo(1);
    }

    @Test
    void aRuleInheritsTheScopeOfItsFile() {
        String file = """
            scope: { slices: { us: 0.5, eu: 0.5, ap: 0 } }
            tiers: { gold: { requests: 10, window: 1s } }
            rules:
              - { name: a, limit: { requests: 100, window: 1s } }
              - { name: b, scope: region, limit: { requests: 100, window: 1s } }
            """;
        assertThat(load(IN_US, file).orThrow().rules())
                .extracting(each -> Objects.requireNonNull(each.limit()).requests())
                .containsExactly(5L, 50L, 100L);
    }

    @Test
    void aCallersReputationTakesAShareOfTheSlice() {
        Rule rule = only(IN_US, """
            - scope: { slices: { eu: 0.6, us: 0.4, ap: 0 } }
              reputation: { 80: 0.5 }
              limit: { requests: 100, window: 1m }
            """);
        assertThat(Objects.requireNonNull(rule.reputation()).steps())
                .extracting(each -> each.limit().requests())
                .containsExactly(20L);
    }

    @Test
    void limitsOfEnvoysFormatHaveSlicesToo() {
        LoadResult loaded = load(IN_US, """
            domain: d
            descriptors:
              - key: a
                rate_limit: { unit: minute, requests_per_unit: 10, scope: { slices: { eu: 0.6, us: 0.4, ap: 0 } } }
            """);
        assertThat(loaded.orThrow().rules())
                .extracting(each -> Objects.requireNonNull(each.limit()).requests())
                .containsExactly(4L);
    }

    @Test
    void aRuleIsWrittenWithTheWholeLimit() {
        String written = "{ name: r, scope: { slices: { eu: 0.6, us: 0.4, ap: 0.0 } },"
                + " limit: { requests: 10, window: 1m, algorithm: fixed_window } }";
        SingleRule read = single(written);
        String text = RuleWriter.write(read.rule()).toString();
        assertThat(Objects.requireNonNull(read.rule()).rule().limit())
                .isEqualTo(Limit.fixedWindow(4, Duration.ofMinutes(1)));
        assertThat(text).contains("requests", "10", "slices", "0.6", "0.4");
    }

    @Test
    void withoutKnownRegionsTheWholeLimitHolds() {
        assertThat(rules("rules: [{ scope: { slices: { x: 0.5, y: 0.5 } }, limit: { requests: 9, window: 1s } }]"))
                .extracting(each -> Objects.requireNonNull(each.limit()).requests())
                .containsExactly(9L);
    }

    @Test
    void mistakesHaveAPositionAndAHint() {
        assertThat(said("rules: [{ scope: regio, limit: { requests: 1, window: 1s } }]"))
                .containsExactly("1:18: unknown scope 'regio' (did you mean region?, or scope: { slices: { eu:"
                        + " 0.6, us: 0.4 } })");
        assertThat(said("rules: [{ scope: slices, limit: { requests: 1, window: 1s } }]"))
                .containsExactly(
                        "1:18: scope: slices without parts (expected: scope: { slices: { eu: 0.6, us:" + " 0.4 } })");
        assertThat(said("rules: [{ scope: { slice: { eu: 1 } }, limit: { requests: 1, window: 1s } }]"))
                .containsExactly("1:20: unknown field 'slice' (did you mean slices?)");
        assertThat(said("rules: [{ scope: {}, limit: { requests: 1, window: 1s } }]"))
                .containsExactly("1:18: scope without slices (expected: scope: { slices: { eu: 0.6, us: 0.4 }" + " })");
        assertThat(said("rules: [{ scope: { slices: { eu: 0.6, us: 0.3 } }, limit: { requests: 9, window: 1s } }]"))
                .containsExactly("1:28: slices: 0.9 in all (expected: shares that add up to 1)");
        assertThat(said("rules: [{ scope: { slices: { eu: 60%, us: 0.4 } }, limit: { requests: 9, window: 1s } }]"))
                .containsExactly("1:34: slice: '60%' (expected: a share from 0 to 1, like 0.25)");
    }

    @Test
    void aSharedRuleCountsInItsRegionAndKnowsTheOthers() {
        Rule rule = only(SHARING, "- { scope: shared, limit: { requests: 9, window: 1m, algorithm: fixed_window } }");
        assertThat(rule.scope().isShared()).isTrue();
        assertThat(rule.scope().others()).containsExactly(Map.entry("ap", "region:ap"), Map.entry("eu", "region:eu"));
        assertThat(rule.consistency()).isEqualTo(Consistency.EXACT);
        assertThat(rule.store()).isEqualTo(Rule.DEFAULT_STORE);
        String written = "{ name: r, scope: shared, limit: { requests: 9, window: 1m, algorithm: fixed_window } }";
        SingleRule read = SingleRule.read(
                "body",
                "r",
                written.getBytes(StandardCharsets.UTF_8),
                "api",
                new StoreNames(Set.of(), SHARING),
                EndpointForm.NORMAL);
        assertThat(RuleWriter.write(Objects.requireNonNull(read.rule())).toString())
                .contains("shared")
                .doesNotContain("region:eu", "exact");
    }

    @Test
    void aSharedRuleHasAWindowAndNoConsistencyAndNoStore() {
        String fixed = "limit: { requests: 9, window: 1m, algorithm: fixed_window } }";
        assertThat(saidBy(SHARING, "- { scope: shared, consistency: leased, " + fixed))
                .containsExactly(
                        "f.yaml:2:33: consistency: leased with scope: shared (the scope says how far regions may"
                                + " overshoot; remove one)");
        assertThat(saidBy(SHARING, "- { scope: shared, store: default, " + fixed))
                .containsExactly(
                        "f.yaml:2:27: store with scope: shared (each region's Redis counts it; remove" + " one)");
        assertThat(saidBy(SHARING, "- { scope: shared, limit: { requests: 9, window: 1m } }"))
                .containsExactly(
                        "f.yaml:2:12: scope: shared with token_bucket (only the counts of aligned windows can be"
                                + " added up; expected: algorithm: fixed_window, or scope: global or slices)");
        assertThat(saidBy(SHARING, "- { scope: shared, limit: { requests: 9, window: 1m, algorithm: leaky_bucket } }"))
                .hasSize(1);
        assertThat(saidBy(SHARING, "- { scope: shared, limit: { requests: 9, algorithm: concurrency } }"))
                .containsExactly("f.yaml:2:12: scope: shared with concurrency (permits are counted in each region;"
                        + " expected: region or slices)");
        assertThat(saidBy(RegionNames.NONE, "- { scope: shared, " + fixed))
                .containsExactly("f.yaml:2:12: scope: shared without regions (expected: region, regions with a store"
                        + " each, and share_counts in weir.yaml)");
        assertThat(saidBy(IN_US, "- { scope: shared, " + fixed))
                .containsExactly("f.yaml:2:12: scope: shared without share_counts (expected: region, regions with a"
                        + " store each, and share_counts in weir.yaml)");
        LoadResult envoy = load(SHARING, """
            domain: d
            descriptors:
              - key: a
                quota_mode: true
                rate_limit: { unit: minute, requests_per_unit: 10, scope: shared }
            """);
        assertThat(envoy.diagnostics())
                .extracting(Diagnostic::toString)
                .containsExactly(
                        "f.yaml:5:63: scope: shared (quotas deny only together, so one store has to decide them"
                                + " all; expected: region or slices)");
    }

    @Test
    void regionsMustBeNamedInTheSettings() {
        assertThat(saidBy(
                        IN_US,
                        "- { scope: { slices: { eu: 0.5, uss: 0.4, ap: 0.1 } }, limit: { requests: 9, window: 1s } }"))
                .containsExactly(
                        "f.yaml:2:33: unknown region 'uss' (did you mean us?; regions are defined in weir.yaml)");
        assertThat(saidBy(
                        RegionNames.NONE,
                        "- { scope: { slices: { eu: 0.5, us: 0.5 } }, limit: { requests: 9, window: 1s } }"))
                .containsExactly("f.yaml:2:22: slices without regions (expected: region and regions in weir.yaml)");
    }

    @Test
    void aRegionWithoutASliceIsAWarning() {
        assertThat(saidBy(IN_US, "- { scope: { slices: { eu: 1.0, us: 0 } }, limit: { requests: 9, window: 1s } }"))
                .containsExactlyInAnyOrder(
                        "f.yaml:2:37: warning: region 'us' has no slice (the rule denies every request there)",
                        "f.yaml:2:22: warning: region 'ap' has no slice (the rule denies every request there)");
        assertThat(saidBy(
                        IN_US,
                        "- { scope: { slices: { eu: 0.8, us: 0.1, ap: 0.1 } }, cost: 2, limit: { requests: 10,"
                                + " window: 1s } }"))
                .containsExactly(
                        "f.yaml:2:12: warning: slice of region 'ap' lets no request pass (it is 1, and one request"
                                + " takes 2)",
                        "f.yaml:2:12: warning: slice of region 'us' lets no request pass (it is 1, and one request"
                                + " takes 2)");
    }

    @Test
    void aGlobalRuleIsLeasedFromHome() {
        Rule rule = only(IN_US, "- { scope: global, limit: { requests: 9, window: 1m } }");
        assertThat(rule.scope()).isEqualTo(RegionScope.GLOBAL);
        assertThat(rule.consistency()).isEqualTo(Consistency.LEASED);
        assertThat(rule.store()).isEqualTo("region:eu");
        assertThat(rule.deadlineMicros()).isEqualTo(250_000);
        Rule patient = only(IN_US, "- { scope: global, deadline: 1s, limit: { requests: 9, window: 1m } }");
        assertThat(patient.deadlineMicros()).isEqualTo(1_000_000);
        RegionNames atHome = new RegionNames(Set.of("eu", "us"), "eu", "eu", "");
        assertThat(only(atHome, "- { scope: global, limit: { requests: 9, window: 1m } }")
                        .store())
                .isEqualTo(Rule.DEFAULT_STORE);
        assertThat(RuleWriter.write(Objects.requireNonNull(
                                single("{ name: r, scope: global, limit: { requests: 9, window: 1m } }")
                                        .rule()))
                        .toString())
                .contains("global")
                .doesNotContain("region:eu", "leased", "deadline");
    }

    @Test
    void aGlobalRuleHasNoOtherConsistencyAndNoStore() {
        assertThat(saidBy(IN_US, "- { scope: global, consistency: exact, limit: { requests: 9, window: 1m } }"))
                .containsExactly("f.yaml:2:33: consistency: exact with scope: global (servers lease a global limit from"
                        + " the home region; expected: leased, or nothing)");
        assertThat(saidBy(IN_US, "- { scope: global, store: default, limit: { requests: 9, window: 1m } }"))
                .containsExactly(
                        "f.yaml:2:27: store with scope: global (the home region's Redis counts it; remove" + " one)");
        assertThat(saidBy(IN_US, "- { scope: global, limit: { requests: 9, window: 1m, algorithm: leaky_bucket } }"))
                .containsExactly("f.yaml:2:12: scope: global (a leaky_bucket's delay needs one shared queue; expected:"
                        + " region or slices)");
        assertThat(saidBy(IN_US, "- { scope: global, limit: { requests: 9, algorithm: concurrency } }"))
                .containsExactly("f.yaml:2:12: scope: global (permits are counted in each region; expected: region or"
                        + " slices)");
        assertThat(saidBy(RegionNames.NONE, "- { scope: global, limit: { requests: 9, window: 1m } }"))
                .containsExactly("f.yaml:2:12: scope: global without regions (expected: region, regions and home in"
                        + " weir.yaml)");
        RegionNames homeless = new RegionNames(Set.of("eu", "us"), "eu", null, "");
        assertThat(saidBy(homeless, "- { scope: global, limit: { requests: 9, window: 1m } }"))
                .containsExactly("f.yaml:2:12: scope: global without a home (expected: region, regions and home in"
                        + " weir.yaml)");
    }

    @Test
    void aCapacityCountsInItsRegion() {
        LoadResult loaded = load(IN_US, """
            scope: { slices: { us: 0.5, eu: 0.5, ap: 0 } }
            services:
              pay: { match: { endpoint: /pay }, capacity: { requests: 100, window: 1s } }
            """);
        assertThat(loaded.orThrow().rules())
                .extracting(each -> Objects.requireNonNull(each.limit()).requests())
                .containsExactly(100L);
    }

    private static Rule only(RegionNames regions, String rule) {
        LoadResult loaded = load(regions, "rules:\n" + rule.indent(2));
        return loaded.orThrow().rules().get(0);
    }

    private static List<String> saidBy(RegionNames regions, String rule) {
        return load(regions, "rules:\n" + rule).diagnostics().stream()
                .map(Diagnostic::toString)
                .toList();
    }

    private static LoadResult load(RegionNames regions, String file) {
        return RuleLoader.load(
                List.of(new RuleDocument("f.yaml", file.getBytes(StandardCharsets.UTF_8))),
                LoadOptions.DEFAULT.with(regions));
    }

    private static SingleRule single(String body) {
        return SingleRule.read(
                "body",
                "r",
                body.getBytes(StandardCharsets.UTF_8),
                "api",
                new StoreNames(Set.of(), IN_US),
                EndpointForm.NORMAL);
    }
}
