package dev.weir.redis.testkit;

import dev.weir.redis.testkit.RespConnection.RedisError;
import dev.weir.testkit.ExternalPrograms;
import dev.weir.testkit.FreePorts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Redis server of its own, in a folder of its own, on a port of its own of the loopback address. It ends with the JVM, also with
 * one that is killed.
 */
public final class RedisProcess implements AutoCloseable {
    // The shell tells the server's process id, ends when the server does, and kills it when its own input ends, which
    // the system
    // sees to if this JVM dies.
    private static final String WATCHED = """
            trap '' HUP INT TERM
            exec 3<&0
            "$1" "$2/redis.conf" $3 </dev/null >>"$2/log" 2>&1 3<&- &
            server=$!
            echo $server
            exec >/dev/null
            { read -r nothing <&3; rm -rf "$2"; kill -9 $server; } &
            watch=$!
            wait $server
            kill -9 $watch
            """;

    private static final int TRIES = 20;

    private final Path binary;
    private final boolean sentinel;
    private final List<String> settings;
    private final Path folder;
    private int port;
    private int busPort;
    private int tlsPort;
    private @Nullable Process shell;
    private long pid;
    private @Nullable String password;

    private RedisProcess(Path binary, boolean sentinel, List<String> settings) {
        this.binary = binary;
        this.sentinel = sentinel;
        this.settings = new ArrayList<>(settings);
        password = settings.stream()
                .filter(setting -> setting.startsWith("requirepass "))
                .map(setting -> setting.substring("requirepass ".length()))
                .findFirst()
                .orElse(null);
        try {
            folder = Files.createTempDirectory("weir-redis");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a server and waits until it answers. Each setting is a line as redis.conf has it: {@code maxmemory 3mb}. */
    public static RedisProcess start(String... settings) {
        return start(RedisBinary.path(), false, settings);
    }

    /**
     * Starts a server that speaks TLS as well, on {@link #tlsPort}, and waits until it answers.
     *
     * @param clients whether clients must show a certificate that {@code its} signed
     */
    public static RedisProcess startWithTls(PemFiles its, boolean clients, String... settings) {
        List<String> lines = new ArrayList<>(List.of(
                "tls-cert-file " + its.certificate(),
                "tls-key-file " + its.key(),
                "tls-ca-cert-file " + its.certificate(),
                "tls-auth-clients " + (clients ? "yes" : "no")));
        lines.addAll(Arrays.asList(settings));
        return start(lines.toArray(String[]::new));
    }

    /** Returns whether {@link #startOldest} works on this machine. */
    public static boolean runsOldest() {
        return RedisBinary.runsOldest();
    }

    /** Starts a server of the oldest version that is supported. */
    public static RedisProcess startOldest(String... settings) {
        return start(RedisBinary.oldest(), false, settings);
    }

    /** Starts a Valkey, where the machine has one. */
    public static RedisProcess startValkey(String... settings) {
        return start(ExternalPrograms.program("valkey-server"), false, settings);
    }

    /** Starts a sentinel and waits until it answers. */
    static RedisProcess startSentinel(String... settings) {
        return start(RedisBinary.path(), true, settings);
    }

    private static RedisProcess start(Path binary, boolean sentinel, String... settings) {
        RedisProcess redis = new RedisProcess(binary, sentinel, Arrays.asList(settings));
        for (int i = 0; i < TRIES; i++) {
            redis.port = FreePorts.free();
            redis.busPort = FreePorts.free();
            redis.tlsPort = FreePorts.free();
            redis.writeSettings();
            if (redis.launch()) {
                return redis;
            }
        }
        String log = redis.log();
        redis.stop();
        throw new IllegalStateException("Redis does not start: " + log);
    }

    private void writeSettings() {
        List<String> lines = new ArrayList<>();
        lines.add("port " + port);
        lines.add("bind 127.0.0.1");
        lines.add("dir " + folder);
        if (!sentinel) {
            lines.add("save \"\"");
            if (binary.equals(RedisBinary.path())) {
                lines.add("enable-debug-command yes"); // which 6.2 has no word for, and allows
            }
            // A replica is in step at once, not after the five seconds in which others might join its transfer.
            lines.add("repl-diskless-sync-delay 0");
        }
        if (settings.contains("cluster-enabled yes")) {
            lines.add("cluster-port " + busPort);
        }
        if (settings.stream().anyMatch(setting -> setting.startsWith("tls-"))) {
            lines.add("tls-port " + tlsPort);
        }
        lines.addAll(settings);
        try {
            Files.write(folder.resolve("redis.conf"), lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts the process and waits until it answers; returns false if it ended because its port was taken. */
    private boolean launch() {
        try {
            Process started = new ProcessBuilder(
                            "sh",
                            "-c",
                            WATCHED,
                            "sh",
                            binary.toString(),
                            folder.toString(),
                            sentinel ? "--sentinel" : "")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            shell = started;
            pid = Long.parseLong(Objects.requireNonNull(
                    new BufferedReader(new InputStreamReader(started.getInputStream(), StandardCharsets.US_ASCII))
                            .readLine()));
            return awaitAnswer(started);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean awaitAnswer(Process started) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (started.isAlive()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("Redis says nothing: " + log());
            }
            try {
                // If the port was taken, another process may answer.
                if (String.valueOf(cli("INFO", "server")).contains("process_id:" + pid + "\r\n")) {
                    return true;
                }
            } catch (UncheckedIOException | RedisError e) {
                // Not yet.
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        return false;
    }

    public int port() {
        return port;
    }

    /** Returns the port of the cluster bus. */
    int busPort() {
        return busPort;
    }

    public String address() {
        return "127.0.0.1:" + port;
    }

    /** Returns the TLS port, if there is one. */
    public int tlsPort() {
        return tlsPort;
    }

    /** Returns its address, with the password if it has one. */
    public String uri() {
        return "redis://" + (password == null ? "" : ":" + password + "@") + address();
    }

    /** Returns the folder of its files. */
    public Path folder() {
        return folder;
    }

    /** Returns whether the process exists, paused or not. */
    public boolean isRunning() {
        return shell != null && shell.isAlive();
    }

    /** Sends a command over a connection of its own and gives the reply. */
    public @Nullable Object cli(String... command) {
        try (RespConnection connection = connect()) {
            return connection.call(command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All keys, without the notes that servers leave for each other. */
    public List<String> keysWithoutNotes() {
        return ((List<?>) Objects.requireNonNull(cli("KEYS", "*")))
                .stream()
                        .map(String::valueOf)
                        .filter(each -> !each.contains("/notes:"))
                        .toList();
    }

    /** A connection that may do everything. */
    public RespConnection connect() throws IOException {
        RespConnection connection = new RespConnection(port, 5_000);
        if (password != null) {
            connection.call("AUTH", password);
        }
        return connection;
    }

    /** Waits until a replica has everything that was written so far. */
    public void awaitReplica() {
        try (RespConnection connection = connect()) {
            // WAIT waits for the writes up to the last command of its own connection, and for nothing on a new one.
            connection.call("PING");
            Object replicas = connection.call("WAIT", "1", "5000");
            if (!Long.valueOf(1).equals(replicas)) {
                throw new IllegalStateException("after 5 s no replica is in step: " + replicas);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One line of {@code INFO}, such as {@code master_link_status}; empty if there is none. */
    public String info(String section, String field) {
        return String.valueOf(cli("INFO", section))
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1))
                .findFirst()
                .orElse("");
    }

    /** Returns how often each command ran, by its name in lower case, since the last {@code CONFIG RESETSTAT}. */
    public Map<String, Long> commandCalls() {
        return String.valueOf(cli("INFO", "commandstats"))
                .lines()
                .filter(line -> line.startsWith("cmdstat_"))
                .collect(Collectors.toMap(
                        line -> line.substring("cmdstat_".length(), line.indexOf(':')),
                        line -> Long.valueOf(line.substring(line.indexOf("calls=") + 6, line.indexOf(',')))));
    }

    /** Asks for a password from now on, of open connections only after they are gone; an empty one takes it away. */
    public void password(String wanted) {
        cli("CONFIG", "SET", "requirepass", wanted);
        password = wanted.isEmpty() ? null : wanted;
        settings.removeIf(setting -> setting.startsWith("requirepass "));
        if (!wanted.isEmpty()) {
            settings.add("requirepass " + wanted);
        }
    }

    /** Pauses the process (SIGSTOP): connections stay open, nothing answers. */
    public void pause() {
        ProcessSignal.pause(pid);
    }

    public void resume() {
        ProcessSignal.resume(pid);
    }

    /** Ends it with SIGKILL; {@link #restart} brings it back. */
    public void kill() {
        ProcessSignal.send("KILL", pid);
        try {
            Objects.requireNonNull(shell).waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Starts it again on the same port, with its data on disk; kills it first if it runs. */
    public void restart() {
        if (isRunning()) {
            kill();
        }
        if (!sentinel) {
            writeSettings();
        }
        if (!launch()) {
            throw new IllegalStateException("Redis does not start again: " + log());
        }
    }

    /** Returns the log of the process. */
    public String log() {
        try {
            return Files.readString(folder.resolve("log"));
        } catch (IOException e) {
            return "";
        }
    }

    /** Ends it for good and removes its folder. */
    public void stop() {
        if (isRunning()) {
            kill();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            // Already gone.
        }
    }

    @Override
    public void close() {
        stop();
    }

    @Override
    public String toString() {
        return "Redis at " + address();
    }
}
