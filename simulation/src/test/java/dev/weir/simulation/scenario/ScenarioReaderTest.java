package dev.weir.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.simulation.Scenarios;
import dev.weir.simulation.traffic.ArrivalProcess;
import dev.weir.simulation.traffic.Placement;
import dev.weir.text.diagnostics.Diagnostic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A scenario is read whole, and everything wrong with it is told with its place. */
class ScenarioReaderTest {
    private static final String GOOD = """
        scenario: A test
        seed: 7
        duration: 2s
        fleet: { nodes: 3, clock_skew: 5ms, deadline: 20ms }
        store: { latency: 1ms, loss: 0.01, replica_lag: 100ms }
        rules:
          - name: r
            key_by: user_id
            limit: { requests: 10, window: 1s }
            consistency: leased
        traffic:
          - { name: a, rate: 6000/m, arrivals: mmpp, burst: 4, mean: 100ms, callers: 5, placement: wander, nodes: 2, every: 1s }
        faults:
          - { at: 1s, fault: pause, on: 2, for: 300ms }
          - { at: 1500ms, fault: fail_over, for: 10ms }
        compare: [exact]
        """;

    private static List<String> problems(String text) {
        return ScenarioReader.read("s.yaml", text.getBytes(StandardCharsets.UTF_8)).diagnostics().stream()
                .map(Diagnostic::toString)
                .toList();
    }

    private static final String REGIONS = """
        duration: 2s
        fleet: { regions: { eu: 2, us: 1 }, home: us, far: 40ms }
        rules:
          - { name: r, key_by: user_id, scope: global, limit: { requests: 10, window: 1s } }
        traffic:
          - { rate: 10/s, placement: regions, shares: { eu: 80, us: 20 }, moves: 1s, then: { us: 100 } }
        faults:
          - { at: 1s, fault: isolate, on: us, for: 300ms }
          - { at: 1s, fault: pause, on: us, for: 100ms }
          - { at: 1s, fault: kill, on: 2, for: 100ms }
        """;

    @Test
    void regionsHaveNodesAndRulesAndFaultsOfTheirOwn() {
        Scenario scenario = Scenarios.parse("s.yaml", REGIONS);
        assertThat(scenario.fleet().nodes()).isEqualTo(3);
        assertThat(Objects.requireNonNull(scenario.fleet().regions()).home()).isEqualTo("us");
        assertThat(scenario.traffic().get(0).placement())
                .isEqualTo(new Placement.Regions(List.of(2, 1), List.of(80, 20), List.of(0, 100), 1_000_000_000));
        assertThat(scenario.faults())
                .containsExactly(
                        new Fault(1_000_000_000L, Fault.Kind.CUT, 0, 300_000_000, 1),
                        new Fault(1_000_000_000L, Fault.Kind.CUT, 1, 300_000_000, 1),
                        new Fault(1_000_000_000L, Fault.Kind.CUT, 2, 300_000_000, 0),
                        new Fault(1_000_000_000L, Fault.Kind.PAUSE, Fault.STORE, 100_000_000, 1),
                        new Fault(1_000_000_000L, Fault.Kind.KILL, 2, 100_000_000));
        assertThat(scenario.runs().get(0).byRegion().get("eu"))
                .satisfies(each -> assertThat(each.rules().get(0).store()).isEqualTo("region:us"));
    }

    @Test
    void mistakesWithRegionsAreTold() {
        assertThat(problems(REGIONS.replace("home: us", "home: uk")))
                .containsExactly("s.yaml:2:43: home: unknown region 'uk' (did you mean us?)");
        assertThat(problems(REGIONS.replace("on: us, for: 300ms", "on: mars, for: 300ms")))
                .containsExactly("s.yaml:8:5: isolate: on 'mars' (expected: one of eu, us)");
        assertThat(problems(REGIONS.replace("eu: 80, us: 20", "eu: 80, us: 30")))
                .containsExactly(
                        "s.yaml:6:47: shares: 110 in all (expected: the percentage of each region, 100 in all)");
        assertThat(problems(REGIONS.replace("regions: { eu: 2, us: 1 }, ", "nodes: 3, ")))
                .contains("s.yaml:2:26: home without regions (expected: regions: { eu: 2, us: 2 }, too)");
    }

