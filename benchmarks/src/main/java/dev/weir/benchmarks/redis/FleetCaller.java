package dev.weir.benchmarks.redis;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A connection that asks over REST, one request after the other. It parses only as much of HTTP/1.1 as Weir's responses
 * need.
 */
final class FleetCaller implements AutoCloseable {

    /** A response, and whether a failure policy decided it. */
    record Answer(int status, boolean degraded, String body) {
        boolean passed() {
            return status == 200;
        }
    }

    private final Socket socket;
    private final OutputStream out;
    private final InputStream in;

    FleetCaller(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(10_000);
        out = socket.getOutputStream();
        in = new BufferedInputStream(socket.getInputStream());
    }

    Answer check(String body) throws IOException {
        return send("POST /v1/ratelimit/check", body);
    }

    /** Asks with a request of Envoy's, which may have many descriptors. */
    Answer json(String body) throws IOException {
        return send("POST /json", body);
    }

    Answer get(String path) throws IOException {
        return send("GET " + path, "");
    }

    private Answer send(String what, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        String head = what + " HTTP/1.1\r\nhost: weir\r\ncontent-type: application/json\r\ncontent-length: "
                + bytes.length + "\r\n\r\n";
        out.write((head + body).getBytes(StandardCharsets.UTF_8));
        out.flush();
        int status = Integer.parseInt(line().substring("HTTP/1.1 ".length()).substring(0, 3));
        boolean degraded = false;
        int length = 0;
        for (String line = line(); !line.isEmpty(); line = line()) {
            String header = line.toLowerCase(Locale.ROOT);
            degraded |= header.equals("x-ratelimit-degraded: true");
            if (header.startsWith("content-length: ")) {
                length = Integer.parseInt(header.substring("content-length: ".length()));
            }
        }
        return new Answer(status, degraded, new String(in.readNBytes(length), StandardCharsets.UTF_8));
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the server closed the connection");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
