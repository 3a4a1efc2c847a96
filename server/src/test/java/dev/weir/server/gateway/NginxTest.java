package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.ExternalPrograms;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real nginx with the files of {@code examples/nginx}. The test adds only the ports. */
class NginxTest {
    private static final Path EXAMPLE = Path.of("..", "examples", "nginx");

    @Nested
    class Redirect extends GatewayContract {
        @Override
        void start(GatewayKit kit) throws Exception {
            NginxTest.start(kit, "weir-redirect.conf");
        }

        @Override
        long passedWithoutWeir(GatewayKit kit) {
            return failures(kit);
        }
    }

    @Nested
    class Subrequest extends GatewayContract {
        @Override
        void start(GatewayKit kit) throws Exception {
            NginxTest.start(kit, "weir-subrequest.conf");
        }

        @Override
        long passedWithoutWeir(GatewayKit kit) {
            return failures(kit);
        }
    }

    @Test
    void theExampleIsAValidConfiguration(@TempDir Path folder) throws Exception {
        copyExample(folder);
        Process check = new ProcessBuilder(nginx(), "-t", "-p", folder.toString(), "-c", "nginx.conf")
                .redirectErrorStream(true)
                .start();
        String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(check.waitFor()).as(said).isZero();
    }

    @Test
    void thePageShowsLinesOfTheExample() throws Exception {
        Matcher blocks = Pattern.compile("```nginx (\\S+)\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("..", "docs", "gateways.md")));
        int shown = 0;
        while (blocks.find()) {
            assertThat(Files.readString(Path.of("..", blocks.group(1)))).contains(blocks.group(2));
            shown++;
        }
        assertThat(shown).isEqualTo(2);
    }

    private static void start(GatewayKit kit, String file) throws Exception {
        copyExample(kit.folder);
        Path main = Files.writeString(
                kit.folder.resolve("test.conf"), """
                daemon off;
                pid nginx.pid;
                error_log error.log;
                events {}
                http {
                  access_log off;
                  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
                  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                  upstream weir { server 127.0.0.1:%d max_fails=0; keepalive 32; }
                  upstream app { server 127.0.0.1:%d; }
                  server { listen 127.0.0.1:%d; include %s; }
                }
                """.formatted(kit.weir.httpPort(), kit.appPort(), kit.port, file));
        kit.start(new ProcessBuilder(nginx(), "-p", kit.folder.toString(), "-c", main.toString()));
    }

    private static void copyExample(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(EXAMPLE)) {
            for (Path each : files.toList()) {
                Path copy = folder.resolve(each.getFileName().toString());
                if (!Files.exists(copy)) {
                    Files.copy(each, copy);
                }
            }
        }
    }

    private static long failures(GatewayKit kit) {
        return GatewayKit.read(kit.folder.resolve("error.log"))
                .lines()
                .filter(each -> each.contains("/v1/ratelimit/forward"))
                .count();
    }

    private static String nginx() {
        return ExternalPrograms.program("nginx").toString();
    }
}
