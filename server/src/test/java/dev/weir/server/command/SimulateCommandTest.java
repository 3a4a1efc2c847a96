package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir simulate}: a table, a plot, and mistakes with their place. */
class SimulateCommandTest extends AtTheTerminal {
    private static final String SCENARIO = """
            scenario: Two nodes
            duration: 3s
            fleet: { nodes: 2 }
            rules:
              - { name: r, key_by: user_id, limit: { requests: 10, window: 1s, algorithm: fixed_window } }
            traffic:
              - { name: a, rate: 50/s }
            compare: [naive_chunks]
            """;

    @TempDir
    Path folder;

    private int simulate(String text) throws Exception {
        Path file = Files.writeString(folder.resolve("two.yaml"), text);
        return execute(List.of(
                "simulate",
                file.toString(),
                "--seed",
                "7",
                "--out",
                folder.resolve("plots").toString()));
    }

    @Test
    void printsATableAndDrawsThePlot() throws Exception {
        assertThat(simulate(SCENARIO)).isZero();
        assertThat(out.toString())
                .contains("Two nodes (seed 7)")
                .containsPattern("beyond the limit +0 ")
                .contains("naive chunks");
        assertThat(out.toString())
                .contains("plot: "
                        + folder.resolve("plots/two.svg").toAbsolutePath().normalize());
        assertThat(folder.resolve("plots/two.svg")).content().contains("Admitted by node: naive chunks");
    }

    @Test
    void mistakesAreToldWithTheirPlace() throws Exception {
        assertThat(simulate(SCENARIO.replace("50/s", "fast"))).isEqualTo(2);
        assertThat(err.toString()).contains("two.yaml:7:").contains("a rate such as 100/s");
        assertThat(folder.resolve("plots")).doesNotExist();
    }
}
