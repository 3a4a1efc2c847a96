package dev.weir.simulation.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.simulation.RunResult;
import dev.weir.simulation.Simulation;
import dev.weir.simulation.fleet.FleetSettings;
import dev.weir.simulation.scenario.Scenario;
import dev.weir.simulation.traffic.ArrivalProcess;
import dev.weir.simulation.traffic.CallerDistribution;
import dev.weir.simulation.traffic.FlowSettings;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** The plot is a document that any viewer reads. */
class FleetPlotTest {

    @Test
    void isWellFormedAndNamesWhatItShows() throws Exception {
        WrittenRules rules = RuleLoader.parse(
                        "rules.yaml",
                        "rules:\n  - { name: r, key_by: user_id, limit: { requests: 9, window: 1s, algorithm: fixed_window } }\n")
                .orThrow();
        FlowSettings traffic =
                FlowSettings.of("user_id", new ArrivalProcess.Poisson(30), new CallerDistribution.Alike(1));
        Scenario scenario = Scenario.of(rules, FleetSettings.of(3), List.of(traffic), 3_000_000_000L, 1);
        RunResult result = new Simulation(scenario, scenario.runs().get(0), true).run();
        String svg = FleetPlot.of(scenario, Map.of("<weir & co>", result));
        Document document = parsed(svg);
        assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
        assertThat(document.getDocumentElement().getTextContent())
                .contains("prefers-color-scheme: dark")
                .contains("Admitted since the window began")
                .contains("Admitted by node: <weir & co>")
                .contains("limit");
    }

    @Test
    void linesAreDrawnBelowEachOther() throws Exception {
        String svg = new LinesPlot("a & b", "facts", 3, 2)
                .chart("first", Map.of("x", new double[] {1, 2, 3}))
                .chart("second", Map.of("y", new double[] {0, 0, 0}))
                .toString();
        Document document = parsed(svg);
        assertThat(document.getDocumentElement().getTextContent())
                .contains("a & b", "facts", "first", "second", "x", "y");
        assertThat(document.getElementsByTagName("path").getLength()).isEqualTo(6);
    }

    private static Document parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }
}
