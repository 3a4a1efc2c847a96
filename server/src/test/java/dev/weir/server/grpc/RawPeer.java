package dev.weir.server.grpc;

import dev.weir.TimeSource;
import dev.weir.server.grpc.codec.ProtobufReader;
import dev.weir.server.grpc.service.HealthService;
import dev.weir.server.grpc.service.ReflectionService;
import dev.weir.server.health.Health;
import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.memory.MemoryLimits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** A peer that sends any bytes it likes to a connection without a socket, and sees every frame that comes back. */
public final class RawPeer implements AutoCloseable {
    public static final int DATA = 0;
    public static final int HEADERS = 1;
    public static final int RST_STREAM = 3;
    public static final int SETTINGS = 4;
    public static final int PING = 6;
    public static final int GOAWAY = 7;
    public static final int WINDOW_UPDATE = 8;
    public static final int CONTINUATION = 9;
    public static final int END_STREAM = 1;
    public static final int END_HEADERS = 4;
    public static final String RLS = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

    @SuppressWarnings("ArrayRecordComponent") // frames are looked at, never compared
    record Frame(int type, int flags, int stream, byte[] payload) {
        String text() {
            return new String(payload, StandardCharsets.ISO_8859_1);
        }

        Http2Error error() {
            return Http2Error.valueOf(Unpooled.wrappedBuffer(payload).getInt(type == GOAWAY ? 4 : 0));
        }
    }

    private static final ReflectionService REFLECTION = new ReflectionService();

    private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
    final AtomicLong time = new AtomicLong(1_000_000_000L);
    final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    final Health health = new Health();
    final GrpcServerContext context;
    final EmbeddedChannel channel;

    RawPeer(Decider decider) {
        this(decider, GrpcServerSettings.defaults());
    }

    RawPeer(Decider decider, GrpcServerSettings settings) {
        TimeSource clock = time::get;
        context = new GrpcServerContext(
                settings,
                decider,
                clock,
                new GrpcServerObserver() {
                    @Override
                    public void failed(Throwable cause) {
                        failures.add(cause);
                    }
                },
                new HealthService(health),
                REFLECTION,
                GrpcServer.NO_QUOTAS,
                new MemoryBudget(MemoryLimits.ofThisProcess()));
        channel = new EmbeddedChannel(false, false, new GrpcConnectionHandler(context));
        channel.config().setAllocator(alloc);
        try {
            channel.register();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** A peer that has said hello and has read the server's. */
    static RawPeer introduced(Decider decider, GrpcServerSettings settings) {
        RawPeer peer = new RawPeer(decider, settings);
        peer.send(hello());
        peer.frames();
        return peer;
    }

    static RawPeer introduced(Decider decider) {
        return introduced(decider, GrpcServerSettings.defaults());
    }

    public static byte[] hello(int... settings) {
        byte[] payload = new byte[settings.length * 3];
        ByteBuf out = Unpooled.wrappedBuffer(payload).clear();
        for (int i = 0; i < settings.length; i += 2) {
            out.writeShort(settings[i]).writeInt(settings[i + 1]);
        }
        return join(ByteBufUtil.getBytes(Http2CodecUtil.connectionPrefaceBuf()), frame(SETTINGS, 0, 0, payload));
    }

    public static byte[] frame(int type, int flags, int stream, byte... payload) {
        ByteBuf out = Unpooled.buffer();
        out.writeMedium(payload.length).writeByte(type).writeByte(flags).writeInt(stream);
        out.writeBytes(payload);
        return ByteBufUtil.getBytes(out);
    }

    public static byte[] number(int type, int stream, int value) {
        return frame(type, 0, stream, ByteBufUtil.getBytes(Unpooled.copyInt(value)));
    }

    /** A header block of literals, name by name and value by value. */
    public static byte[] block(String... fields) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        for (int i = 0; i < fields.length; i += 2) {
            block.write(0);
            for (String text : List.of(fields[i], fields[i + 1])) {
                block.write(text.length());
                block.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        return block.toByteArray();
    }

    public static byte[] head(String path, String... more) {
        return join(
                block(":method", "POST", ":scheme", "http", ":path", path, "content-type", "application/grpc"),
                block(more));
    }

    public static byte[] open(int stream, String... more) {
        return frame(HEADERS, END_HEADERS, stream, head(RLS, more));
    }

    /** The length-prefixed message that asks for one hit of {@code value}. */
    public static byte[] message(String value) {
        ByteBuf out = Unpooled.buffer();
        byte[] text = value.getBytes(StandardCharsets.UTF_8);
        int entry = 3 + 1 + ProtobufReader.sizeOf(text.length) + text.length;
        int descriptor = 1 + ProtobufReader.sizeOf(entry) + entry;
        int message = 3 + 1 + ProtobufReader.sizeOf(descriptor) + descriptor;
        out.writeByte(0)
                .writeInt(message)
                .writeByte(0x0A)
                .writeByte(1)
                .writeByte('d')
                .writeByte(0x12);
        ProtobufReader.writeVarint(out, descriptor);
        out.writeByte(0x0A);
        ProtobufReader.writeVarint(out, entry);
        out.writeByte(0x0A).writeByte(1).writeByte('k').writeByte(0x12);
        ProtobufReader.writeVarint(out, text.length);
        out.writeBytes(text);
        return ByteBufUtil.getBytes(out);
    }

    public static byte[] call(int stream, String value) {
        return join(open(stream), frame(DATA, END_STREAM, stream, message(value)));
    }

    public static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    /** Sends, unless the server has hung up. */
    void send(byte[]... parts) {
        if (!channel.isOpen()) {
            return;
        }
        channel.writeInbound(Unpooled.wrappedBuffer(join(parts)));
    }

    /** Everything that has come back since the last look. */
    List<Frame> frames() {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            all.writeBytes(out);
            out.release();
        }
        List<Frame> frames = new ArrayList<>();
        while (all.isReadable()) {
            byte[] payload = new byte[all.readUnsignedMedium()];
            int type = all.readByte();
            int flags = all.readByte();
            int stream = all.readInt();
            all.readBytes(payload);
            frames.add(new Frame(type, flags, stream, payload));
        }
        return frames;
    }

    List<Frame> frames(int type) {
        return frames().stream().filter(each -> each.type() == type).toList();
    }

    /** How the stream ended, {@code grpc-status} and message as they stand in the trailers. */
    static String end(List<Frame> frames, int stream) {
        return frames.stream()
                .filter(each -> each.stream() == stream && each.type() == HEADERS && (each.flags() & END_STREAM) != 0)
                .map(Frame::text)
                .findFirst()
                .orElse("none");
    }

    /** Bytes that the connection holds. */
    long memory() {
        return alloc.metric().usedDirectMemory() + alloc.metric().usedHeapMemory();
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() {
        channel.finishAndReleaseAll();
        context.removeBuffers();
        if (!failures.isEmpty()) {
            throw new AssertionError("the server failed", failures.peek());
        }
        long leaked = memory();
        if (leaked != 0) {
            throw new AssertionError("leaked: " + leaked + " bytes");
        }
        if (context.buffered().get() != 0) {
            throw new AssertionError("still charged: " + context.buffered().get());
        }
    }
}
