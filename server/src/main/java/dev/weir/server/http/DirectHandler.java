package dev.weir.server.http;

import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/** Answers plain requests to one path on the event loop that has read them, without the HTTP server. One per event loop. */
public interface DirectHandler {

    /** The path of a POST. */
    String path();

    /** The longest body, bytes. */
    int longestBody();

    /** Whether requests may be answered here now; if not, the HTTP server answers them. */
    boolean isOpen();

    /** Answers a request; null if the HTTP server shall answer it instead. Then nothing has been charged. */
    @Nullable
    HttpAnswer answer(ChannelHandlerContext connection, byte[] body);
}
