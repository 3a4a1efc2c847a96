package dev.weir.server.gateway;

import dev.weir.testkit.ExternalPrograms;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A real Caddy with the file of {@code examples/caddy}. The environment has the ports. */
class CaddyTest extends GatewayContract {
    private static final Path EXAMPLE = Path.of("..", "examples", "caddy", "Caddyfile");

    @Override
    void start(GatewayKit kit) throws Exception {
        Files.copy(EXAMPLE, kit.folder.resolve("Caddyfile"));
        ProcessBuilder command =
                new ProcessBuilder(ExternalPrograms.program("caddy").toString(), "run", "--config", "Caddyfile");
        command.environment()
                .putAll(Map.of(
                        "LISTEN_PORT", Integer.toString(kit.port),
                        "WEIR_PORT", Integer.toString(kit.weir.httpPort()),
                        "APP_PORT", Integer.toString(kit.appPort()),
                        "HOME", kit.folder.toString()));
        kit.start(command);
    }

    @Override
    long passedWithoutWeir(GatewayKit kit) {
        return GatewayKit.read(kit.folder.resolve("gateway.out"))
                .lines()
                .filter(each -> each.contains("http.log.error"))
                .count();
    }
}
