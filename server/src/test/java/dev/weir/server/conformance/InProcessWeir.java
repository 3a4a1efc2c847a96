package dev.weir.server.conformance;

import dev.weir.server.WeirServer;
import dev.weir.server.settings.SettingsReader;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Weir in this process, on ports the system picked. */
final class InProcessWeir implements RunningServer {
    private final WeirServer server;

    /** Starts it on a file or folder of rules, under these environment variables. */
    InProcessWeir(Path rules, Map<String, String> variables) throws Exception {
        Map<String, String> flags = new HashMap<>(Map.of(
                "rules", rules.toString(),
                "host", "127.0.0.1",
                "http_port", "0",
                "grpc_port", "0",
                "admin_port", "0",
                "warm_up", "0s",
                "drain_delay", "0s"));
        server = WeirServer.start(SettingsReader.read(flags, variables, rules));
    }

    @Override
    public int httpPort() {
        return server.http().port();
    }

    @Override
    public int grpcPort() {
        return server.grpc().port();
    }

    @Override
    public void close() {
        server.close();
    }
}
