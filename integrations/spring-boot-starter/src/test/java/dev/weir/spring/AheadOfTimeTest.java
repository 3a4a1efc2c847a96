package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.SpringFactoriesLoader;

/**
 * An application that is processed ahead of time, as for a native image: the code that Spring generates starts it in a JVM of
 * its own, and the hints name what Weir reads by name or by reflection.
 */
class AheadOfTimeTest {
    private static final String RULES = """
        rules:
          - name: per-caller
            match: { endpoint: "/orders" }
            key_by: api_key | ip
            limit: { requests: 2, window: 30d, algorithm: fixed_window }
          - name: orders
            key_by: user_id
            limit: { requests: 1, window: 30d, algorithm: fixed_window }
        """;

    @TempDir
    private Path folder;

    @Test
    void theGeneratedCodeStartsAndItsHintsNameWhatIsRead() throws Exception {
        Files.writeString(folder.resolve("my-rules.yaml"), RULES);
        List<String> properties = List.of(
                "--server.port=0",
                "--spring.main.web-application-type=servlet",
                "--spring.main.banner-mode=off",
                "--spring.cloud.gateway.server.webflux.enabled=false",
                "--weir.rules=classpath:my-rules.yaml");
        Path sources = folder.resolve("sources");
        Path resources = folder.resolve("resources");
        Path classes = folder.resolve("classes");
        new SpringApplicationAotProcessor(
                        AheadOfTimeApplication.class,
                        AbstractAotProcessor.Settings.builder()
                                .sourceOutput(sources)
                                .resourceOutput(resources)
                                .classOutput(classes)
                                .groupId("shop")
                                .artifactId("shop")
                                .build(),
                        properties.toArray(String[]::new))
                .process();

        String hints = text(resources).replace("\\", "");
        assertThat(hints)
                .contains("my-rules.yaml", "weir-rules.yaml", "dev/weir/redis/internal/script/")
                .contains("AheadOfTimeApplication$Shop", "\"later\"", "AheadOfTimeApplication$Caller");

        compile(sources, classes);
        assertThat(run(classes, resources, properties)).contains("answers: 200 200 429 placed later for u_2 placed");
    }

    @Test
    void everyScriptOfTheRedisStoreIsAmongTheHints() throws Exception {
        RuntimeHints hints = new RuntimeHints();
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .stream()
                .filter(each -> each.getClass().getName().startsWith("dev.weir."))
                .forEach(each -> each.registerHints(hints, getClass().getClassLoader()));
        int scripts = 0;
        for (var each : new PathMatchingResourcePatternResolver().getResources("classpath*:dev/weir/redis/**/*.lua")) {
            String name = each.getURL().toString().replaceFirst(".*(dev/weir/redis/)", "$1");
            assertThat(RuntimeHintsPredicates.resource().forResource(name))
                    .as(name)
                    .accepts(hints);
            scripts++;
        }
        assertThat(scripts).isGreaterThan(10);
    }

    private static String text(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(each -> each.toString().endsWith(".json"))
                    .map(AheadOfTimeTest::read)
                    .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void compile(Path sources, Path classes) throws IOException {
        JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "a JDK");
        List<String> arguments = new ArrayList<>(
                List.of("-nowarn", "-proc:none", "-parameters", "-cp", classPath(), "-d", classes.toString()));
        try (Stream<Path> files = Files.walk(sources)) {
            files.filter(each -> each.toString().endsWith(".java")).forEach(each -> arguments.add(each.toString()));
        }
        assertThat(compiler.run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }

    private String run(Path classes, Path resources, List<String> properties) throws Exception {
        Path output = folder.resolve("output");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Dspring.aot.enabled=true",
                "-cp",
                String.join(
                        File.pathSeparator, folder.toString(), classes.toString(), resources.toString(), classPath()),
                AheadOfTimeApplication.class.getName()));
        command.addAll(properties);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            await().until(() -> !process.isAlive());
        } finally {
            process.destroyForcibly().waitFor();
        }
        return Files.readString(output, StandardCharsets.UTF_8);
    }

    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }
}
