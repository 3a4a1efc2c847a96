package dev.weir.server.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The dashboard keeps the rules of Grafana's dashboard-linter. */
class DashboardTest {
    private static final Pattern METRIC = Pattern.compile("\\b(?:ratelimit|jvm|process|weir)_\\w+");
    private static final Pattern SELECTOR = Pattern.compile(METRIC.pattern() + "(\\{[^}]*})?");
    private static final Pattern RANGE = Pattern.compile("\\[([^\\]]*)]");
    private static final Pattern COUNTER =
            Pattern.compile("(?:rate|increase)\\(\\w+(?:_total|_bucket)\\b|\\b\\w+(?:_total|_bucket)\\b");

    private Dashboard dashboard;

    @BeforeEach
    void read() throws IOException {
        dashboard = Dashboard.read();
    }

    @Test
    void itIsAClassicDashboardThatIsProvisionedAsItIs() {
        JsonObject json = dashboard.json();
        assertThat(json.getString("uid")).isEqualTo("weir");
        assertThat(json.getString("title")).isEqualTo("Weir");
        assertThat(json.getInteger("schemaVersion")).isEqualTo(42);
        assertThat(json.getBoolean("editable")).isFalse();
        assertThat(json.fieldNames()).doesNotContain("__inputs", "__requires", "id");
    }

    @Test
    void itsVariablesAreTheDataSourceTheJobAndTheInstance() {
        List<JsonObject> variables = dashboard.variables();
        assertThat(variables)
                .extracting(each -> each.getString("name"))
                .containsExactly("datasource", "job", "instance");
        assertThat(variables)
                .extracting(each -> each.getString("label"))
                .containsExactly("Data source", "Job", "Instance");
        assertThat(variables.get(0).getString("type")).isEqualTo("datasource");
        assertThat(variables.get(0).getString("query")).isEqualTo("prometheus");
        assertThat(variables.subList(1, 3)).allSatisfy(each -> {
            assertThat(each.getString("type")).isEqualTo("query");
            assertThat(each.getJsonObject("datasource").getString("uid")).isEqualTo("${datasource}");
            assertThat(each.getBoolean("multi")).isTrue();
            assertThat(each.getBoolean("includeAll")).isTrue();
            assertThat(each.getString("allValue")).isEqualTo(".+");
            assertThat(each.getInteger("refresh"))
                    .as("on a change of the time range")
                    .isEqualTo(2);
        });
    }

    @Test
    void everyPanelHasATitleADescriptionAUnitAndTheDataSource() {
        assertThat(dashboard.panels()).hasSizeGreaterThan(20).allSatisfy(panel -> {
            assertThat(panel.getString("title")).isNotBlank();
            assertThat(panel.getString("description")).isNotBlank().endsWith(".");
            assertThat(panel.getJsonObject("datasource").getString("uid")).isEqualTo("${datasource}");
            assertThat(panel.getJsonObject("fieldConfig")
                            .getJsonObject("defaults")
                            .getString("unit"))
                    .isNotBlank();
            assertThat(panel.getJsonArray("targets")).isNotEmpty();
        });
        assertThat(dashboard.panels())
                .extracting(panel -> panel.getString("title"))
                .doesNotHaveDuplicates();
        assertThat(Dashboard.objects(dashboard.json().getJsonArray("panels")))
                .extracting(panel -> panel.getInteger("id"))
                .doesNotHaveDuplicates();
    }

    @Test
    void everyQuerySelectsByJobAndInstanceAndTakesRatesOfCountersOverGrafanasInterval() {
        assertThat(dashboard.queries()).allSatisfy(query -> {
            assertThat(SELECTOR.matcher(query.expression()).results().map(MatchResult::group))
                    .isNotEmpty()
                    .allSatisfy(each -> assertThat(each).contains("job=~\"$job\", instance=~\"$instance\""));
            assertThat(RANGE.matcher(query.expression()).results().map(range -> range.group(1)))
                    .allMatch("$__rate_interval"::equals);
            assertThat(COUNTER.matcher(query.expression()).results().map(MatchResult::group))
                    .allMatch(each -> each.contains("("));
        });
    }
}
