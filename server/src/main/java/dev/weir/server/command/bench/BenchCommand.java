package dev.weir.server.command.bench;

import dev.weir.server.bench.LoadGenerator;
import dev.weir.server.bench.LoadReport;
import dev.weir.server.bench.LoadReport.Point;
import dev.weir.server.bench.LoadRequest;
import dev.weir.server.bench.LoadSettings;
import dev.weir.server.bench.LoadTarget;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.ExitCodes;
import dev.weir.server.log.Logs;
import dev.weir.server.request.RequestWords;
import dev.weir.server.request.ShellWords;
import dev.weir.simulation.output.LinesPlot;
import dev.weir.text.fields.Durations;
import dev.weir.text.message.FileErrors;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Loads a service, and prints throughput and latencies. */
@Command(
        name = "bench",
        description = {
            "Load a rate limit service that speaks Envoy's protocol or Weir's REST, and measure its answers.",
            "With --rate, a latency counts from the time at which the request was due.",
            "With --max, a request is sent when another was answered."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {"0:every request was answered", "1:some were not", "2:wrong arguments", "4:no connection"},
        footer = {
            "",
            "Example: weir bench --target grpc://localhost:8081 --domain api --descriptor user_id=u{key} --keys 1000"
                    + " --rate 5000",
            "         weir bench --target http://localhost:8080 --domain api --descriptor user_id=u{key} --max --json"
        })
public final class BenchCommand implements Callable<Integer> {
    @Option(
            names = "--target",
            required = true,
            paramLabel = "URL",
            description = "The service: grpc://HOST:PORT, http://HOST:PORT for Weir's check, or http://HOST:PORT/json.")
    private String target = "";

    @Option(names = "--domain", required = true, paramLabel = "DOMAIN", description = "Domain of the rules.")
    private String domain = "";

    @Option(
            names = "--descriptor",
            required = true,
            paramLabel = "key=value…",
            description = "Entries of the request; {key} is the number of a key; + begins the next descriptor.")
    private String descriptor = "";

    @Option(names = "--keys", paramLabel = "N", description = "How many keys. Default: 1.", defaultValue = "1")
    private int keys;

    @Option(
            names = "--zipf",
            paramLabel = "S",
            description = "Draw keys by Zipf's law with this exponent. Default: all keys alike.",
            defaultValue = "0")
    private double zipf;

    @Option(names = "--rate", paramLabel = "N", description = "Send this many requests a second.", defaultValue = "0")
    private double rate;

    @Option(names = "--max", description = "Send as many requests as the service answers.")
    private boolean max;

    @Option(names = "--connections", paramLabel = "N", description = "Connections. Default: 4.", defaultValue = "4")
    private int connections;

    @Option(
            names = "--in-flight",
            paramLabel = "N",
            description = "With --max over gRPC: unanswered requests of each connection. Default: 64.",
            defaultValue = "64")
    private int inFlight;

    @Option(names = "--threads", paramLabel = "N", description = "Threads that send. Default: 1.", defaultValue = "1")
    private int threads;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            description = "Time to measure. Default: 15s.",
            defaultValue = "15s")
    private String duration = "";

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            description = "Time to send load before that. Default: 10s.",
            defaultValue = "10s")
    private String warmUp = "";

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Option(names = "--svg", paramLabel = "FILE", description = "Write a plot of latency and throughput over time.")
    private @Nullable Path svg;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws CommandException {
        LoadSettings settings = settings();
        Duration before = time("--warmup", warmUp, true);
        Duration measured = time("--duration", duration, false);
        LoadReport report;
        try (LoadGenerator generator = new LoadGenerator(settings)) {
            generator.warmUp(before);
            report = generator.measure(measured, this::progress);
        } catch (IOException e) {
            throw new CommandException(ExitCodes.UNREACHABLE, target + " does not answer: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted");
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(json(report).encode());
        } else {
            print(report, out);
        }
        out.flush();
        if (svg != null) {
            write(svg, plot(report));
        }
        return report.errors() > 0 ? ExitCodes.NO : ExitCodes.YES;
    }

    private LoadSettings settings() {
        if (max == (rate > 0)) {
            throw wrong("--rate N or --max: " + (max ? "both" : "neither") + " (expected: one of them)");
        }
        require("--rate", rate, 0, 10_000_000);
        require("--keys", keys, 1, 1_000_000_000);
        require("--connections", connections, 1, 10_000);
        require("--in-flight", inFlight, 1, 10_000);
        require("--threads", threads, 1, 64);
        require("--zipf", zipf, 0, 10);
        LoadTarget to;
        try {
            to = LoadTarget.of(target);
        } catch (IllegalArgumentException e) {
            throw wrong("--target: " + e.getMessage());
        }
        return new LoadSettings(
                to, request(to), rate, connections, inFlight, keys, zipf, Math.min(threads, connections));
    }

    private LoadRequest request(LoadTarget to) {
        LoadRequest request;
        try {
            request = new LoadRequest(
                    domain, RequestWords.of(ShellWords.split(descriptor)).descriptors());
        } catch (IllegalArgumentException e) {
            throw wrong("--descriptor: " + e.getMessage());
        }
        if (!to.grpc() && !to.path().equals("/json") && request.descriptors().size() > 1) {
            throw wrong("--descriptor: several descriptors (expected: one, because a check over REST has one)");
        }
        return request;
    }

    private void require(String option, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw wrong(option + ": " + value + " (expected: " + number(least) + " to " + number(most) + ")");
        }
    }

    private Duration time(String option, String text, boolean mayBeZero) {
        try {
            long micros = Durations.micros(text);
            if (micros > 0 || mayBeZero) {
                return Duration.ofNanos(Math.multiplyExact(micros, 1_000L));
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw wrong(option + ": \"" + text + "\" (" + e.getMessage() + ")");
        }
        throw wrong(option + ": \"" + text + "\" (expected: more than 0)");
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private void progress(Point second) {
        if (Logs.isTerminal() && !json) {
            PrintWriter err = spec.commandLine().getErr();
            err.print("\r" + number(second.perSecond()) + "/s  p50 " + millis(second.p50()) + "  p99 "
                    + millis(second.p99()) + "      ");
            err.flush();
        }
    }

    private void print(LoadReport report, PrintWriter out) {
        if (Logs.isTerminal()) {
            spec.commandLine().getErr().print("\r" + " ".repeat(60) + "\r");
            spec.commandLine().getErr().flush();
        }
        out.println(number(report.throughput()) + " answers a second"
                + (rate > 0 ? " of " + number(rate) + " asked" : "") + ", for "
                + String.format(Locale.ROOT, "%.1f s", report.seconds()));
        out.println("allowed " + number(report.allowed()) + ", denied " + number(report.denied()) + ", errors "
                + number(report.errors()));
        out.println("latency  p50 " + millis(report.percentile(50)) + "  p90 " + millis(report.percentile(90))
                + "  p99 " + millis(report.percentile(99)) + "  p99.9 " + millis(report.percentile(99.9)) + "  max "
                + millis(report.latencies().getMaxValue()));
        out.println("this process used " + String.format(Locale.ROOT, "%.2f", report.cpuSeconds() / report.seconds())
                + " cores");
        if (report.problem() != null) {
            spec.commandLine().getErr().println(report.problem());
        }
    }

    private JsonObject json(LoadReport report) {
        return new JsonObject()
                .put("target", target)
                .put("rate", rate)
                .put("connections", connections)
                .put("keys", keys)
                .put("zipf", zipf)
                .put("seconds", Math.round(report.seconds() * 1_000) / 1e3)
                .put("throughput", Math.round(report.throughput()))
                .put("p50_us", report.percentile(50))
                .put("p90_us", report.percentile(90))
                .put("p99_us", report.percentile(99))
                .put("p999_us", report.percentile(99.9))
                .put("max_us", report.latencies().getMaxValue())
                .put("allowed", report.allowed())
                .put("denied", report.denied())
                .put("errors", report.errors())
                .put("problem", report.problem())
                .put("cores", Math.round(100 * report.cpuSeconds() / report.seconds()) / 1e2);
    }

    private String plot(LoadReport report) {
        Map<String, double[]> latency = new LinkedHashMap<>();
        latency.put("p50", line(report.series(), point -> point.p50() / 1e3));
        latency.put("p99", line(report.series(), point -> point.p99() / 1e3));
        latency.put("p99.9", line(report.series(), point -> point.p999() / 1e3));
        return new LinesPlot(target, summary(), report.seconds(), 2)
                .chart("latency, ms", latency)
                .chart("answers a second", Map.of("answers", line(report.series(), Point::perSecond)))
                .toString();
    }

    private String summary() {
        return (max ? "as fast as it answers" : number(rate) + " requests a second") + ", " + connections
                + " connections, " + number(keys) + " keys";
    }

    private static double[] line(List<Point> series, ToDoubleFunction<Point> of) {
        return series.stream().mapToDouble(of).toArray();
    }

    private static void write(Path file, String text) throws CommandException {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new CommandException(file + ": cannot be written (" + FileErrors.why(e) + ")");
        }
    }

    private static String number(double value) {
        return number(Math.round(value));
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String millis(long micros) {
        return String.format(Locale.ROOT, "%.3f ms", micros / 1e3);
    }
}
