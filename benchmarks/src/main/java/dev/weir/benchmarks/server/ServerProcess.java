package dev.weir.benchmarks.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A server in its own JVM, with its own CPU time and garbage. */
public final class ServerProcess implements AutoCloseable {
    private final String name;
    private final int port;
    private final Process process;
    private final BufferedReader answers;
    private final Writer questions;

    private ServerProcess(String name, int port, Process process) {
        this.name = name;
        this.port = port;
        this.process = process;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.questions = process.outputWriter(StandardCharsets.UTF_8);
    }

    /**
     * Starts {@link ServerUnderLoad} for {@code name} with the class path and Java of this process, and Weir with
     * {@code flags}.
     */
    public static ServerProcess start(String name, String... flags) throws IOException {
        return start(name, List.of("-Xms512m", "-Xmx512m"), flags);
    }

    /** Starts it as above with {@code options} of the JVM. */
    static ServerProcess start(String name, List<String> options, String... flags) throws IOException {
        int port = freePort();
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ServerUnderLoad.class.getName()));
        command.addAll(List.of(name, String.valueOf(port)));
        command.addAll(List.of(flags));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        ServerProcess server = new ServerProcess(name, port, process);
        server.await("up");
        return server;
    }

    /** A port that was free a moment ago. */
    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    String name() {
        return name;
    }

    public int port() {
        return port;
    }

    public long pid() {
        return process.pid();
    }

    /** Bytes that the threads now alive have allocated since they began. */
    long allocatedBytes() throws IOException {
        questions.write("allocated\n");
        questions.flush();
        return Long.parseLong(await("allocated "));
    }

    private String await(String prefix) throws IOException {
        for (String line = answers.readLine(); line != null; line = answers.readLine()) {
            if (line.startsWith(prefix)) {
                return line.substring(prefix.length());
            }
        }
        throw new IOException(name + ": ended before it said '" + prefix + "'");
    }

    @Override
    public void close() {
        process.destroy();
    }
}
