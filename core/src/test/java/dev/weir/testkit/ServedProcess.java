package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code weir serve} as a process of its own, with the libraries that ship and none that only the tests have. */
public final class ServedProcess implements AutoCloseable {
    private static final Pattern HTTP = Pattern.compile("ready in [^:]*: (http://\\S+),");
    private static final Pattern ADMIN = Pattern.compile("admin (http://[^\\s\"]+)");
    private static final Pattern GRPC = Pattern.compile("grpc://\\S+:(\\d+),");

    private final Process process;
    private final BufferedReader output;
    private final String ready;

    private ServedProcess(Process process, BufferedReader output, String ready) {
        this.process = process;
        this.output = output;
        this.ready = ready;
    }

    /** Starts it in {@code folder}, on ports that are free, and waits until it says that it is ready. */
    public static ServedProcess in(Path folder, String... flags) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                shipped(),
                "dev.weir.server.command.WeirCommand",
                "serve",
                "--host=127.0.0.1",
                "--http-port=0",
                "--grpc-port=0",
                "--admin-port=0",
                "--warm-up=0s"));
        for (String flag : flags) {
            command.removeIf(usual -> usual.startsWith("--") && usual.startsWith(flag.replaceFirst("=.*", "=")));
            command.add(flag);
        }
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        try {
            BufferedReader output = process.inputReader();
            return new ServedProcess(process, output, readyLine(output));
        } catch (IOException | AssertionError e) {
            process.destroyForcibly().onExit().join();
            throw e;
        }
    }

    private static String readyLine(BufferedReader output) throws IOException {
        List<String> before = new ArrayList<>();
        String line = output.readLine();
        while (line != null && !line.contains("ready in")) {
            before.add(line);
            line = output.readLine();
        }
        assertThat(line).as("ready, after %s", before).isNotNull();
        return line;
    }

    /** As the jar that {@code ./weir} starts names it: the build of the server writes it down (profile test-kits of its pom). */
    private static String shipped() throws IOException {
        for (String server : List.of("target", "../server/target", "../../server/target")) {
            Path written = Path.of(server, "shipped-class-path");
            if (Files.exists(written)) {
                return Path.of(server, "classes").toAbsolutePath().normalize()
                        + File.pathSeparator
                        + Files.readString(written);
            }
        }
        throw new AssertionError("no shipped-class-path (expected: the module server, built before)");
    }

    public Process process() {
        return process;
    }

    /** Its log after it was ready. */
    public BufferedReader output() {
        return output;
    }

    /** The line that says that it is. */
    public String ready() {
        return ready;
    }

    /** {@code http://host:port}. */
    public String http() {
        Matcher address = HTTP.matcher(ready);
        assertThat(address.find()).as(ready).isTrue();
        return address.group(1);
    }

    /** {@code http://host:port} of the admin port. */
    public String admin() {
        Matcher address = ADMIN.matcher(ready);
        assertThat(address.find()).as(ready).isTrue();
        return address.group(1);
    }

    public int grpcPort() {
        Matcher address = GRPC.matcher(ready);
        assertThat(address.find()).as(ready).isTrue();
        return Integer.parseInt(address.group(1));
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
