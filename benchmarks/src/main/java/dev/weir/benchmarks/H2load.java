package dev.weir.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * nghttp2's load tool (Debian: nghttp2-client): one thread, four connections, the same question again and again. What it tells of a
 * request counts from when it was written, so that its own lateness is not the server's.
 */
final class H2load implements AutoCloseable {
    private static final int CONNECTIONS = 4;
    private static final String METHOD = "envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

    private final Path question;
    private final Path log;

    H2load() throws IOException {
        question = Files.write(Files.createTempFile("bench", ".frame"), question());
        log = Files.createTempFile("bench", ".log");
    }

    /** Whether there is one; says what is missing if not. */
    static boolean found() {
        boolean found = Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "h2load")));
        if (!found) {
            System.out.println("h2load is not on the PATH (Debian: nghttp2-client); nothing measured");
        }
        return found;
    }

    /** Microseconds from writing a request to the end of its answer; as fast as it goes if {@code rate} is 0. */
    Histogram load(int port, int rate, int seconds) throws IOException, InterruptedException {
        Files.write(log, new byte[0]);
        List<String> command = new ArrayList<>(List.of("h2load", "-t", "1", "-c", String.valueOf(CONNECTIONS)));
        command.addAll(List.of("-m", "64", "-D", String.valueOf(seconds), "--data=" + question, "--log-file=" + log));
        command.addAll(List.of("-H", "content-type: application/grpc", "-H", "te: trailers"));
        if (rate > 0) {
            command.add("--rps=" + rate / CONNECTIONS);
        }
        command.add("http://127.0.0.1:" + port + "/" + METHOD);
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        if (process.waitFor() != 0) {
            throw new IOException("h2load: exit " + process.exitValue() + " (expected: 0)");
        }
        Histogram micros = new Histogram(60_000_000, 3);
        try (Stream<String> lines = Files.lines(log, StandardCharsets.US_ASCII)) {
            lines.map(line -> line.split("\t", -1)).forEach(columns -> {
                if (!columns[1].equals("200")) {
                    throw new IllegalStateException("status " + columns[1] + " (expected: 200)");
                }
                micros.recordValue(Long.parseLong(columns[2]));
            });
        }
        return micros;
    }

    /** One gRPC message: a RateLimitRequest of one descriptor with one entry. */
    private static byte[] question() throws IOException {
        byte[] entry = join(field(1, "user"), field(2, "u17"));
        byte[] request = join(field(1, "bench"), field(2, field(1, entry)));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(0);
        out.writeInt(request.length);
        out.write(request);
        return bytes.toByteArray();
    }

    private static byte[] field(int number, String text) throws IOException {
        return field(number, text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] field(int number, byte[] content) throws IOException {
        return join(new byte[] {(byte) (number << 3 | 2), (byte) content.length}, content);
    }

    private static byte[] join(byte[] first, byte[] second) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(first);
        out.write(second);
        return out.toByteArray();
    }

    @Override
    public void close() throws IOException {
        Files.delete(question);
        Files.delete(log);
    }
}
