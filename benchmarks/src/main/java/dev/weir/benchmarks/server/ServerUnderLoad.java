package dev.weir.benchmarks.server;

import com.sun.management.ThreadMXBean;
import dev.weir.server.WeirServer;
import dev.weir.server.settings.SettingsReader;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The process under load: one server, which prints its allocated bytes whenever asked. Settings of Weir may follow its
 * port, as {@code name=value}.
 */
public final class ServerUnderLoad {
    static final String RULES = """
            domain: bench
            descriptors:
              - key: user
                rate_limit: { unit: hour, requests_per_unit: 4294967295 }
            """;

    private ServerUnderLoad() {}

    public static void main(String[] args) throws Exception {
        try {
            start(args[0], Integer.parseInt(args[1]), List.of(args).subList(2, args.length));
        } catch (Exception e) {
            e.printStackTrace();
            System.exit(1); // ends any threads it has started by then
        }
        System.out.println("up");
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (questions.readLine() != null) {
            System.out.println("allocated " + allocatedBytes());
        }
        System.exit(0); // the parent process has gone
    }

    private static void start(String name, int port, List<String> settings) throws Exception {
        switch (name) {
            case "vertx" -> VertxConstantServer.start(port);
            case "weir" -> startWeir(port, settings);
            default -> throw new IllegalArgumentException("server: " + name + " (expected: vertx, weir)");
        }
    }

    /** Starts all of Weir: rules, metrics, the other ports. Only its address and its rules are not the defaults. */
    private static void startWeir(int port, List<String> more) throws Exception {
        Path rules = Files.writeString(Files.createTempFile("bench", ".yaml"), RULES);
        rules.toFile().deleteOnExit();
        Map<String, String> flags = new HashMap<>(Map.of(
                "rules", rules.toString(),
                "host", "127.0.0.1",
                "grpc_port", String.valueOf(port),
                "http_port", "0",
                "admin_port", "0"));
        for (String flag : more) {
            flags.put(flag.substring(0, flag.indexOf('=')), flag.substring(flag.indexOf('=') + 1));
        }
        WeirServer.start(SettingsReader.read(flags, Map.of(), Path.of("")));
    }

    private static long allocatedBytes() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
            sum += Math.max(0, bytes);
        }
        return sum;
    }
}
