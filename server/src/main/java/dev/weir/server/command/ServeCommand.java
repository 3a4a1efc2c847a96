package dev.weir.server.command;

import dev.weir.internal.model.Rule;
import dev.weir.redis.internal.settings.RedisAddress;
import dev.weir.server.WeirServer;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.demo.DemoTraffic;
import dev.weir.server.demo.FlappingRelay;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.log.Logs;
import dev.weir.server.settings.ListenAddress;
import dev.weir.server.settings.LogFormat;
import dev.weir.server.settings.Setting;
import dev.weir.server.settings.Settings;
import dev.weir.server.settings.SettingsCatalogue;
import dev.weir.server.settings.SettingsException;
import dev.weir.server.settings.SettingsReader;
import dev.weir.server.settings.Version;
import dev.weir.server.warmup.StoreRehearsal;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** Runs the server until a signal ends it. */
@Command(
        name = "serve",
        description = "Run the server.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        footer = {
            "",
            "Every option can also be set in weir.yaml (http_port: 8080) and in the",
            "environment (WEIR_HTTP_PORT=8080). Flags override the environment, which",
            "overrides weir.yaml. The variables of envoyproxy/ratelimit are read, too",
            "(PORT, GRPC_PORT, RUNTIME_ROOT, …); WEIR_* overrides them."
        })
final class ServeCommand implements Callable<Integer> {
    private static final System.Logger LOG = System.getLogger(ServeCommand.class.getName());

    private final Map<String, String> environment;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private ServeCommand(Map<String, String> environment) {
        this.environment = environment;
    }

    /** The subcommand, with a flag for every setting. */
    static CommandLine commandLine(Map<String, String> environment) {
        CommandLine serve = new CommandLine(new ServeCommand(environment));
        CommandSpec spec = serve.getCommandSpec();
        spec.addOption(OptionSpec.builder("--config")
                .paramLabel("FILE")
                .type(String.class)
                .description("Settings file. Default: weir.yaml in the working directory, if there is one.")
                .build());
        spec.addOption(OptionSpec.builder("--demo")
                .paramLabel(SettingsReader.FLAPPING)
                .type(String.class)
                .arity("0..1")
                .fallbackValue("")
                .description(
                        "Try it: rules and callers that are made up, in this process. Takes no rules, store or database."
                                + " With =flapping and --store, a Redis of this machine fails from time to time.")
                .build());
        for (Setting<?> each : SettingsCatalogue.all()) {
            if (each.isSecret()) {
                continue;
            }
            OptionSpec.Builder option = OptionSpec.builder(each.flag())
                    .paramLabel(each.parameter())
                    .type(String.class)
                    .description(each.description()
                            + (each.fallback().isEmpty() ? "" : " Default: " + each.fallback() + "."));
            if (each.isRepeatable()) {
                option.type(List.class).auxiliaryTypes(String.class);
            }
            if (each.isSwitch()) {
                option.arity("0..1").fallbackValue("true");
            }
            spec.addOption(option.build());
        }
        return serve;
    }

