package dev.weir.server.grpc.http2;

import io.netty.handler.codec.http2.Http2Exception;

/** Where the frames that make up nearly all traffic go without an object each. */
public interface FrameSink {

    void head(int stream, RequestHead head, boolean end) throws Http2Exception;

    /** The payload begins at {@code index} of {@code in}; {@code padding} counts against flow control too. */
    void data(int stream, byte[] in, int index, int length, int padding, boolean end) throws Http2Exception;
}
