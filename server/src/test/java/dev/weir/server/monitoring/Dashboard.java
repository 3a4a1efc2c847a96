package dev.weir.server.monitoring;

import dev.weir.server.documentation.DocumentationPages;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The Grafana dashboard of {@code monitoring/}. */
record Dashboard(JsonObject json) {
    /** The folder of alerts, rules and dashboards. */
    static final Path MONITORING = DocumentationPages.ROOT.resolve("monitoring");

    /** A query of a panel. */
    record Query(String panel, String expression) {}

    static Dashboard read() throws IOException {
        return new Dashboard(new JsonObject(Files.readString(MONITORING.resolve("dashboards/weir.json"))));
    }

    /** All panels but the rows. */
    List<JsonObject> panels() {
        return objects(json.getJsonArray("panels"))
                .filter(each -> !each.getString("type").equals("row"))
                .toList();
    }

    List<JsonObject> variables() {
        return objects(json.getJsonObject("templating").getJsonArray("list")).toList();
    }

    List<Query> queries() {
        return panels().stream()
                .flatMap(panel -> objects(panel.getJsonArray("targets"))
                        .map(each -> new Query(panel.getString("title"), each.getString("expr"))))
                .toList();
    }

    static Stream<JsonObject> objects(JsonArray array) {
        return array.stream().map(JsonObject.class::cast);
    }
}