    @Override
    public Integer call() throws CommandException {
        Map<String, String> flags = flags();
        Settings settings = settings(flags);
        if (SettingsReader.FLAPPING.equals(flags.get("demo"))) {
            flags.put("store", relay(settings).uri());
            settings = settings(flags);
        }
        boolean terminal = Logs.isTerminal();
        Logs.configure(settings.logging(), new FileOutputStream(FileDescriptor.out), terminal);
        // For an end before the server has started.
        Runtime.getRuntime().addShutdownHook(new Thread(Logs::flush, "weir-log-flush"));
        LOG.log(
                Level.INFO,
                "weir " + Version.current() + " on Java " + Version.java() + ", " + settings.eventLoops()
                        + (settings.eventLoops() == 1 ? " event loop" : " event loops"));
        settings.warnings().forEach(each -> LOG.log(Level.WARNING, each));
        WeirServer server;
        try {
            server = WeirServer.start(settings);
        } catch (StartException e) {
            throw new CommandException(String.valueOf(e.getMessage()));
        }
        Settings.Drain drain = settings.drain();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, drain), "weir-shutdown"));
        boolean text = settings.logging().format() == LogFormat.TEXT
                || (settings.logging().format() == LogFormat.AUTO && terminal);
        if (text) {
            LOG.log(Level.INFO, introduction(server, settings));
        }
        LOG.log(Level.INFO, ready(server, settings.tls()));
        if (settings.demo()) {
            var unused = DemoTraffic.start(server.limiter()); // until the process ends
            LOG.log(
                    Level.INFO,
                    "DEMO: rules and callers are made up. Look at http://" + reachable(server.admin())
                            + "/ or run: weir top --admin http://" + reachable(server.admin()));
        }
        if (Boolean.getBoolean("weir.rehearsal")) {
            StoreRehearsal.run();
            CommandRehearsal.run("http://" + server.http(), "http://" + server.admin());
        } else {
            awaitSignal();
        }
        return 0;
    }

    /** A relay before the Redis of a demo; it ends with the process. */
    private static FlappingRelay relay(Settings settings) throws CommandException {
        RedisAddress.HostPort redis = Objects.requireNonNull(settings.stores().get(Rule.DEFAULT_STORE))
                .address()
                .hosts()
                .get(0);
        try {
            return FlappingRelay.before(redis.host(), redis.port());
        } catch (IOException e) {
            throw new CommandException("--demo: cannot listen on loopback: " + e.getMessage());
        }
    }

    private Map<String, String> flags() {
        ParseResult parsed = spec.commandLine().getParseResult();
        Map<String, String> flags = new HashMap<>();
        for (OptionSpec each : parsed.matchedOptions()) {
            Object value = each.getValue();
            if (value instanceof String text) {
                flags.put(each.longestName().substring(2).replace('-', '_'), text);
            } else if (value instanceof List<?> several) {
                flags.put(
                        each.longestName().substring(2).replace('-', '_'),
                        several.stream().map(String::valueOf).collect(Collectors.joining(",")));
            }
        }
        return flags;
    }

    private Settings settings(Map<String, String> flags) throws CommandException {
        try {
            return SettingsReader.read(flags, environment, Path.of(""));
        } catch (SettingsException e) {
            throw new CommandException(
                    "invalid settings:\n  " + String.valueOf(e.getMessage()).replace("\n", "\n  "));
        }
    }

    private static String introduction(WeirServer server, Settings settings) {
        String http = (settings.tls().http() == null ? "" : "https://") + reachable(server.http());
        int width = Stream.of(server.http(), server.grpc(), server.admin())
                .mapToInt(each -> each.toString().length())
                .max()
                .orElse(0);
        String line = "\n  %-5s  %-" + width + "s  %s";
        String lines = "listening"
                + line.formatted("HTTP", server.http(), "POST /v1/ratelimit/check, /json · GET /healthcheck, /metrics")
                + line.formatted("gRPC", server.grpc(), "envoy.service.ratelimit.v3.RateLimitService")
                + line.formatted("admin", server.admin(), "GET /, /rlconfig, /v1/counters · rules and quotas");
        if (settings.isExample()) {
            lines += "\ntry it\n  curl -i -XPOST " + http
                    + "/v1/ratelimit/check -d '{\"user_id\":\"u_42\",\"endpoint\":\"/v1/charges\",\"cost\":1}'";
        }
        return lines;
    }

    private static String reachable(ListenAddress address) {
        boolean any = address.host().equals("0.0.0.0") || address.host().equals("::");
        return any ? "localhost:" + address.port() : address.toString();
    }

    private static String ready(WeirServer server, Settings.TlsPorts tls) {
        double seconds = ManagementFactory.getRuntimeMXBean().getUptime() / 1_000.0;
        return String.format(
                Locale.ROOT,
                "ready in %.1f s: %s://%s, %s://%s, admin %s://%s",
                seconds,
                tls.http() == null ? "http" : "https",
                server.http(),
                tls.grpc() == null ? "grpc" : "grpcs",
                server.grpc(),
                tls.admin() == null ? "http" : "https",
                server.admin());
    }

    private static void awaitSignal() {
        try {
            Thread.currentThread().join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Stops the server on SIGTERM and SIGINT. A server that stopped on request has not failed, so the exit code is 0.
     */
    private static void stop(WeirServer server, Settings.Drain drain) {
        Thread closing = new Thread(server::close, "weir-drain");
        closing.start();
        try {
            long timeout = drain.timeout().minus(drain.logFlush()).toMillis();
            closing.join(Math.max(1, timeout)); // 0 would wait for ever
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Logs.flush();
        Runtime.getRuntime().halt(0);
    }
}
