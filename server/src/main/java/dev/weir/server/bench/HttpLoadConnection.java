package dev.weir.server.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/** A connection that speaks HTTP/1.1, with one request at a time; a decoder before it reads the answers. */
final class HttpLoadConnection extends LoadConnection {
    private final NumberedBytes requests;
    private long due;
    private LoadTally.Answer answer = LoadTally.Answer.ERROR;

    HttpLoadConnection(LoadSettings settings, LoadTally tally, int number, Opener opener) {
        super(settings, tally, number, opener);
        LoadTarget target = settings.target();
        this.requests = settings.request().http(target.authority(), target.path());
    }

    @Override
    void opened(ChannelHandlerContext ctx) {}

    @Override
    boolean isReady() {
        return true;
    }

    @Override
    int room(int inFlight) {
        return 1 - inFlight;
    }

    @Override
    void write(int key, long dueNanos, ByteBuf to) {
        due = dueNanos;
        requests.write(key, to);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof HttpResponse head) {
            answer = switch (head.status().code()) {
                case 200 -> LoadTally.Answer.ALLOWED;
                case 429 -> LoadTally.Answer.DENIED;
                default -> LoadTally.Answer.ERROR;
            };
        }
        if (message instanceof LastHttpContent) {
            answered(due, answer);
            send();
        }
        ReferenceCountUtil.release(message);
    }
}
