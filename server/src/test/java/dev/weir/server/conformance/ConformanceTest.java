package dev.weir.server.conformance;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.weir.server.ListeningService;
import dev.weir.server.RunningServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every scenario over {@code /json} and over gRPC. One server for each set of environment variables; a scenario has a domain of
 * its own for each way, so that none disturbs another. With {@code -Dweir.conformance.reference=PATH} the same scenarios ask
 * envoyproxy/ratelimit, save those where Weir means to differ.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConformanceTest {
    private static final String REFERENCE = System.getProperty("weir.conformance.reference", "");

    private enum Way {
        JSON,
        GRPC;

        RateLimitServiceUnderTest to(ListeningService server) {
            return switch (this) {
                case JSON -> new OverJson(server);
                case GRPC -> new OverGrpc(server);
            };
        }
    }

    private final List<ConformanceScenario> scenarios = Stream.of(
                    MatchingScenarios.all(), CountingScenarios.all(), ModeScenarios.all())
            .flatMap(s -> s)
            .filter(s -> REFERENCE.isEmpty() || s.notInTheReference == null)
            .toList();
    private final Map<Surroundings, ListeningService> servers = new EnumMap<>(Surroundings.class);

    @TempDir
    Path folder;

    @TestFactory
    Stream<DynamicNode> theSemanticsOfTheReference() {
        return Stream.of(Surroundings.values())
                .map(surroundings -> dynamicContainer(
                        surroundings.name(),
                        Stream.of(Way.values()).map(way -> dynamicContainer(way.name(), tests(surroundings, way)))));
    }

    @AfterAll
    void stop() {
        servers.values().forEach(ListeningService::close);
    }

    private Stream<DynamicNode> tests(Surroundings surroundings, Way way) {
        return scenarios.stream()
                .filter(scenario -> scenario.surroundings == surroundings)
                .map(scenario -> dynamicTest(scenario.sentence, () -> run(scenario, way)));
    }

    private void run(ConformanceScenario scenario, Way way) throws Exception {
        String domain = domain(scenario, way);
        ListeningService server = server(scenario.surroundings);
        try (RateLimitServiceUnderTest service = way.to(server)) {
            int number = 0;
            for (ConformanceScenario.Step step : scenario.steps) {
                long before = System.currentTimeMillis() / 1_000;
                RlsReply reply = service.ask(domain, step.ask());
                long after = System.currentTimeMillis() / 1_000;
                Verification.verify(
                        way + ", " + scenario.sentence + ", step " + ++number,
                        step.outcome(),
                        reply,
                        domain,
                        before,
                        after);
            }
        }
    }

    private ListeningService server(Surroundings surroundings) throws Exception {
        ListeningService running = servers.get(surroundings);
        if (running == null) {
            Path home = Files.createDirectories(folder.resolve(surroundings.name()));
            Path config = Files.createDirectories(home.resolve("config"));
            for (ConformanceScenario scenario : scenarios) {
                if (scenario.surroundings == surroundings) {
                    for (Way way : Way.values()) {
                        write(config, scenario, domain(scenario, way));
                    }
                }
            }
            running = REFERENCE.isEmpty()
                    ? RunningServer.under(surroundings.variables(), config)
                    : new ReferenceService(Path.of(REFERENCE), home, surroundings.variables());
            servers.put(surroundings, running);
        }
        return running;
    }

    private static void write(Path config, ConformanceScenario scenario, String domain) throws Exception {
        List<String> files = new ArrayList<>(scenario.files);
        for (int i = 0; i < files.size(); i++) {
            String descriptors = files.get(i).isBlank()
                    ? ""
                    : "descriptors:\n" + files.get(i).indent(2);
            Files.writeString(config.resolve(domain + "-" + i + ".yaml"), "domain: " + domain + "\n" + descriptors);
        }
    }

    private String domain(ConformanceScenario scenario, Way way) {
        return "scenario" + scenarios.indexOf(scenario) + "-" + way.name().toLowerCase(Locale.ROOT);
    }
}
