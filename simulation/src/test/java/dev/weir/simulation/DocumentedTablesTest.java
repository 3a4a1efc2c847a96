package dev.weir.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.simulation.accuracy.SlidingWindowAccuracy;
import dev.weir.simulation.accuracy.SlidingWindowAccuracy.Found;
import dev.weir.simulation.output.SummaryTable;
import dev.weir.simulation.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables of docs/simulation.md are what the scenario files give, to the last digit. */
class DocumentedTablesTest {

    /** A row of the page begins with the name of one of the run, and has the same columns. */
    @ParameterizedTest
    @ValueSource(strings = {"wandering-customer.yaml", "reported-customer.yaml"})
    void ofFleets(String file) throws Exception {
        Scenario scenario = Scenarios.read(file);
        Map<String, RunResult> results = new LinkedHashMap<>();
        scenario.runs().forEach(run -> results.put(run.name(), Scenarios.run(scenario, run.name())));
        List<List<String>> found = SummaryTable.of(results);
        List<List<String>> documented = table(file);
        for (List<String> row : documented.subList(1, documented.size())) {
            List<String> same = found.stream()
                    .filter(each -> !each.get(0).isEmpty() && row.get(0).startsWith(each.get(0)))
                    .max(Comparator.comparing(each -> each.get(0).length()))
                    .orElseThrow(() -> new AssertionError("no such row: " + row));
            assertThat(values(row)).as(row.get(0)).isEqualTo(values(same));
        }
    }

    /** Rows are in the order of the file, columns have the names that the run gives them. */
    @Test
    void ofTheSlidingWindow() throws Exception {
        String file = "sliding-window-accuracy.yaml";
        Scenario scenario = Scenarios.read(file);
        Limit limit = Objects.requireNonNull(
                scenario.runs().get(0).rules().rules().get(0).limit());
        int windows = (int) (scenario.durationNanos() / 1_000 / limit.windowMicros());
        Map<String, Found> results = new LinkedHashMap<>();
        scenario.traffic()
                .forEach(each ->
                        results.put(each.name(), SlidingWindowAccuracy.measure(each, limit, windows, scenario.seed())));
        List<List<String>> found = SummaryTable.ofAccuracy(results);
        List<List<String>> documented = table(file);
        assertThat(documented).hasSameSizeAs(found);
        List<Integer> columns = values(documented.get(0)).stream()
                .map(name -> found.get(0).indexOf(name))
                .toList();
        for (int i = 0; i < documented.size(); i++) {
            assertThat(values(documented.get(i)))
                    .as(documented.get(i).get(0))
                    .isEqualTo(columns.stream().map(found.get(i)::get).toList());
        }
    }

    private static List<String> values(List<String> row) {
        return row.subList(1, row.size());
    }

    /** The cells of the first table after {@code file} is named, without what makes them bold. */
    private static List<List<String>> table(String file) throws IOException {
        List<List<String>> rows = Files.readAllLines(Path.of("..", "docs", "simulation.md")).stream()
                .dropWhile(line -> !line.contains("(`" + file + "`)"))
                .dropWhile(line -> !line.startsWith("|"))
                .takeWhile(line -> line.startsWith("|"))
                .filter(line -> !line.startsWith("|---"))
                .map(line -> Arrays.stream(line.substring(1).split("\\|"))
                        .map(cell -> cell.replace("**", "").strip())
                        .toList())
                .toList();
        assertThat(rows).hasSizeGreaterThan(2);
        return rows;
    }
}
