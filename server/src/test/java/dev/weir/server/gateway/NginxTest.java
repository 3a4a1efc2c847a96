package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.weir.testkit.ExternalPrograms;
import dev.weir.testkit.FreePorts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real nginx with the files of {@code examples/nginx}. The test changes only the ports. */
class NginxTest {
    private static final Path EXAMPLE = Path.of("..", "examples", "nginx");

    /** The behaviour of both ways to ask. */
    abstract static class Contract extends GatewayContract {
        private static final int ROUNDS = 20;
        private static final int AT_ONCE = 1_000;

        @Test
        void exactlyTheLimitPassesOfAThousandAtOnce() throws Exception {
            try (GatewayKit kit = new GatewayKit(folder)) {
                start(kit);
                for (int i = 0; i < ROUNDS; i++) {
                    long away = passedWithoutWeir(kit);
                    List<GatewayKit.Head> answers = kit.atOnce(AT_ONCE, "/burst", "round-" + i);
                    long late = passedWithoutWeir(kit) - away;
                    List<GatewayKit.Head> passed = answers.stream()
                            .filter(each -> each.status() == 200)
                            .toList();
                    List<GatewayKit.Head> denied = answers.stream()
                            .filter(each -> each.status() == 429)
                            .toList();
                    assertThat(passed.size() + denied.size()).isEqualTo(AT_ONCE);
                    assertThat(answers)
                            .filteredOn(each -> each.has("RateLimit"))
                            .hasSize(AT_ONCE - (int) late);
                    assertThat(denied).allMatch(each -> each.has("Retry-After"));
                    if (late == 0) {
                        assertThat(passed).hasSize(GatewayKit.LIMIT);
                        return;
                    }
                    System.out.println(late + " of " + AT_ONCE + " at once passed without Weir: " + reasons(kit));
                }
                fail("nginx never waited for all answers: " + reasons(kit));
            }
        }
    }

    @Nested
    class Redirect extends Contract {
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
    class Subrequest extends Contract {
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
        String example = Files.readString(EXAMPLE.resolve("nginx.conf"));
        String adapted = example.replace("127.0.0.1:8080", "127.0.0.1:" + kit.weir.httpPort())
                .replace(
                        "upstream app { server 127.0.0.1:9000; }",
                        "upstream app { server 127.0.0.1:%d; }".formatted(kit.appPort()))
                .replace("listen 127.0.0.1:9000", "listen 127.0.0.1:" + FreePorts.free())
                .replace("listen 8000", "listen 127.0.0.1:" + kit.port)
                .replace("include weir-redirect.conf", "include " + file)
                .replace("http {", """
                        http {
                          client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
                          uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                        """);
        assertThat(adapted).contains("include " + file, ":" + kit.appPort(), ":" + kit.port);
        Path main = Files.writeString(kit.folder.resolve("test.conf"), adapted);
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

    /** What nginx logged about requests that it let pass, without the addresses, and how often. */
    private static Map<String, Long> reasons(GatewayKit kit) {
        return GatewayKit.read(kit.folder.resolve("error.log"))
                .lines()
                .filter(each -> each.contains("/v1/ratelimit/forward"))
                .map(each -> each.replaceAll("^.*?\\*\\d+ |, client: .*$", ""))
                .collect(Collectors.groupingBy(each -> each, Collectors.counting()));
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
