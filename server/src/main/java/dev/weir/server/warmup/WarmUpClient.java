package dev.weir.server.warmup;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * A minimal client that loads few classes: it writes calls to a socket in batches and skips the answers. Only for
 * warming up.
 */
final class WarmUpClient implements AutoCloseable {
    static final String DOMAIN = "weir.warm_up";
    /** A user that is denied most of the time. */
    static final String BUSY = "u_busy";

    private static final int BATCH = 32;
    private static final int READ_TIMEOUT_MILLIS = (int) TimeUnit.SECONDS.toMillis(2);
    private static final int USERS = 100;

    /** Calls that are made even past the time limit: they load the classes, which takes longest. */
    private static final int MIN_CALLS = 64;

    private static final int FRAME_DATA = 0;
    private static final int FRAME_HEADERS = 1;
    private static final int FRAME_SETTINGS = 4;
    private static final int FRAME_WINDOW_UPDATE = 8;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    WarmUpClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(READ_TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
        out = socket.getOutputStream();
    }

    /**
     * Calls ShouldRateLimit until {@code enough} answers have come and {@code steady} is reached, or until the time
     * {@code until}. Returns the number of answers.
     */
    int grpc(int enough, SteadyStateDetector steady, long until) throws IOException {
        ByteBuf write = Unpooled.buffer(1 << 14);
        write.writeCharSequence("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", StandardCharsets.US_ASCII);
        frame(write, FRAME_SETTINGS, 0, 0, 0);
        frame(write, FRAME_WINDOW_UPDATE, 0, 0, 4);
        write.writeInt(1 << 30);
        byte[] head = head();
        int stream = 1;
        int answered = 0;
        steady.restart();
        while (answered < MIN_CALLS || ((answered < enough || !steady.isReached()) && System.nanoTime() < until)) {
            long sent = System.nanoTime();
            for (int i = 0; i < BATCH; i++, stream += 2) {
                frame(write, FRAME_HEADERS, END_HEADERS, stream, head.length);
                write.writeBytes(head);
                byte[] message = message(i == 0 ? BUSY : "u_" + (stream / 2) % USERS);
                frame(write, FRAME_DATA, END_STREAM, stream, message.length + 5);
                write.writeByte(0).writeInt(message.length).writeBytes(message);
            }
            write.readBytes(out, write.readableBytes());
            write.clear();
            for (int ends = 0; ends < BATCH; ends += readFrame() ? 1 : 0) {}
            steady.add(System.nanoTime() - sent);
            answered += BATCH;
        }
        return answered;
    }

    /** Reads a frame and returns whether it ended a stream. */
    private boolean readFrame() throws IOException {
        int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        in.skipNBytes(4L + length);
        return type == FRAME_HEADERS && (flags & END_STREAM) != 0;
    }

    private static void frame(ByteBuf to, int type, int flags, int stream, int length) {
        to.writeMedium(length).writeByte(type).writeByte(flags).writeInt(stream);
    }

    private static byte[] head() throws IOException {
        ByteBuf block = Unpooled.buffer();
        try {
            new DefaultHttp2HeadersEncoder()
                    .encodeHeaders(
                            1,
                            new DefaultHttp2Headers()
                                    .method("POST")
                                    .scheme("http")
                                    .path("/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit")
                                    .authority("localhost")
                                    .add("content-type", "application/grpc")
                                    .add("te", "trailers"),
                            block);
        } catch (Http2Exception e) {
            throw new IOException(e);
        }
        byte[] bytes = new byte[block.readableBytes()];
        block.readBytes(bytes);
        return bytes;
    }

    /** Encodes a RateLimitRequest: domain (1), one descriptor (2) of entries (1), each a key (1) and a value (2). */
    private static byte[] message(String user) {
        ByteBuf descriptor = Unpooled.buffer();
        field(descriptor, 1, entry("user_id", user));
        field(descriptor, 1, entry("endpoint", "POST /v1/charges"));
        ByteBuf request = Unpooled.buffer();
        field(request, 1, Unpooled.copiedBuffer(DOMAIN, StandardCharsets.UTF_8));
        field(request, 2, descriptor);
        byte[] bytes = new byte[request.readableBytes()];
        request.readBytes(bytes);
        return bytes;
    }

    private static ByteBuf entry(String key, String value) {
        ByteBuf entry = Unpooled.buffer();
        field(entry, 1, Unpooled.copiedBuffer(key, StandardCharsets.UTF_8));
        field(entry, 2, Unpooled.copiedBuffer(value, StandardCharsets.UTF_8));
        return entry;
    }

    /** Writes a field whose length is below 128. */
    private static void field(ByteBuf to, int number, ByteBuf content) {
        to.writeByte(number << 3 | 2).writeByte(content.readableBytes()).writeBytes(content);
    }

    /**
     * Calls REST and {@code /json} in turn over HTTP/1.1, until {@code enough} answers have come and {@code steady} is
     * reached, or until the time {@code until}. Each of {@code callers} has one call in flight, so that calls to a
     * shared store are batched.
     */
    static int http(List<WarmUpClient> callers, int enough, SteadyStateDetector steady, long until) throws IOException {
        int answered = 0;
        steady.restart();
        while (answered < MIN_CALLS || ((answered < enough || !steady.isReached()) && System.nanoTime() < until)) {
            long sent = System.nanoTime();
            for (int i = 0; i < callers.size(); i++) {
                String user = i == 0 ? BUSY : "u_" + (answered + i) % USERS;
                callers.get(i).ask(answered / callers.size() % 2 == 0 ? check(user) : json(user));
            }
            for (WarmUpClient each : callers) {
                each.answer();
            }
            steady.add(System.nanoTime() - sent);
            answered += callers.size();
        }
        return answered;
    }

    private static String check(String user) {
        return post(
                "/v1/ratelimit/check",
                "{\"domain\":\"" + DOMAIN + "\",\"user_id\":\"" + user + "\",\"endpoint\":\"/v1/charges\",\"cost\":1}");
    }

    private static String json(String user) {
        return post(
                "/json",
                "{\"domain\":\"" + DOMAIN + "\",\"descriptors\":[{\"entries\":[{\"key\":\"user_id\",\"value\":\"" + user
                        + "\"}]}]}");
    }

    private static String post(String path, String body) {
        return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                + body.length() + "\r\n\r\n" + body;
    }

    private void ask(String request) throws IOException {
        out.write(request.getBytes(StandardCharsets.US_ASCII));
    }

    private void answer() throws IOException {
        int length = 0;
        for (String line = line(); !line.isEmpty(); line = line()) {
            if (line.startsWith("content-length:")) {
                length = Integer.parseInt(
                        line.substring("content-length:".length()).trim());
            }
        }
        in.skipNBytes(length);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.readUnsignedByte(); c != '\n'; c = in.readUnsignedByte()) {
            line.append((char) c);
        }
        return line.toString().trim().toLowerCase(Locale.ROOT);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
