package dev.weir.server.gateway;

import dev.weir.testkit.ExternalPrograms;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A real HAProxy with the files of {@code examples/haproxy}. The environment has the ports. */
class HaproxyTest extends GatewayContract {
    private static final Path EXAMPLE = Path.of("..", "examples", "haproxy");

    @Override
    void start(GatewayKit kit) throws Exception {
        for (String each : List.of("haproxy.cfg", "weir.lua")) {
            Files.copy(EXAMPLE.resolve(each), kit.folder.resolve(each));
        }
        ProcessBuilder command =
                new ProcessBuilder(ExternalPrograms.program("haproxy").toString(), "-f", "haproxy.cfg");
        command.environment()
                .putAll(Map.of(
                        "LISTEN_PORT", Integer.toString(kit.port),
                        "WEIR_PORT", Integer.toString(kit.weir.httpPort()),
                        "APP_PORT", Integer.toString(kit.appPort())));
        kit.start(command);
    }

    @Override
    long passedWithoutWeir(GatewayKit kit) {
        return GatewayKit.read(kit.folder.resolve("gateway.out"))
                .lines()
                .filter(each -> each.contains("weir: no answer"))
                .count();
    }
}