    @Test
    void everyFieldArrives() {
        Scenario scenario = Scenarios.parse("s.yaml", GOOD);
        assertThat(scenario.name()).isEqualTo("A test");
        assertThat(scenario.seed()).isEqualTo(7);
        assertThat(scenario.durationNanos()).isEqualTo(2_000_000_000L);
        assertThat(scenario.fleet().nodes()).isEqualTo(3);
        assertThat(scenario.fleet().limiter().deadlineMicros()).isEqualTo(20_000);
        assertThat(scenario.fleet().link().latency().medianNanos()).isEqualTo(1_000_000);
        assertThat(scenario.replicaLagNanos()).isEqualTo(100_000_000);
        assertThat(scenario.traffic().get(0).arrivals()).isEqualTo(new ArrivalProcess.Mmpp(100, 4, 100_000_000));
        assertThat(scenario.traffic().get(0).placement()).isEqualTo(new Placement.Wander(2, 1_000_000_000));
        assertThat(scenario.faults())
                .containsExactly(
                        new Fault(1_000_000_000L, Fault.Kind.PAUSE, 2, 300_000_000),
                        new Fault(1_500_000_000L, Fault.Kind.FAIL_OVER, Fault.STORE, 10_000_000));
        assertThat(scenario.runs()).extracting(Scenario.Run::name).containsExactly("weir", "exact");
    }

    @Test
    void everyMistakeIsToldWithItsPlace() {
        String wrong = GOOD.replace("nodes: 3", "nodes: 0")
                .replace("6000/m", "6000")
                .replace("fault: pause", "fault: pauze")
                .replace("requests: 10", "requests: -1");
        assertThat(problems(wrong))
                .anyMatch(each -> each.startsWith("s.yaml:4:") && each.contains("nodes"))
                .anyMatch(each -> each.startsWith("s.yaml:9:") && each.contains("requests"))
                .anyMatch(each -> each.startsWith("s.yaml:12:") && each.contains("a rate such as 100/s"))
                .anyMatch(each -> each.startsWith("s.yaml:14:") && each.contains("did you mean pause?"));
    }

    @Test
    void aFieldThatNobodyKnowsIsToldOnceWithThoseOfTheScenarioAndOfTheRules() {
        assertThat(problems(GOOD.replace("traffic:", "trafic:")))
                .containsExactly("s.yaml:11:1: unknown field 'trafic' (did you mean traffic?)");
        assertThat(problems(GOOD.replace("rules:", "ruls:")))
                .containsExactly("s.yaml:6:1: unknown field 'ruls' (did you mean rules?)");
        assertThat(problems(GOOD + "colour: red\n"))
                .singleElement()
                .asString()
                .startsWith("s.yaml:17:1: unknown field 'colour' (expected: ")
                .contains("duration, fleet,", "traffic,", "rules,", "key_by");
    }

    @Test
    void timeHasAnEnd() {
        assertThat(problems(GOOD.replace("duration: 2s", "duration: 100000000d").replace("at: 1s", "at: 366d")))
                .containsExactly(
                        "s.yaml:3:11: duration: 100000000d (expected: at most 365d)",
                        "s.yaml:14:11: at: 366d (expected: at most 365d)");
    }

    @Test
    void aStoreThatIsNotSimulatedIsAMistake() {
        assertThat(problems(GOOD.replace("consistency: leased", "store: big")))
                .singleElement()
                .asString()
                .startsWith("s.yaml:10:")
                .contains("big");
    }

    @Test
    void nothingIsNotAScenario() {
        assertThat(problems("")).containsExactly("s.yaml:1:1: the file is empty (expected: a scenario)");
        assertThat(problems("rules: []\n")).anyMatch(each -> each.contains("traffic: empty"));
    }

    @Test
    void theFilesOfTheRepositoryAreGood() throws Exception {
        try (Stream<Path> files = Files.list(Path.of("scenarios"))) {
            assertThat(files.map(each -> each.getFileName().toString()).toList())
                    .isNotEmpty()
                    .allSatisfy(
                            each -> assertThat(Scenarios.read(each).traffic()).isNotEmpty());
        }
    }
}
