package dev.weir.redis.testkit;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection to Redis in the plainest way: one command, one reply. Replies are text, numbers, lists, or null. */
public final class RespConnection implements AutoCloseable {
    /** Redis answered with an error, whose first word is its kind. */
    public static final class RedisError extends RuntimeException {
        RedisError(String message) {
            super(message);
        }
    }

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    public RespConnection(int port, int timeoutMillis) throws IOException {
        socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), timeoutMillis);
            socket.setSoTimeout(timeoutMillis);
            socket.setTcpNoDelay(true);
            in = new BufferedInputStream(socket.getInputStream());
            out = new BufferedOutputStream(socket.getOutputStream());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Sends a command and waits for the reply. */
    public @Nullable Object call(String... command) throws IOException {
        send(command);
        return read();
    }

    /** Sends a command and does not wait. */
    public void send(String... command) throws IOException {
        line("*" + command.length);
        for (String word : command) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            line("$" + bytes.length);
            out.write(bytes);
            line("");
        }
        out.flush();
    }

    private void line(String text) throws IOException {
        out.write((text + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    private @Nullable Object read() throws IOException {
        String head = readLine();
        String rest = head.substring(1);
        return switch (head.charAt(0)) {
            case '+' -> rest;
            case '-' -> throw new RedisError(rest);
            case ':' -> Long.valueOf(rest);
            case '$' -> readText(Integer.parseInt(rest));
            case '*' -> readList(Integer.parseInt(rest));
            default -> throw new IOException("not a reply: " + head);
        };
    }

    private @Nullable String readText(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length + 2);
        if (bytes.length < length + 2) {
            throw new EOFException();
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private @Nullable List<@Nullable Object> readList(int size) throws IOException {
        if (size < 0) {
            return null;
        }
        List<@Nullable Object> list = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            list.add(read());
        }
        return list;
    }

    private String readLine() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int c = in.read();
            if (c < 0) {
                throw new EOFException();
            }
            if (c == '\n') {
                return line.toString();
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // The connection is gone either way.
        }
    }
}
