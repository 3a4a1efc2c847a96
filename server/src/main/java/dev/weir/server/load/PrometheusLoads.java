package dev.weir.server.load;

import dev.weir.internal.model.LoadQuery;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Asks Prometheus for the loads of services, and logs when it begins and ceases to fail. Used by one thread. */
final class PrometheusLoads {
    private static final System.Logger LOG = System.getLogger(PrometheusLoads.class.getName());
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final long EVERY_NANOS = Duration.ofSeconds(3).toNanos();
    private static final int LONGEST = 1 << 20;
    /** A utilisation may be a little over; a number above this is something else, such as a percentage. */
    private static final double HIGHEST = 2;

    private final LoadReports reports;
    private final LongSupplier nanos;
    private final Map<LoadQuery, Long> due = new HashMap<>();
    private final Map<LoadQuery, String> failing = new HashMap<>();
    /** Made on first use: it has a thread of its own. */
    private @Nullable HttpClient client;

    PrometheusLoads(LoadReports reports, LongSupplier nanos) {
        this.reports = reports;
        this.nanos = nanos;
    }

    /** Asks for those of {@code queries} that are due; waits for each answer for two seconds at most. */
    void poll(Collection<LoadQuery> queries) throws InterruptedException {
        due.keySet().retainAll(queries);
        failing.keySet().retainAll(queries);
        for (LoadQuery each : queries) {
            long now = nanos.getAsLong();
            if (now - due.getOrDefault(each, now) >= 0) {
                due.put(each, now + EVERY_NANOS);
                poll(each);
            }
        }
    }

    private void poll(LoadQuery query) throws InterruptedException {
        try {
            double utilisation = utilisation(ask(query));
            reports.add(query.service(), "prometheus", Math.min(1, utilisation), nanos.getAsLong());
            if (failing.remove(query) != null) {
                LOG.log(Level.INFO, "the load of " + query.service() + " is known again: " + utilisation);
            }
        } catch (IOException e) {
            String why = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
            if (failing.put(query, why) == null) {
                LOG.log(
                        Level.WARNING,
                        "the load of " + query.service() + " is unknown, so its limits rise again: "
                                + query.prometheus() + ": " + why);
            }
        }
    }

    private HttpClient client() {
        HttpClient known = client;
        if (known == null) {
            known = HttpClient.newBuilder()
                    .connectTimeout(TIMEOUT)
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .build();
            client = known;
        }
        return known;
    }

    private String ask(LoadQuery query) throws IOException, InterruptedException {
        String base = query.prometheus().replaceFirst("/+$", "");
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        base + "/api/v1/query?query=" + URLEncoder.encode(query.query(), StandardCharsets.UTF_8)))
                .timeout(TIMEOUT)
                .build();
        HttpResponse<InputStream> response = client().send(request, BodyHandlers.ofInputStream());
        try (InputStream body = response.body()) {
            byte[] bytes = body.readNBytes(LONGEST);
            if (response.statusCode() != 200) {
                throw new IOException(
                        "status " + response.statusCode() + " (expected: 200; try the query in Prometheus)");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    /** Reads the highest value of a vector, or a scalar. */
    static double utilisation(String answer) throws IOException {
        try {
            JsonObject data = new JsonObject(answer).getJsonObject("data", new JsonObject());
            JsonArray result = data.getJsonArray("result", new JsonArray());
            double highest = Double.NaN;
            if ("scalar".equals(data.getString("resultType"))) {
                highest = value(result);
            } else if ("vector".equals(data.getString("resultType"))) {
                for (int i = 0; i < result.size(); i++) {
                    double each = value(result.getJsonObject(i).getJsonArray("value"));
                    highest = Double.isNaN(highest) ? each : Math.max(highest, each);
                }
            }
            if (highest >= 0 && highest <= HIGHEST) {
                return highest;
            }
            throw new IOException(
                    Double.isNaN(highest)
                            ? "the query has no value (expected: one from 0 to 1)"
                            : "the query gives " + highest + " (expected: a utilisation from 0 to 1)");
        } catch (DecodeException | ClassCastException | IndexOutOfBoundsException | NumberFormatException e) {
            throw new IOException("not an answer of Prometheus: " + e.getMessage(), e);
        }
    }

    private static double value(JsonArray timeAndValue) {
        return Double.parseDouble(timeAndValue.getString(1));
    }
}
