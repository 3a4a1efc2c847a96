package dev.weir.server.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import java.nio.charset.StandardCharsets;

/**
 * A connection that speaks Envoy's protocol over HTTP/2, with frames written and read by hand: a general gRPC client costs more
 * than the services that it asks. Header blocks of answers are not decoded: a call without a message is an error.
 */
final class GrpcLoadConnection extends LoadConnection {
    private static final int HEADER = 9;
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RESET = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GO_AWAY = 7;
    private static final int WINDOW_UPDATE = 8;
    private static final int END_STREAM = 1;
    private static final int ACK = 1;
    private static final int END_HEADERS = 4;
    private static final int PADDED = 8;
    private static final int MAX_CONCURRENT_STREAMS = 3;
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final int DEFAULT_WINDOW = 65_535;
    /** The longest frame that every service takes. */
    private static final int MOST_FRAME = 1 << 14;

    /** Requests of one connection that may be unanswered; a power of two. */
    private static final int MOST_STREAMS = 1 << 14;

    private static final int RECEIVE_WINDOW = 1 << 30;
    /** The prefix of a gRPC message, and the first field of an answer: its code. */
    private static final int CODE = 5;

    private final NumberedBytes messages;
    private final int largest;
    private final byte[] firstHead;
    private final byte[] head;
    private final int mostInFlight;
    /** The stream that has each slot; 0 if the slot is free. */
    private final int[] streams = new int[MOST_STREAMS];

    private final long[] dues = new long[MOST_STREAMS];
    private final LoadTally.Answer[] answers = new LoadTally.Answer[MOST_STREAMS];
    private ByteBuf unread = Unpooled.EMPTY_BUFFER;
    private int stream = 1;
    private long sendWindow = DEFAULT_WINDOW;
    private long streamWindow = DEFAULT_WINDOW;
    private long received;
    private int mostStreams;
    private boolean ready;

    GrpcLoadConnection(LoadSettings settings, LoadTally tally, int number, Opener opener) {
        super(settings, tally, number, opener);
        this.messages = settings.request().grpc();
        this.largest = messages.size(Integer.MAX_VALUE);
        this.mostInFlight = settings.rate() > 0 ? MOST_STREAMS : settings.inFlight();
        ByteBuf block = Unpooled.buffer();
        DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
        // The second block refers to the entries that the first put into the service's table, as those of Envoy do.
        this.firstHead = head(encoder, settings.target().authority(), block);
        this.head = head(encoder, settings.target().authority(), block);
    }

    private GrpcLoadConnection(GrpcLoadConnection before) {
        super(before);
        this.messages = before.messages;
        this.largest = before.largest;
        this.mostInFlight = before.mostInFlight;
        this.firstHead = before.firstHead;
        this.head = before.head;
    }

    private static byte[] head(DefaultHttp2HeadersEncoder encoder, String authority, ByteBuf block) {
        block.clear();
        try {
            encoder.encodeHeaders(
                    1,
                    new DefaultHttp2Headers()
                            .method("POST")
                            .scheme("http")
                            .path("/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit")
                            .authority(authority)
                            .add("content-type", "application/grpc")
                            .add("te", "trailers"),
                    block);
        } catch (Http2Exception e) {
            throw new IllegalStateException(e);
        }
        byte[] bytes = new byte[block.readableBytes()];
        block.readBytes(bytes);
        return bytes;
    }

    @Override
    void opened(ChannelHandlerContext ctx) {
        ByteBuf out = ctx.alloc().directBuffer(128);
        out.writeCharSequence("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", StandardCharsets.US_ASCII);
        frame(out, 12, SETTINGS, 0, 0);
        out.writeShort(2).writeInt(0); // no push
        out.writeShort(4).writeInt(RECEIVE_WINDOW);
        frame(out, 4, WINDOW_UPDATE, 0, 0);
        out.writeInt(RECEIVE_WINDOW);
        var unused = ctx.writeAndFlush(out, ctx.voidPromise());
    }

    @Override
    boolean isReady() {
        return ready;
    }

    @Override
    int room(int inFlight) {
        long fit = sendWindow / largest;
        return (int) Math.min(fit, Math.min(mostInFlight, Math.min(mostStreams, MOST_STREAMS)) - inFlight);
    }

    @Override
    void write(int key, long dueNanos, ByteBuf to) {
        int slot = slot(stream);
        while (streams[slot] != 0) { // a stream is still unanswered after MOST_STREAMS later ones
            stream += 2;
            slot = slot(stream);
        }
        streams[slot] = stream;
        dues[slot] = dueNanos;
        answers[slot] = LoadTally.Answer.ERROR;
        byte[] block = stream == 1 ? firstHead : head;
        frame(to, block.length, HEADERS, END_HEADERS, stream);
        to.writeBytes(block);
        int size = messages.size(key);
        if (size <= MOST_FRAME) {
            frame(to, size, DATA, END_STREAM, stream);
            messages.write(key, to);
        } else {
            parts(key, size, to);
        }
        sendWindow -= size;
        stream += 2;
    }

