package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.memory.MemoryLimits;
import dev.weir.server.memory.OutOfMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plain requests are taken out of a connection, and no request is lost, doubled or answered before one that came earlier. */
class DirectAnswersTest {
    private static final Pattern BODY = Pattern.compile("\r\n\r\n([dh])(\\d+)");

    /** A connection whose HTTP server echoes bodies after {@code h}, and whose direct handler echoes them after {@code d}. */
    private static final class Peer implements DirectHandler, AutoCloseable {
        private final UnfinishedInput input = new UnfinishedInput(Duration.ofHours(1), (ctx, why) -> {}, ctx -> {});
        private final MemoryBudget budget = new MemoryBudget(MemoryLimits.ofThisProcess());
        private final HttpConnectionMeter meter = new HttpConnectionMeter(budget, new OutOfMemory(budget), input);
        private final Http1Guard guard = new Http1Guard(Duration.ofHours(1), meter, () -> {});
        private final List<ChannelHandlerContext> late = new ArrayList<>();
        private final List<String> lateBodies = new ArrayList<>();
        private boolean open = true;
        private boolean answersLate;
        private final EmbeddedChannel channel = new EmbeddedChannel();

        Peer() {
            channel.pipeline()
                    .addLast(HttpConnectionMeter.NAME, meter)
                    .addLast(new HttpRequestDecoder(), new HttpResponseEncoder(), guard, new Server());
        }

        /** Puts the direct handler where {@link ConnectionGuard} does. */
        void takePlainOnes() {
            channel.pipeline()
                    .addBefore(
                            UnfinishedInput.NAME,
                            DirectAnswers.NAME,
                            new DirectAnswers(this, new PlainPostReader(path(), longestBody()), meter, guard, null));
        }

        /** Stands for Vert.x. */
        private final class Server extends ChannelInboundHandlerAdapter {
            private final StringBuilder body = new StringBuilder();

            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                if (message instanceof HttpContent content) {
                    body.append(content.content().toString(StandardCharsets.US_ASCII));
                }
                if (message instanceof LastHttpContent) {
                    if (answersLate) {
                        late.add(ctx);
                        lateBodies.add(body.toString());
                    } else {
                        respond(ctx, body.toString());
                    }
                    body.setLength(0);
                }
                ReferenceCountUtil.release(message);
            }
        }

