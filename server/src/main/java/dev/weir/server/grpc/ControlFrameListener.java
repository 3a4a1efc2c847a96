package dev.weir.server.grpc;

import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;

import dev.weir.server.grpc.http2.FrameOutput;
import dev.weir.server.grpc.http2.RequestHead;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;

/**
 * Handles the frames of Netty's reader: passes calls to {@link GrpcCalls} and handles connection-level frames itself.
 */
final class ControlFrameListener implements Http2FrameListener {
    private static final int DEFAULT_TABLE = 4_096;

    private final GrpcCalls calls;
    private final FrameOutput output;
    private final GrpcConnection connection;

    ControlFrameListener(GrpcCalls calls, FrameOutput output, GrpcConnection connection) {
        this.calls = calls;
        this.output = output;
        this.connection = connection;
    }

    @Override
    public int onDataRead(ChannelHandlerContext ctx, int stream, ByteBuf data, int padding, boolean end)
            throws Http2Exception {
        int index = data.arrayOffset() + data.readerIndex();
        calls.data(stream, data.array(), index, data.readableBytes(), padding, end);
        return 0;
    }

    @Override
    public void onHeadersRead(ChannelHandlerContext ctx, int stream, Http2Headers headers, int padding, boolean end)
            throws Http2Exception {
        calls.head(stream, (RequestHead) headers, end);
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext ctx,
            int stream,
            Http2Headers headers,
            int dependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean end)
            throws Http2Exception {
        calls.head(stream, (RequestHead) headers, end);
    }

    @Override
    public void onPriorityRead(ChannelHandlerContext ctx, int stream, int dependency, short weight, boolean exclusive)
            throws Http2Exception {
        calls.floods().control("PRIORITY");
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext ctx, int stream, long error) throws Http2Exception {
        calls.cancelled(stream);
    }

    @Override
    public void onSettingsAckRead(ChannelHandlerContext ctx) throws Http2Exception {
        calls.floods().control("SETTINGS");
    }

    @Override
    public void onSettingsRead(ChannelHandlerContext ctx, Http2Settings settings) throws Http2Exception {
        calls.floods().settings();
        Long table = settings.headerTableSize();
        if (table != null && table < DEFAULT_TABLE) {
            output.tableSizeReduced();
        }
        Integer frame = settings.maxFrameSize();
        if (frame != null) {
            calls.send().maxFrame(frame);
        }
        output.settingsAck();
        Integer window = settings.initialWindowSize();
        if (window != null) {
            calls.send().initialWindow(window);
        }
        connection.settingsReceived();
    }

    @Override
    public void onPingRead(ChannelHandlerContext ctx, long data) throws Http2Exception {
        calls.floods().control("PING");
        output.ping(data, true);
    }

    @Override
    public void onPingAckRead(ChannelHandlerContext ctx, long data) throws Http2Exception {
        calls.floods().control("PING");
        connection.pingAnswered(data);
    }

    @Override
    public void onPushPromiseRead(
            ChannelHandlerContext ctx, int stream, int promised, Http2Headers headers, int padding)
            throws Http2Exception {
        throw Http2Exception.connectionError(PROTOCOL_ERROR, "PUSH_PROMISE from a client");
    }

    @Override
    public void onGoAwayRead(ChannelHandlerContext ctx, int lastStream, long error, ByteBuf why) throws Http2Exception {
        calls.floods().control("GOAWAY");
    }

    @Override
    public void onWindowUpdateRead(ChannelHandlerContext ctx, int id, int bytes) throws Http2Exception {
        boolean moved;
        if (id == 0) {
            moved = calls.send().connectionOpens(bytes);
        } else {
            GrpcStream stream = calls.streams().get(id);
            if (stream == null && (id > calls.streams().last() || (id & 1) == 0)) {
                throw Http2Exception.connectionError(PROTOCOL_ERROR, "stream %d: WINDOW_UPDATE before HEADERS", id);
            }
            moved = stream != null && calls.send().streamOpens(stream, bytes);
        }
        if (!moved) {
            calls.floods().control("WINDOW_UPDATE");
        }
    }

    @Override
    public void onUnknownFrame(ChannelHandlerContext ctx, byte type, int stream, Http2Flags flags, ByteBuf payload)
            throws Http2Exception {
        calls.floods().control("unknown");
    }
}
