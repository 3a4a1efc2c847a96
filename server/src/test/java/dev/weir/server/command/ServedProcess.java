package dev.weir.server.command;

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
final class ServedProcess implements AutoCloseable {
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
    static ServedProcess in(Path folder, String... flags) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                shipped(),
                WeirCommand.class.getName(),
                "serve",
                "--host=127.0.0.1",
                "--http-port=0",
                "--grpc-port=0",
                "--admin-port=0",
                "--warm-up=0s"));
        command.addAll(List.of(flags));
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

    /** As the jar that {@code ./weir} starts names it: the build writes it down (profile test-kits of the pom). */
    private static String shipped() throws IOException {
        Path target = Path.of("target");
        return target.resolve("classes").toAbsolutePath()
                + File.pathSeparator
                + Files.readString(target.resolve("shipped-class-path"));
    }

    Process process() {
        return process;
    }

    /** What it says after it was ready. */
    BufferedReader output() {
        return output;
    }

    /** The line that says that it is. */
    String ready() {
        return ready;
    }

    /** {@code http://host:port}. */
    String http() {
        Matcher address = HTTP.matcher(ready);
        assertThat(address.find()).as(ready).isTrue();
        return address.group(1);
    }

    /** {@code http://host:port} of the admin port. */
    String admin() {
        Matcher address = ADMIN.matcher(ready);
        assertThat(address.find()).as(ready).isTrue();
        return address.group(1);
    }

    int grpcPort() {
        Matcher address = GRPC.matcher(ready);
        assertThat(address.find()).as(ready).isTrue();
        return Integer.parseInt(address.group(1));
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
