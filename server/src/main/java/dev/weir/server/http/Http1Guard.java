package dev.weir.server.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Guards an HTTP/1 connection: every head must be complete in time and have a bounded number of fields, and a body
 * that cannot be parsed gets an answer.
 * Vert.x closes without an answer on such a body, and has no timeout for incomplete heads.
 */
final class Http1Guard extends ChannelDuplexHandler {
    private final Duration timeout;
    private final HttpConnectionMeter meter;
    private final Runnable onTimeout;
    private @Nullable Future<?> timer;
    private boolean inBody;
    private boolean sawMessage;
    /** Requests that are not completely answered. */
    private int unanswered;
    /** Whether the answer to the first of them has begun. */
    private boolean answering;
    /** The memory of requests that wait behind another on this connection. */
    private long behind;

    /** Reports to {@code meter} what is complete and what waits behind another request, and runs {@code onTimeout} if a head is not complete in time. */
    Http1Guard(Duration timeout, HttpConnectionMeter meter, Runnable onTimeout) {
        this.timeout = timeout;
        this.meter = meter;
        this.onTimeout = onTimeout;
    }

    /** Whether every request has arrived whole and is answered. */
    boolean isIdle() {
        return unanswered == 0 && !inBody && timer == null;
    }

    /** Whether the pipeline speaks HTTP/1. */
    static boolean isHttp1(ChannelPipeline pipeline) {
        return pipeline.get(HttpRequestDecoder.class) != null;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        sawMessage = true;
        meter.input().used();
        if (message instanceof HttpRequest request) {
            headComplete();
            if (request.headers().getAll(HttpHeaderNames.HOST).size() > 1) {
                request.setDecoderResult(DecoderResult.failure(new IllegalArgumentException("Host: more than one")));
            }
            if (meter.input().hasLongHead() && RequestSize.hasTooManyFields(request.headers())) {
                request.headers().clear(); // they would live as long as the connection
                request.setDecoderResult(DecoderResult.failure(new HttpPort.TooManyFieldsException()));
            }
            inBody = true;
            unanswered++;
            if (unanswered > 1) {
                long size = RequestSize.of(request);
                behind += size;
                meter.bodies(size);
            }
        }
        if (message instanceof HttpContent content
                && content.decoderResult().isFailure()
                && unanswered == 1
                && !answering) {
            ReferenceCountUtil.release(message);
            end(ctx, HttpResponseStatus.BAD_REQUEST, "body: malformed (expected: HTTP/1.1 chunks)");
            return;
        }
        if (message instanceof LastHttpContent) {
            inBody = false;
        }
        ctx.fireChannelRead(message);
    }

    /** Starts the timeout if bytes arrived that did not complete a message: a head has begun. */
    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if ((!sawMessage || meter.input().hasBegunNext()) && !inBody && timer == null && isHttp1(ctx.pipeline())) {
            startTimer(ctx);
        }
        sawMessage = false;
        ctx.fireChannelReadComplete();
    }

    /** Answers an incomplete head with too many fields, and closes. */
    void tooManyFields(ChannelHandlerContext ctx) {
        if (unanswered == 0) {
            end(ctx, HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, HttpPort.tooManyFields());
        } else {
            var unused = ctx.close(); // an answer is in progress, or the fields are trailers of its request
        }
    }

    private void startTimer(ChannelHandlerContext ctx) {
        timer = ctx.executor().schedule(() -> timedOut(ctx), timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void timedOut(ChannelHandlerContext ctx) {
        if (unanswered == 0) {
            onTimeout.run();
            end(ctx, HttpResponseStatus.REQUEST_TIMEOUT, "request head: timeout");
        } else {
            startTimer(ctx); // an answer is in progress, and is not cut off because of the next request
        }
    }

    private void headComplete() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof HttpResponse response
                && response.status().codeClass() != HttpStatusClass.INFORMATIONAL) {
            answering = true;
        }
        if (message instanceof LastHttpContent && answering) {
            unanswered--;
            if (unanswered <= 1 && behind > 0) {
                meter.bodies(-behind);
                behind = 0;
            }
            answering = false;
        }
        var unused = ctx.write(message, promise);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        headComplete();
        ctx.fireChannelInactive();
    }

    private static void end(ChannelHandlerContext ctx, HttpResponseStatus status, String detail) {
        byte[] body = HttpProblems.of(status.code(), detail, List.of()).body();
        DefaultFullHttpResponse answer =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body));
        answer.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, HttpAnswer.PROBLEM)
                .set(HttpHeaderNames.CONTENT_LENGTH, body.length)
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        ctx.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
    }
}