        static void respond(ChannelHandlerContext ctx, String body) {
            ByteBuf text = Unpooled.copiedBuffer("h" + body, StandardCharsets.US_ASCII);
            DefaultFullHttpResponse response =
                    new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, text);
            response.headers().set("content-length", text.readableBytes());
            var unused = ctx.writeAndFlush(response);
        }

        @Override
        public String path() {
            return "/check";
        }

        @Override
        public int longestBody() {
            return 100;
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public @Nullable HttpAnswer answer(ChannelHandlerContext connection, byte[] body) {
            String text = new String(body, StandardCharsets.US_ASCII);
            return text.endsWith("7")
                    ? null
                    : new HttpAnswer(200, HttpAnswer.TEXT, ("d" + text).getBytes(StandardCharsets.US_ASCII), List.of());
        }

        void send(String text) {
            channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
        }

        /** The bodies of the answers so far. */
        List<String> answers() {
            StringBuilder all = new StringBuilder();
            for (ByteBuf each = channel.readOutbound(); each != null; each = channel.readOutbound()) {
                all.append(each.toString(StandardCharsets.US_ASCII));
                each.release();
            }
            return BODY.matcher(all)
                    .results()
                    .map(found -> found.group(1) + found.group(2))
                    .toList();
        }

        @Override
        public void close() {
            channel.finishAndReleaseAll();
        }
    }

    private static String plain(int number) {
        return "POST /check HTTP/1.1\r\nHost: a\r\n" + length(number);
    }

    private static String other(int number) {
        return "POST /check HTTP/1.1\r\nHost: a\r\nX-Other: 1\r\n" + length(number);
    }

    private static String length(int number) {
        String body = Integer.toString(number);
        return "Content-Length: " + body.length() + "\r\n\r\n" + body;
    }

    /** The first request of a connection, after which it is known to speak HTTP/1. */
    private static Peer peer() {
        Peer peer = new Peer();
        peer.send(other(0));
        assertThat(peer.answers()).containsExactly("h0");
        peer.takePlainOnes();
        return peer;
    }

    @Test
    void plainRequestsAreAnsweredDirectlyAndOthersByTheServerInTheirOrder() {
        try (Peer peer = peer()) {
            peer.send(plain(1) + plain(2) + other(3) + plain(4));
            assertThat(peer.answers()).containsExactly("d1", "d2", "h3", "h4");
            peer.send(plain(5));
            assertThat(peer.answers()).containsExactly("d5");
        }
    }

    @Test
    void theHandlerMayLeaveARequestToTheServer() {
        try (Peer peer = peer()) {
            peer.send(plain(6) + plain(7) + plain(8));
            assertThat(peer.answers()).containsExactly("d6", "h7", "h8");
        }
    }

    @Test
    void whileTheServerOwesAnAnswerNothingIsTaken() {
        try (Peer peer = peer()) {
            peer.answersLate = true;
            peer.send(other(1));
            peer.send(plain(2));
            assertThat(peer.answers()).isEmpty();
            assertThat(peer.lateBodies).containsExactly("1", "2");
            Peer.respond(peer.late.get(0), "1");
            peer.send(plain(3));
            Peer.respond(peer.late.get(1), "2");
            Peer.respond(peer.late.get(2), "3");
            peer.send(plain(4));
            assertThat(peer.answers()).containsExactly("h1", "h2", "h3", "d4");
        }
    }

    @Test
    void aClosedHandlerTakesNothing() {
        try (Peer peer = peer()) {
            peer.open = false;
            peer.send(plain(1));
            peer.open = true;
            peer.send(plain(2));
            assertThat(peer.answers()).containsExactly("h1", "d2");
        }
    }

    @Test
    void aRequestThatComesInTwoReadsIsAnsweredDirectly() {
        for (int cut = 1; cut < plain(2).length(); cut++) {
            try (Peer peer = peer()) {
                peer.send(plain(1) + plain(2).substring(0, cut));
                peer.send(plain(2).substring(cut) + plain(3));
                assertThat(peer.answers()).as("cut at %d", cut).containsExactly("d1", "d2", "d3");
            }
        }
    }

    @Test
    void aPartThatWaitsTooLongIsTheServers() {
        try (Peer peer = peer()) {
            peer.send(plain(1).substring(0, 30));
            peer.channel.advanceTimeBy(101, TimeUnit.MILLISECONDS);
            peer.channel.runScheduledPendingTasks();
            assertThat(peer.input.held()).as("in the server").isPositive();
            peer.send(plain(1).substring(30));
            assertThat(peer.answers()).containsExactly("h1");
            // Where the next message begins is not certain any more.
            peer.send(plain(2));
            assertThat(peer.answers()).containsExactly("h2");
        }
    }

    @Test
    void aConnectionWithNothingInArrivalIsNotTimed() {
        try (Peer peer = peer()) {
            peer.send(plain(1));
            peer.channel.advanceTimeBy(3, TimeUnit.HOURS);
            peer.channel.runScheduledPendingTasks();
            peer.send(plain(2));
            assertThat(peer.answers()).containsExactly("d1", "d2");
        }
    }

    @Test
    void bytesThatLookLikeARequestInsideAHeaderFieldAreNone() {
        try (Peer peer = peer()) {
            peer.send("POST /check HTTP/1.1\r\nHost: a\r\nX-Other: ");
            peer.send(plain(1) + "\r\n");
            assertThat(peer.answers()).as("of one request").containsExactly("h1");
        }
    }

    @Test
    void norAreThoseInsideABody() {
        try (Peer peer = peer()) {
            String hidden = plain(1);
            peer.send("POST /check HTTP/1.1\r\nHost: a\r\nX-Other: 1\r\nContent-Length: " + (hidden.length() + 1)
                    + "\r\n\r\n5");
            peer.send(hidden);
            peer.send(plain(2));
            assertThat(peer.answers()).as("of two requests").containsExactly("h5", "d2");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void noRequestIsLostDoubledOrOvertakenHoweverTheBytesAreCut(long seed) {
        Random random = new Random(seed);
        for (int run = 0; run < 200; run++) {
            StringBuilder all = new StringBuilder();
            int requests = 1 + random.nextInt(12);
            for (int i = 1; i <= requests; i++) {
                all.append(random.nextInt(3) == 0 ? other(i) : plain(i));
            }
            List<String> answers = new ArrayList<>();
            try (Peer peer = peer()) {
                for (int at = 0; at < all.length(); ) {
                    int end = Math.min(all.length(), at + 1 + random.nextInt(80));
                    peer.send(all.substring(at, end));
                    at = end;
                    if (random.nextInt(10) == 0) {
                        peer.channel.advanceTimeBy(200, TimeUnit.MILLISECONDS);
                        peer.channel.runScheduledPendingTasks();
                    }
                }
                answers.addAll(peer.answers());
            }
            assertThat(answers.stream().map(each -> Integer.parseInt(each.substring(1))))
                    .as("seed %d, run %d", seed, run)
                    .containsExactlyElementsOf(
                            IntStream.rangeClosed(1, requests).boxed().toList());
        }
    }
}
