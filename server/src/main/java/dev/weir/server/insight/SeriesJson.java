package dev.weir.server.insight;

import dev.weir.server.history.HistoryColumn;
import dev.weir.server.history.HistorySeries;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes history as columns. */
final class SeriesJson {
    private SeriesJson() {}

    static JsonObject of(HistorySeries series) {
        List<@Nullable JsonArray> points = new ArrayList<>(series.points().size());
        for (int @Nullable [] each : series.points()) {
            if (each == null) {
                points.add(null);
            } else {
                JsonArray point = new JsonArray();
                for (int number : each) {
                    point.add(number);
                }
                points.add(point);
            }
        }
        return new JsonObject()
                .put("from", series.from())
                .put("step", series.step())
                .put("columns", new JsonArray(HistoryColumn.names()))
                .put("points", new JsonArray(points));
    }
}
