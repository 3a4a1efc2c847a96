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
 * Of a connection that speaks HTTP/1: every head must be whole in its time, and a body that cannot be read is answered. (Vert.x closes
 * on it without a word, and knows nothing of heads that are not whole.)
 */
final class Http1Guard extends ChannelDuplexHandler {
    private final Duration most;
    private final UnfinishedInput input;
    private final Runnable tooLate;
    private @Nullable Future<?> due;
    private boolean inBody;
    private boolean sawSomething;
    /** Requests that are not answered to the end. */
    private int unanswered;
    /** The answer to the first of them has begun. */
    private boolean answering;

    /** Tells {@code input} what has become whole, and {@code tooLate} of a head that has not. */
    Http1Guard(Duration most, UnfinishedInput input, Runnable tooLate) {
        this.most = most;
        this.input = input;
        this.tooLate = tooLate;
    }

    /** Whether HTTP/1 is spoken there. */
    static boolean fits(ChannelPipeline pipeline) {
        return pipeline.get(HttpRequestDecoder.class) != null;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        sawSomething = true;
        input.used();
        if (message instanceof HttpRequest request) {
            headIsWhole();
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
            end(ctx, HttpResponseStatus.BAD_REQUEST, "body: malformed (expected: chunks as HTTP/1.1 has them)");
            return;
        }
        if (message instanceof LastHttpContent) {
            inBody = false;
        }
        ctx.fireChannelRead(message);
    }

    /** Bytes came, and nothing came of them: a head has begun. */
    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (!sawSomething && !inBody && due == null && fits(ctx.pipeline())) {
            watch(ctx);
        }
        sawSomething = false;
        ctx.fireChannelReadComplete();
    }

    private void watch(ChannelHandlerContext ctx) {
        due = ctx.executor().schedule(() -> late(ctx), most.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void late(ChannelHandlerContext ctx) {
        if (unanswered == 0) {
            tooLate.run();
            end(ctx, HttpResponseStatus.REQUEST_TIMEOUT, "head: not whole in its time");
        } else {
            watch(ctx); // an answer is still being made, and is not cut off for what follows it
        }
    }

    private void headIsWhole() {
        if (due != null) {
            due.cancel(false);
            due = null;
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
        headIsWhole();
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
