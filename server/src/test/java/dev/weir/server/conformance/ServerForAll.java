package dev.weir.server.conformance;

import static java.util.Objects.requireNonNull;

import dev.weir.server.HttpCaller;
import dev.weir.server.RunningServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** One server for all tests of a class, on the rules files given, by name; {@code settings} are names and values in turn. */
final class ServerForAll implements BeforeAllCallback, AfterAllCallback {
    private final Map<String, String> files;
    private final String[] settings;
    private @Nullable Path folder;
    private @Nullable RunningServer server;
    private @Nullable OverGrpc grpc;

    ServerForAll(Map<String, String> files, String... settings) {
        this.files = files;
        this.settings = settings;
    }

    RunningServer running() {
        return requireNonNull(server);
    }

    HttpCaller http() {
        return running().http;
    }

    OverGrpc grpc() {
        return requireNonNull(grpc);
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        Path rules = Files.createTempDirectory("weir-rules");
        folder = rules;
        for (Map.Entry<String, String> file : files.entrySet()) {
            Files.writeString(rules.resolve(file.getKey()), file.getValue());
        }
        server = RunningServer.with(rules, settings);
        grpc = new OverGrpc(server);
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        if (grpc != null) {
            grpc.close();
        }
        if (server != null) {
            server.close();
        }
        if (folder != null) {
            for (String file : files.keySet()) {
                Files.deleteIfExists(folder.resolve(file));
            }
            Files.delete(folder);
        }
    }
}
