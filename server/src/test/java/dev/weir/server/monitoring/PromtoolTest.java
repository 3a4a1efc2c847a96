package dev.weir.server.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.ExternalPrograms;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Prometheus's own tool on the rules, the alerts and their tests; and the runbook. */
class PromtoolTest {
    private static final Path ALERTS = Dashboard.MONITORING.resolve("alerts/weir.yaml");
    private static final Pattern ALERT = Pattern.compile("(?m)^ +- alert: (\\w+)$");
    private static final Pattern RECORD = Pattern.compile("(?m)^ +- record: (\\S+)$");
    private static final Pattern TESTED = Pattern.compile("alertname: (\\w+)\\n +exp_alerts:");
    private static final Pattern SILENT = Pattern.compile("\\{ eval_time: \\w+, alertname: (\\w+) }");

    @Test
    void rulesAndAlertsAreValid() throws Exception {
        promtool("check", "rules", "rules/weir.yaml", "alerts/weir.yaml");
    }

    @Test
    void theirTestsPass() throws Exception {
        promtool("test", "rules", "tests/rules.yaml", "tests/alerts.yaml", "tests/days.yaml");
    }

    @Test
    void everyAlertIsTestedToFireAndToBeSilent() throws IOException {
        String tests = Files.readString(Dashboard.MONITORING.resolve("tests/alerts.yaml"))
                + Files.readString(Dashboard.MONITORING.resolve("tests/days.yaml"));
        assertThat(found(TESTED, tests)).isEqualTo(alerts());
        assertThat(found(SILENT, tests)).isEqualTo(alerts());
    }

    @Test
    void everyAlertHasASummaryADescriptionASeverityAndASectionOfTheRunbook() throws IOException {
        String text = Files.readString(ALERTS);
        List<String> blocks = new ArrayList<>(List.of(text.split("(?m)^ +- alert: ", -1)));
        blocks.remove(0);
        TreeSet<String> sections = new TreeSet<>();
        for (String line : Files.readAllLines(Dashboard.MONITORING.resolve("runbook.md"))) {
            if (line.startsWith("## Weir")) {
                sections.add(line.substring("## ".length()));
            }
        }
        assertThat(sections).isEqualTo(alerts());
        assertThat(blocks).allSatisfy(block -> {
            String name = block.lines().findFirst().orElseThrow();
            assertThat(block)
                    .containsPattern("severity: (critical|warning|info)")
                    .contains("summary: ", "description: ")
                    .contains("monitoring/runbook.md#" + name.toLowerCase(Locale.ROOT) + "\n");
        });
    }

    @Test
    void recordingRulesAreNamedByLevelMetricAndOperation() throws IOException {
        assertThat(found(RECORD, Files.readString(Dashboard.MONITORING.resolve("rules/weir.yaml"))))
                .isNotEmpty()
                .allMatch(each -> each.matches("job(_domain_rule)?:ratelimit_[a-z_]+:[a-z0-9_]+"));
    }

    private static SortedSet<String> alerts() throws IOException {
        return found(ALERT, Files.readString(ALERTS));
    }

    private static SortedSet<String> found(Pattern what, String text) {
        return what.matcher(text).results().map(match -> match.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    private static void promtool(String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(ExternalPrograms.program("promtool").toString());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(Dashboard.MONITORING.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }
}
