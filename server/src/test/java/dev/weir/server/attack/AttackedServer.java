package dev.weir.server.attack;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code weir serve} in a JVM of its own with the heap of a small container, with what it logged and what memory it uses. */
public final class AttackedServer implements AutoCloseable {
    private static final Pattern READY =
            Pattern.compile("ready in [^:]*: https?://\\S+:(\\d+), grpcs?://\\S+:(\\d+), admin https?://\\S+:(\\d+)");

    /** Flags that what shipped before did not know: {@code -Dweir.attack.left-out=head-timeout,max-request-cost}. */
    private static final List<String> LEFT_OUT =
            List.of(System.getProperty("weir.attack.left-out", "").split(",", -1));

    /** Bytes in use after a garbage collection. */
    record Memory(long heap, long direct) {
        @Override
        public String toString() {
            return (heap >> 20) + " MiB heap, " + (direct >> 20) + " MiB direct";
        }
    }

    private final Process process;
    private final PrintWriter commands;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Memory> answers = new LinkedBlockingQueue<>();
    private final CompletableFuture<Matcher> ready = new CompletableFuture<>();
    final int http;
    final int grpc;
    final int admin;

    private AttackedServer(Process process) throws Exception {
        this.process = process;
        commands = new PrintWriter(process.outputWriter(), true);
        Thread reader = new Thread(this::read, "attacked server's output");
        reader.setDaemon(true);
        reader.start();
        Matcher ports = ready.get(60, SECONDS);
        http = Integer.parseInt(ports.group(1));
        grpc = Integer.parseInt(ports.group(2));
        admin = Integer.parseInt(ports.group(3));
    }

    /**
     * Starts it with the flags of {@code ./weir} that matter here and a heap of {@code heap}. {@code
     * -Dweir.attack.wrapper} names a program that becomes the command it is given, in a cgroup for example.
     */
    public static AttackedServer start(String heap, Path rules, String... flags) throws Exception {
        List<String> command = new ArrayList<>();
        String wrapper = System.getProperty("weir.attack.wrapper");
        if (wrapper != null) {
            command.add(wrapper);
        }
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap,
                "-XX:+UseG1GC",
                "-XX:+ExitOnOutOfMemoryError",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "-cp",
                classPath(),
                "-Dweir.attack.main=" + System.getProperty("weir.attack.main", "dev.weir.server.command.WeirCommand"),
                AttackedMain.class.getName(),
                "serve",
                "--rules=" + rules,
                "--host=127.0.0.1",
                "--http-port=0",
                "--grpc-port=0",
                "--admin-port=0",
                "--event-loops=2",
                "--warm-up=1s",
                "--log-format=text"));
        for (String flag : flags) {
            if (!LEFT_OUT.contains(flag.substring(2, flag.indexOf('=')))) {
                command.add(flag);
            }
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            return new AttackedServer(process);
        } catch (Exception | AssertionError e) {
            process.destroyForcibly().onExit().join();
            throw e;
        }
    }

    /**
     * The shipped classes, and the one class of the tests that starts them. {@code -Dweir.attack.class-path} names those
     * of an earlier version, to see that an attack succeeds there, and {@code -Dweir.attack.main} its main class.
     */
    private static String classPath() throws IOException {
        Path target = Path.of("target");
        String attacked = System.getProperty("weir.attack.class-path");
        if (attacked == null) {
            attacked = target.resolve("classes").toAbsolutePath()
                    + File.pathSeparator
                    + Files.readString(target.resolve("shipped-class-path"));
        }
        return attacked + File.pathSeparator + target.resolve("test-classes").toAbsolutePath();
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(AttackedMain.MEMORY)) {
                    String[] parts = line.split(" ", -1);
                    answers.add(new Memory(Long.parseLong(parts[1]), Long.parseLong(parts[2])));
                    continue;
                }
                lines.add(line);
                Matcher ports = READY.matcher(line);
                if (ports.find()) {
                    ready.complete(ports);
                }
            }
        } catch (IOException e) {
            lines.add("cannot be read any more: " + e);
        }
        ready.completeExceptionally(new IllegalStateException("ended before it was ready: " + lines));
    }

    /** The port of its gRPC services. */
    public int grpcPort() {
        return grpc;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** Everything it has logged. */
    List<String> log() {
        return List.copyOf(lines);
    }

    /** The heap it uses after a garbage collection. */
    Memory memory() throws InterruptedException {
        answers.clear();
        commands.println();
        Memory now = answers.poll(20, SECONDS);
        assertThat(now).as("the server tells its memory, after %s", lines).isNotNull();
        return now;
    }

    /**
     * How long an event loop, or the worker of quotas, was ready to run and had no processor, in nanoseconds since the start: that is this machine's doing,
     * and not the server's.
     */
    long waitedForProcessor() throws IOException {
        long most = 0;
        try (DirectoryStream<Path> tasks =
                Files.newDirectoryStream(Path.of("/proc", String.valueOf(process.pid()), "task"))) {
            for (Path task : tasks) {
                String name = Files.readString(task.resolve("comm"));
                if (name.startsWith("vert.x-eventloo") || name.startsWith("weir-quotas")) {
                    most = Math.max(
                            most,
                            Long.parseLong(
                                    Files.readString(task.resolve("schedstat")).split(" ", -1)[1]));
                }
            }
        }
        return most;
    }

    /** The most that it ever had resident, in bytes. */
    long peakResident() throws IOException {
        return Files.readAllLines(Path.of("/proc", String.valueOf(process.pid()), "status")).stream()
                        .filter(line -> line.startsWith("VmHWM:"))
                        .map(line -> line.replaceAll("[^0-9]", ""))
                        .mapToLong(Long::parseLong)
                        .sum()
                << 10;
    }

    /** Ends it with SIGKILL. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
