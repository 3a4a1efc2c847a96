package dev.weir.simulation;

import dev.weir.simulation.scenario.Scenario;
import dev.weir.simulation.scenario.ScenarioReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** The scenario files of the repository, whole or cut to the size of a test. */
public final class Scenarios {
    private static final Path FOLDER = Path.of("scenarios");

    private Scenarios() {}

    static String text(String file) {
        try {
            return Files.readString(FOLDER.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Scenario read(String file) {
        return parse(file, text(file));
    }

    public static Scenario parse(String name, String text) {
        ScenarioReader.Read read = ScenarioReader.read(name, text.getBytes(StandardCharsets.UTF_8));
        Scenario scenario = read.scenario();
        if (scenario == null) {
            throw new IllegalArgumentException(
                    read.diagnostics().stream().map(Object::toString).collect(Collectors.joining("\n")));
        }
        return scenario;
    }

    static RunResult run(Scenario scenario, String name) {
        Scenario.Run run = scenario.runs().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
        return new Simulation(scenario, run, scenario.callers() < 1_000).run();
    }
}
