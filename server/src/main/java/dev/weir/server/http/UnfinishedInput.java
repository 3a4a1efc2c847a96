package dev.weir.server.http;

import dev.weir.server.hpack.HeaderTableMemory;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.vertx.core.http.impl.Http1xOrH2CHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts the bytes of incomplete input on an HTTP connection, in clear text: a head of HTTP/1, or a frame or header block
 * of HTTP/2. Over HTTP/2 it also closes the connection if they take too long; over HTTP/1, {@link Http1Guard} does.
 */
final class UnfinishedInput extends ChannelInboundHandlerAdapter {
    static final String NAME = "unfinished";

    private static final byte[] PREFACE = Http1xOrH2CHandler.HTTP_2_PREFACE.getBytes(StandardCharsets.US_ASCII);
    private static final int FRAME_HEADER = 9;
    private static final int TYPE = 3;
    private static final int FLAGS = 4;
    private static final int END_HEADERS = 0x4;

    /** Lines of a longer read are counted; of a shorter one, the most that it can have are assumed. */
    private static final int SHORT_READ = 512;
    /** The bytes of {@code a:} and the end of its line. */
    private static final int SHORTEST_LINE = 4;

    /** The bytes of {@code a:} and a newline, for each field that a request may have. */
    private static final int LONG_HEAD = 3 * RequestSize.MOST_FIELDS;
    /** A field of a header block that the peer's table knows takes one byte. */
    private static final int LONG_BLOCK = RequestSize.MOST_FIELDS;
    /** Lines of incomplete input that are too many, although those of one short read are assumed. */
    private static final int TOO_MANY_LINES = RequestSize.MOST_FIELDS + SHORT_READ / SHORTEST_LINE;

    private static final int NOT_USED = -1;
    private static final int ALL_USED = -2;

    private enum Speaks {
        /** The first bytes may still become the preface of HTTP/2. */
        NOT_KNOWN,
        /** HTTP/1 until the preface of HTTP/2 arrives after the upgrade request. */
        UPGRADING,
        HTTP_1,
        HTTP_2
    }

    private final Duration most;
    private final BiConsumer<ChannelHandlerContext, String> late;
    private final Consumer<ChannelHandlerContext> tooManyFields;
    private Speaks speaks = Speaks.NOT_KNOWN;
    private int prefaceSeen;
    private long head;
    private long lines;
    private final byte[] frameHeader = new byte[FRAME_HEADER];
    private int headerSeen;
    private int payloadLeft;
    private int payloadSeen;
    private boolean inBlock;
    private long block;
    private final HeaderTableMemory table = new HeaderTableMemory();
    private boolean longHead;
    /** The buffer of the current read, as long as the decoder has not released it. */
    private @Nullable ByteBuf current;
    /** The reader index of the current read when the last message of HTTP/1 was complete. */
    private int used;
    /** Whether bytes of the next message came with the end of one. */
    private boolean begunNext;

    /** Whether the connection is closed for too many fields. */
    private boolean refused;

    /** Whether the begin of every message so far was seen; not if a head came in several reads. */
    private boolean exact = true;

    private boolean waiting;
    private long since;
    private @Nullable Future<?> due;

    /**
     * {@code late} closes the connection if something takes longer than {@code most}, and {@code tooManyFields} if an
     * incomplete head of HTTP/1 has more fields than a request may have.
     */
    UnfinishedInput(
            Duration most,
            BiConsumer<ChannelHandlerContext, String> late,
            Consumer<ChannelHandlerContext> tooManyFields) {
        this.most = most;
        this.late = late;
        this.tooManyFields = tooManyFields;
    }

    /** Bytes that arrived and wait for more; the buffers that hold them grow in powers of two. */
    long held() {
        long bytes = head + block + headerSeen + payloadSeen;
        return bytes == 0 ? 0 : Long.highestOneBit(2 * bytes - 1);
    }

    /** The memory of the table of headers of HTTP/2, which lives as long as the connection. */
    int heldTable() {
        return table.bytes();
    }

    /** The most header fields that the incomplete input may have. Over HTTP/1 they are decoded as they come. */
    long heldFields() {
        return lines;
    }

    /** Whether a message of HTTP/1 has begun in the read that completed the one before. */
    boolean hasBegunNext() {
        return begunNext;
    }

    /** Whether the last message of HTTP/1 is complete and no byte of the next one has arrived, as far as that is certain. */
    boolean isBetweenMessages() {
        return exact && speaks == Speaks.HTTP_1 && head == 0 && !begunNext;
    }

    /** Whether the last read had a head that is long enough for more fields than a request may have. */
    boolean hasLongHead() {
        return longHead;
    }

    /** Called over HTTP/1 when a message is complete. */
    void used() {
        head = 0;
        lines = 0;
        begunNext = false;
        ByteBuf read = current;
        if (read != null) {
            // The decoder passes a message on before it goes on reading, or after it has read and released everything.
            // A released buffer may soon be another's.
            if (read.refCnt() > 0) {
                used = read.readerIndex();
            } else {
                used = ALL_USED;
                current = null;
            }
        }
    }

