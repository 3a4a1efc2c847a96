package dev.weir.remote.internal;

import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sends the load of a service to {@code POST /v1/load/{service}} every three seconds, from a daemon thread. */
public final class LoadSender implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.weir.remote");
    private static final long INTERVAL_MILLIS = 3_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final int ACCEPTED = 202;
    private static final int MOST_SHOWN = 300;

    private final URI target;
    private final String reporter;
    private final Supplier<@Nullable String> token;
    private final HttpClient client;
    private final DoubleSupplier utilisation;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread daemon = new Thread(task, "weir-load");
        daemon.setDaemon(true);
        return daemon;
    });
    /** Why the last report failed; empty if it did not. */
    private volatile String failure = "";

    public LoadSender(
            URI target,
            String reporter,
            Supplier<@Nullable String> token,
            HttpClient client,
            DoubleSupplier utilisation) {
        this.target = target;
        this.reporter = reporter;
        this.token = token;
        this.client = client;
        this.utilisation = utilisation;
    }

    /**
     * The address to which the load of {@code service} is reported.
     *
     * @throws IllegalArgumentException if {@code server} is not the address of an HTTP port, or {@code service} is empty
     */
    public static URI target(String server, String service) {
        if (service.isBlank()) {
            throw new IllegalArgumentException("service: \"\" (expected: one that a rule follows)");
        }
        String path =
                "/v1/load/" + URLEncoder.encode(service, StandardCharsets.UTF_8).replace("+", "%20");
        try {
            URI base = new URI(server);
            boolean http = "http".equals(base.getScheme()) || "https".equals(base.getScheme());
            boolean plain =
                    base.getRawUserInfo() == null && base.getRawQuery() == null && base.getRawFragment() == null;
            if (http && plain && base.getHost() != null) {
                return new URI(server.endsWith("/") ? server.substring(0, server.length() - 1) + path : server + path);
            }
        } catch (URISyntaxException e) {
            // told below
        }
        throw new IllegalArgumentException("server: " + server + " (expected: http://host:port or https://host:port)");
    }

    public void start() {
        var unused = thread.scheduleAtFixedRate(this::reportInTurn, 0, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void reportInTurn() {
        var unused = report(); // it logs its own failures
    }

    /** Reports once. The result completes when the server has answered, or has not in time; it never fails. */
    CompletableFuture<Void> report() {
        try {
            double load = utilisation.getAsDouble();
            if (Double.isNaN(load)) {
                return failed("the utilisation is NaN (expected: 0 to 1)");
            }
            HttpRequest.Builder request = HttpRequest.newBuilder(target)
                    .timeout(TIMEOUT)
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString("{\"utilisation\": " + Math.max(0, Math.min(1, load))
                            + ", \"reporter\": " + quoted(reporter) + "}"));
            String secret = token.get();
            if (secret != null) {
                request.header("Authorization", "Bearer " + secret);
            }
            return client.sendAsync(request.build(), BodyHandlers.ofString())
                    .thenAccept(this::answered)
                    .exceptionally(e -> {
                        var unused = failed("the server does not answer: " + cause(e));
                        return null;
                    });
        } catch (RuntimeException e) { // of the application's code; the next report tries again
            return failed(e.toString());
        }
    }

    private void answered(HttpResponse<String> answer) {
        if (answer.statusCode() != ACCEPTED) {
            String body = answer.body();
            var unused = failed("the server answers " + answer.statusCode() + " "
                    + body.substring(0, Math.min(MOST_SHOWN, body.length())));
        } else if (!failure.isEmpty()) {
            failure = "";
            LOG.log(Level.INFO, "load reports to " + target + " are accepted again");
        }
    }

    /** Logs a failure that is not that of the last report. */
    private CompletableFuture<Void> failed(String why) {
        if (!why.equals(failure)) {
            failure = why;
            LOG.log(Level.WARNING, "no load is reported to " + target + ": " + why);
        }
        return CompletableFuture.completedFuture(null);
    }

    private static String cause(Throwable e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return cause.toString();
    }

    private static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        text.chars().forEach(c -> {
            if (c < ' ' || c == '"' || c == '\\' || Character.isSurrogate((char) c)) {
                json.append(String.format("\\u%04x", c));
            } else {
                json.append((char) c);
            }
        });
        return json.append('"').toString();
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
