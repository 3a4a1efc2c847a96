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
 * Guards an HTTP/1 connection: every head must be complete in time, and a body that cannot be parsed gets an answer.
 * Vert.x closes without an answer on such a body, and has no timeout for incomplete heads.
 */
final class Http1Guard extends ChannelDuplexHandler {
    private final Duration timeout;
    private final UnfinishedInput input;
    private final Runnable onTimeout;
    private @Nullable Future<?> timer;
    private boolean inBody;
    private boolean sawMessage;
    /** Requests that are not completely answered. */
    private int unanswered;
    /** Whether the answer to the first of them has begun. */
    private boolean answering;

    /** Reports complete messages to {@code input}, and runs {@code onTimeout} if a head is not complete in time. */
    Http1Guard(Duration timeout, UnfinishedInput input, Runnable onTimeout) {
        this.timeout = timeout;
        this.input = input;
        this.onTimeout = onTimeout;
    }

    /** Whether the pipeline speaks HTTP/1. */
    static boolean isHttp1(ChannelPipeline pipeline) {
        return pipeline.get(HttpRequestDecoder.class) != null;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        sawMessage = true;
        input.used();
        if (message instanceof HttpRequest request) {
            headComplete();
            if (request.headers().getAll(HttpHeaderNames.HOST).size() > 1) {
                request.setDecoderResult(DecoderResult.failure(new IllegalArgumentException("Host: more than one")));
            }
            inBody = true;
            unanswered++;
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

    /** Starts the timeout if bytes arrived without completing a message: a head has begun. */
    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (!sawMessage && !inBody && timer == null && isHttp1(ctx.pipeline())) {
            startTimer(ctx);
        }
        sawMessage = false;
        ctx.fireChannelReadComplete();
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
