package dev.weir.server.grpc.http2;

import io.netty.handler.codec.http2.Http2Exception;

/** Receives the frames that make up nearly all traffic, without an object for each. */
public interface FrameSink {

    void head(int stream, RequestHead head, boolean end) throws Http2Exception;

    /**
     * Receives DATA. The payload begins at {@code index} of {@code in}; {@code padding} also counts against flow
     * control.
     */
    void data(int stream, byte[] in, int index, int length, int padding, boolean end) throws Http2Exception;
}