    /** Called when the connection is upgraded from HTTP/1 to HTTP/2; the preface follows. */
    void upgraded() {
        if (speaks == Speaks.HTTP_1) {
            speaks = Speaks.UPGRADING;
            prefaceSeen = 0;
            used();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!(message instanceof ByteBuf bytes)) {
            ctx.fireChannelRead(message);
            return;
        }
        boolean alone = head == 0;
        exact &= alone;
        int start = bytes.readerIndex();
        int end = bytes.writerIndex();
        current = bytes;
        used = NOT_USED;
        take(bytes);
        long allLines = lines;
        ctx.fireChannelRead(message);
        current = null;
        if (used != NOT_USED && speaks == Speaks.HTTP_1) {
            rest(alone && used > start ? end - used : alone ? 0 : end - start, alone, allLines);
        }
        if (lines > TOO_MANY_LINES && (used == NOT_USED || begunNext) && !refused) {
            refused = true;
            tooManyFields.accept(ctx);
        }
    }

    /** Counts {@code bytes} behind the end of a message; only of a read that came {@code alone} are they known exactly. */
    private void rest(int bytes, boolean alone, long linesOfRead) {
        if (alone && bytes > 0) {
            begunNext = true;
            head = bytes;
            lines = Math.min(linesOfRead, bytes / SHORTEST_LINE);
        } else if (bytes > LONG_HEAD) {
            head = bytes;
            lines = bytes / SHORTEST_LINE;
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.fireChannelReadComplete();
        if (isWaiting() && due == null) {
            watch(ctx, most.toNanos());
        }
    }

    private void take(ByteBuf bytes) {
        int at = bytes.readerIndex();
        int end = bytes.writerIndex();
        longHead = false;
        while (at < end && (speaks == Speaks.NOT_KNOWN || speaks == Speaks.UPGRADING)) {
            preface(bytes.getByte(at));
            at++;
        }
        if (speaks == Speaks.HTTP_1) {
            lines += head == 0 && bytes.readableBytes() <= SHORT_READ
                    ? bytes.readableBytes() / SHORTEST_LINE
                    : linesIn(bytes);
            head += end - bytes.readerIndex();
            longHead = head > LONG_HEAD;
        }
        while (at < end && speaks == Speaks.HTTP_2) {
            at = frame(bytes, at, end);
        }
    }

    private static int linesIn(ByteBuf bytes) {
        int[] found = new int[1];
        bytes.forEachByte(each -> {
            found[0] += each == '\n' ? 1 : 0;
            return true;
        });
        return found[0];
    }

    private void preface(byte next) {
        if (next == PREFACE[prefaceSeen]) {
            prefaceSeen++;
            if (prefaceSeen == PREFACE.length) {
                speaks = Speaks.HTTP_2;
            }
        } else if (speaks == Speaks.UPGRADING) {
            prefaceSeen = next == PREFACE[0] ? 1 : 0; // no other byte of the preface is like its first
        } else {
            speaks = Speaks.HTTP_1;
        }
    }

    /** Follows one frame, or a part of it; returns where it stopped. */
    private int frame(ByteBuf bytes, int from, int end) {
        int at = from;
        if (headerSeen < FRAME_HEADER) {
            int more = Math.min(FRAME_HEADER - headerSeen, end - at);
            bytes.getBytes(at, frameHeader, headerSeen, more);
            headerSeen += more;
            at += more;
            if (headerSeen < FRAME_HEADER) {
                return at;
            }
            payloadLeft = (frameHeader[0] & 0xFF) << 16 | (frameHeader[1] & 0xFF) << 8 | (frameHeader[2] & 0xFF);
        }
        int more = Math.min(payloadLeft, end - at);
        addToTable(bytes, at, more);
        payloadLeft -= more;
        payloadSeen += more;
        if (payloadLeft == 0) {
            whole();
        }
        return at + more;
    }

    private void addToTable(ByteBuf bytes, int from, int count) {
        int type = frameHeader[TYPE];
        boolean headers = type == Http2FrameTypes.HEADERS;
        if (!headers && type != Http2FrameTypes.CONTINUATION) {
            return;
        }
        if (payloadSeen == 0 && headers) {
            table.headers(frameHeader[FLAGS], payloadLeft);
        } else if (payloadSeen == 0) {
            table.continuation(payloadLeft);
        }
        for (int i = from; i < from + count; i++) {
            table.take(bytes.getByte(i));
        }
    }

    private void whole() {
        int type = frameHeader[TYPE];
        if (type == Http2FrameTypes.HEADERS || type == Http2FrameTypes.CONTINUATION) {
            inBlock = (frameHeader[FLAGS] & END_HEADERS) == 0;
            longHead |= block + payloadSeen > LONG_BLOCK;
            block = inBlock ? block + payloadSeen : 0;
        }
        headerSeen = 0;
        payloadSeen = 0;
        waiting &= inBlock;
    }

    /** Whether a frame other than DATA, or a header block, is incomplete. Bodies have their own timeout. */
    private boolean isWaiting() {
        boolean frame = headerSeen > 0 && (headerSeen < FRAME_HEADER || frameHeader[TYPE] != Http2FrameTypes.DATA);
        boolean begun = inBlock || frame;
        if (begun && !waiting) {
            since = System.nanoTime();
        }
        waiting = begun;
        return begun;
    }

    private void watch(ChannelHandlerContext ctx, long nanos) {
        due = ctx.executor().schedule(() -> look(ctx), nanos, TimeUnit.NANOSECONDS);
    }

    private void look(ChannelHandlerContext ctx) {
        due = null;
        if (waiting) {
            long left = most.toNanos() - (System.nanoTime() - since);
            if (left <= 0) {
                late.accept(ctx, "a head or a frame was not whole after " + most.toMillis() + " ms");
            } else {
                watch(ctx, left);
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (due != null) {
            due.cancel(false);
        }
        ctx.fireChannelInactive();
    }
}