    private void parts(int key, int size, ByteBuf to) {
        ByteBuf message = to.alloc().buffer(size);
        messages.write(key, message);
        while (message.isReadable()) {
            int length = Math.min(MOST_FRAME, message.readableBytes());
            frame(to, length, DATA, length == message.readableBytes() ? END_STREAM : 0, stream);
            to.writeBytes(message, length);
        }
        message.release();
    }

    private static int slot(int stream) {
        return stream >> 1 & MOST_STREAMS - 1;
    }

    private static void frame(ByteBuf to, int length, int type, int flags, int stream) {
        to.writeMedium(length).writeByte(type).writeByte(flags).writeInt(stream);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (unread.isReadable()) {
            in = ctx.alloc()
                    .buffer(unread.readableBytes() + in.readableBytes())
                    .writeBytes(unread)
                    .writeBytes(in);
            unread.release();
            ((ByteBuf) message).release();
        }
        unread = Unpooled.EMPTY_BUFFER;
        while (in.readableBytes() >= HEADER && in.readableBytes() >= HEADER + in.getMedium(in.readerIndex())) {
            frame(ctx, in);
        }
        if (in.isReadable()) {
            unread = in;
        } else {
            in.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        send();
    }

    private void frame(ChannelHandlerContext ctx, ByteBuf in) {
        int length = in.readMedium();
        int type = in.readByte();
        int flags = in.readByte();
        int id = in.readInt() & Integer.MAX_VALUE;
        int next = in.readerIndex() + length;
        switch (type) {
            case DATA -> data(ctx, in, length, flags, id);
            case HEADERS -> end(id, flags);
            case RESET -> end(id, END_STREAM);
            case SETTINGS -> settings(ctx, in, length, flags);
            case PING -> ping(ctx, in, flags);
            case WINDOW_UPDATE -> sendWindow += id == 0 ? in.readInt() & Integer.MAX_VALUE : 0;
            case GO_AWAY -> goAway(in);
            default -> {}
        }
        in.readerIndex(next);
    }

    private void data(ChannelHandlerContext ctx, ByteBuf in, int length, int flags, int id) {
        received += length;
        if (received > RECEIVE_WINDOW / 2) {
            ByteBuf out = ctx.alloc().directBuffer(16);
            frame(out, 4, WINDOW_UPDATE, 0, 0);
            out.writeInt((int) received);
            var unused = ctx.writeAndFlush(out, ctx.voidPromise());
            received = 0;
        }
        int at = in.readerIndex() + ((flags & PADDED) == 0 ? 0 : 1);
        if (length >= CODE + 2 && in.getByte(at + CODE) == 0x08) {
            int code = in.getByte(at + CODE + 1);
            if (streams[slot(id)] == id) {
                answers[slot(id)] = code == 1
                        ? LoadTally.Answer.ALLOWED
                        : code == 2 ? LoadTally.Answer.DENIED : LoadTally.Answer.ERROR;
            }
        }
        end(id, flags);
    }

    private void end(int id, int flags) {
        int slot = slot(id);
        if ((flags & END_STREAM) != 0 && streams[slot] == id) {
            streams[slot] = 0;
            answered(dues[slot], answers[slot]);
        }
    }

    /** The service closes the connection in an orderly way: it answers the streams up to some number, and no others. */
    private void goAway(ByteBuf in) {
        int last = in.readInt() & Integer.MAX_VALUE;
        long code = in.readUnsignedInt();
        if (code != 0) {
            throw new IllegalStateException("the service ended the connection (GOAWAY, error " + code + ")");
        }
        retire();
        for (int slot = 0; slot < MOST_STREAMS; slot++) {
            if (streams[slot] > last) {
                streams[slot] = 0;
                unprocessed(dues[slot]);
            }
        }
    }

    @Override
    LoadConnection successor() {
        return new GrpcLoadConnection(this);
    }

    private void settings(ChannelHandlerContext ctx, ByteBuf in, int length, int flags) {
        if ((flags & ACK) != 0) {
            return;
        }
        mostStreams = ready ? mostStreams : Integer.MAX_VALUE;
        for (int i = 0; i + 6 <= length; i += 6) {
            int id = in.readUnsignedShort();
            long value = in.readUnsignedInt();
            if (id == MAX_CONCURRENT_STREAMS) {
                mostStreams = (int) Math.min(Integer.MAX_VALUE, value);
            } else if (id == INITIAL_WINDOW_SIZE) {
                streamWindow = value;
            }
        }
        if (streamWindow < largest) {
            throw new IllegalStateException("the service takes " + streamWindow + " bytes of a stream at once, and a"
                    + " request has " + largest);
        }
        ByteBuf out = ctx.alloc().directBuffer(HEADER);
        frame(out, 0, SETTINGS, ACK, 0);
        var unused = ctx.writeAndFlush(out, ctx.voidPromise());
        ready = true;
    }

    private static void ping(ChannelHandlerContext ctx, ByteBuf in, int flags) {
        if ((flags & ACK) == 0) {
            ByteBuf out = ctx.alloc().directBuffer(HEADER + 8);
            frame(out, 8, PING, ACK, 0);
            out.writeLong(in.readLong());
            var unused = ctx.writeAndFlush(out, ctx.voidPromise());
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        unread.release();
        unread = Unpooled.EMPTY_BUFFER;
    }
}
