package dev.weir.control.testkit;

import dev.weir.testkit.ExternalPrograms;
import dev.weir.testkit.FreePorts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A real etcd in a folder and on a port of its own, which it keeps over a restart. It ends with the JVM, also with one that is killed. */
public final class Etcd implements AutoCloseable {
    // The shell kills the server when its own input ends, which the system sees to if this JVM dies.
    private static final String WATCHED = """
            log=$1; shift
            "$@" </dev/null >>"$log" 2>&1 &
            server=$!
            echo $server
            read -r nothing
            kill -9 $server
            """;

    private final Path program;
    private final Path folder;
    private final int port;
    private final int peerPort;
    private final List<String> more;
    private final EtcdWriter writer;
    private @Nullable Process shell;
    private long pid;

    private Etcd(Path program, Path folder, List<String> more) {
        this.program = program;
        this.folder = folder;
        this.more = List.copyOf(more);
        port = FreePorts.free();
        peerPort = FreePorts.free();
        writer = new EtcdWriter(port);
    }

    /** Starts one in {@code folder}; {@code more} are settings of etcd. With {@code --cert-file} it speaks TLS, and has no writer. */
    public static Etcd in(Path folder, String... more) throws IOException {
        Etcd etcd = new Etcd(ExternalPrograms.program("etcd"), folder, List.of(more));
        try {
            etcd.start();
            return etcd;
        } catch (IOException | RuntimeException e) {
            etcd.close();
            throw e;
        }
    }

    /** Starts it, with the data it had. */
    public void start() throws IOException {
        boolean tls = more.contains("--cert-file");
        String client = (tls ? "https" : "http") + "://127.0.0.1:" + port;
        String peer = "http://127.0.0.1:" + peerPort;
        List<String> command = new ArrayList<>(
                List.of("bash", "-c", WATCHED, "bash", folder.resolve("log").toString(), program.toString()));
        command.addAll(List.of("--data-dir", folder.resolve("data").toString()));
        command.addAll(List.of("--listen-client-urls", client, "--advertise-client-urls", client));
        command.addAll(List.of("--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer));
        command.addAll(List.of("--initial-cluster", "default=" + peer));
        command.addAll(more);
        Process started = new ProcessBuilder(command).redirectErrorStream(true).start();
        shell = started;
        BufferedReader said =
                new BufferedReader(new InputStreamReader(started.getInputStream(), StandardCharsets.UTF_8));
        pid = Long.parseLong(Objects.requireNonNull(said.readLine()));
        String ready = tls ? "serving client" : "serving insecure client requests";
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> tls ? listens(ready) : writer.isUp());
    }

    private boolean listens(String ready) throws IOException {
        return Files.readString(folder.resolve("log")).contains(ready);
    }

    public int port() {
        return port;
    }

    /** {@code etcd://127.0.0.1:port/prefix}. */
    public String url(String prefix) {
        return "etcd://127.0.0.1:" + port + prefix;
    }

    /** Returns a writer. */
    public EtcdWriter writer() {
        return writer;
    }

    /** Ends it at once, as a crash would; the data stays. */
    public void kill() throws IOException {
        Process running = shell;
        if (running != null) {
            running.getOutputStream().close();
            running.onExit().join();
            ProcessHandle.of(pid).ifPresent(handle -> handle.onExit().join());
        }
    }

    @Override
    public void close() throws IOException {
        kill();
    }
}
