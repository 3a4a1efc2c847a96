package dev.weir.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.netty.handler.codec.http2.Http2Stream;

/**
 * Counts the memory of an HTTP/2 connection's open streams, and of answers that wait for the peer's flow control windows;
 * Netty's controller does the rest.
 */
final class MeteredFlowController implements Http2RemoteFlowController {
    /** The objects of an open stream; the request's body or answer may be shorter by far. */
    private static final int STREAM = 8 << 10;

    private final Http2Connection connection;
    private final Http2RemoteFlowController own;
    private long unsent;

    private MeteredFlowController(Http2Connection connection, Http2RemoteFlowController own) {
        this.connection = connection;
        this.own = own;
    }

    /** Replaces the flow controller of a connection. */
    static MeteredFlowController on(Http2Connection connection) {
        MeteredFlowController metered =
                new MeteredFlowController(connection, connection.remote().flowController());
        connection.remote().flowController(metered);
        return metered;
    }

    /** The memory of the open streams, and of the answers that wait for windows. */
    long held() {
        return (long) connection.numActiveStreams() * STREAM + unsent;
    }

    @Override
    public void addFlowControlled(Http2Stream stream, FlowControlled payload) {
        unsent += payload.size();
        own.addFlowControlled(stream, new Metered(payload));
    }

    private final class Metered implements FlowControlled {
        private final FlowControlled payload;

        Metered(FlowControlled payload) {
            this.payload = payload;
        }

        @Override
        public int size() {
            return payload.size();
        }

        @Override
        public void write(ChannelHandlerContext ctx, int allowedBytes) {
            int before = payload.size();
            payload.write(ctx, allowedBytes);
            unsent -= before - payload.size();
        }

        @Override
        public void error(ChannelHandlerContext ctx, Throwable cause) {
            unsent -= payload.size();
            payload.error(ctx, cause);
        }

        @Override
        public void writeComplete() {
            payload.writeComplete();
        }

        @Override
        public boolean merge(ChannelHandlerContext ctx, FlowControlled next) {
            return next instanceof Metered other && payload.merge(ctx, other.payload);
        }
    }

    @Override
    public ChannelHandlerContext channelHandlerContext() {
        return own.channelHandlerContext();
    }

    @Override
    public void channelHandlerContext(ChannelHandlerContext ctx) throws Http2Exception {
        own.channelHandlerContext(ctx);
    }

    @Override
    public boolean hasFlowControlled(Http2Stream stream) {
        return own.hasFlowControlled(stream);
    }

    @Override
    public void writePendingBytes() throws Http2Exception {
        own.writePendingBytes();
    }

    @Override
    public void listener(Listener listener) {
        own.listener(listener);
    }

    @Override
    public boolean isWritable(Http2Stream stream) {
        return own.isWritable(stream);
    }

    @Override
    public void channelWritabilityChanged() throws Http2Exception {
        own.channelWritabilityChanged();
    }

    @Override
    public void updateDependencyTree(int child, int parent, short weight, boolean exclusive) {
        own.updateDependencyTree(child, parent, weight, exclusive);
    }

    @Override
    public void initialWindowSize(int newWindowSize) throws Http2Exception {
        own.initialWindowSize(newWindowSize);
    }

    @Override
    public int initialWindowSize() {
        return own.initialWindowSize();
    }

    @Override
    public int windowSize(Http2Stream stream) {
        return own.windowSize(stream);
    }

    @Override
    public void incrementWindowSize(Http2Stream stream, int delta) throws Http2Exception {
        own.incrementWindowSize(stream, delta);
    }
}
