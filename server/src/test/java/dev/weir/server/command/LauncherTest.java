package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The arguments that {@code ./weir} gives the JVM, which is replaced by a program that prints them. */
class LauncherTest {
    @TempDir
    Path root;

    @BeforeEach
    void built() throws IOException {
        Files.copy(Path.of("..", "weir"), root.resolve("weir"));
        Path launch = Files.createDirectories(root.resolve("server/target/launch"));
        Files.createFile(launch.resolve("stamp"));
        Files.createFile(launch.resolve("weir-server.jar"));
        // No rehearsal beside the tests: it would outlive them.
        Files.createFile(launch.resolve("classes-17.0.1.jsa.failed"));
        Path java = Files.createDirectories(root.resolve("jdk/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nprintf %s \"$LC_ALL\"\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(root.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
    }

    @Test
    void textIsReadAndPrintedAsUtf8WhereTheLocaleKnowsOnlyAscii() throws Exception {
        assertThat(saidUnder("C")).isEqualTo("C.UTF-8");
        assertThat(saidUnder("xx_XX.UTF-8")).as("not installed").isEqualTo("C.UTF-8");
        assertThat(saidUnder("C.utf8")).isEqualTo("C.utf8");
    }

    @Test
    void aReleaseRunsTheJarBesideItAndBuildsNothing() throws Exception {
        Files.writeString(root.resolve("jdk/bin/java"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        Files.createFile(root.resolve("weir-server.jar"));
        Files.createFile(root.resolve("classes-17.0.1.jsa.failed"));
        Files.delete(root.resolve("server/target/launch/weir-server.jar"));
        assertThat(saidUnder("C.utf8").lines())
                .startsWith("@" + root.toRealPath().resolve("jvm.options"))
                .endsWith("-jar", root.toRealPath().resolve("weir-server.jar").toString(), "check");
    }

    @Test
    void aCommandStartsFromTheArchiveWithASmallHeap() throws Exception {
        Files.writeString(root.resolve("jdk/bin/java"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        Path archive = Files.createFile(root.resolve("server/target/launch/classes-17.0.1.jsa"));
        assertThat(saidUnder("C.utf8").lines())
                .contains("-XX:SharedArchiveFile=" + archive.toRealPath(), "-XX:+UseSerialGC", "-Xms16m");
    }

    @Test
    void aReaderOfTheOutputDoesNotWaitForTheRehearsal() throws Exception {
        Path launch = root.resolve("server/target/launch");
        Files.delete(launch.resolve("classes-17.0.1.jsa.failed"));
        Path go = root.toRealPath().resolve("go");
        // The rehearsal waits for the test; it gives up after a minute, so that a failure is not a hang.
        Files.writeString(root.resolve("jdk/bin/java"), """
                #!/bin/sh
                case "$*" in
                  *weir.rehearsal*)
                    left=600
                    until [ -e '%s' ] || [ "$left" = 0 ]; do sleep 0.1; left=$((left - 1)); done
                    exit 1 ;;
                esac
                printf done
                """.formatted(go));
        assertThat(saidUnder("C.utf8")).isEqualTo("done");
        Path ended = launch.resolve("classes-17.0.1.jsa.failed");
        assertThat(ended).as("the rehearsal goes on").doesNotExist();
        Files.createFile(go);
        await().until(() -> Files.exists(ended));
    }

    private String saidUnder(String locale) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("sh", root.resolve("weir").toString(), "check");
        builder.environment().put("LC_ALL", locale);
        builder.environment().put("WEIR_JAVA_HOME", root.resolve("jdk").toString());
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return said;
    }
}
