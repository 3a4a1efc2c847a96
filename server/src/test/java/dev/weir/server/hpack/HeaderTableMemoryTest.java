package dev.weir.server.hpack;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Headers;
import org.junit.jupiter.api.Test;

class HeaderTableMemoryTest {
    private static final int END_HEADERS = 0x4;
    private static final int PADDED = 0x8;
    private static final int PRIORITY = 0x20;
    private static final int OBJECTS = 136;
    /** A field of one character and a value of one character, added to the table. */
    private static final byte[] SHORT = {0x40, 1, 'a', 1, 'b'};

    private final HeaderTableMemory table = new HeaderTableMemory();

    private void block(byte... block) {
        table.headers(END_HEADERS, block.length);
        take(block);
    }

    private void take(byte... bytes) {
        for (byte each : bytes) {
            table.take(each);
        }
    }

    @Test
    void nothingIsHeldBeforeABlockAddsAField() {
        block(
                (byte) 0x82,
                (byte) 0x84,
                (byte) 0x04,
                (byte) 1,
                (byte) '/',
                (byte) 0x10,
                (byte) 1,
                (byte) 'x',
                (byte) 1,
                (byte) 'y');
        assertThat(table.bytes()).isZero();
    }

    @Test
    void aFieldThatIsAddedTakesItsObjectsToo() {
        block(SHORT);
        assertThat(table.bytes()).isEqualTo(32 + 2 + OBJECTS);
        block((byte) 0x41, (byte) 3, (byte) 'a', (byte) 'b', (byte) 'c'); // :authority of the static table
        assertThat(table.bytes()).isEqualTo(32 + 2 + 32 + 3 + 2 * OBJECTS);
    }

    @Test
    void aFullTableHoldsTheLastFields() {
        for (int i = 0; i < 10_000; i++) {
            block(SHORT);
        }
        assertThat(table.bytes()).isBetween(4_096 + 118 * OBJECTS, 4_096 + 122 * OBJECTS);
        byte[] large = new byte[1_004];
        large[0] = 0x41;
        large[1] = 0x7F; // the length is 127 and what follows
        large[2] = (byte) (0x80 | ((1_000 - 127) & 0x7F));
        large[3] = (byte) ((1_000 - 127) >> 7);
        for (int i = 0; i < 100; i++) {
            block(large);
        }
        assertThat(table.bytes()).isBetween(4_096, 4_096 + 6 * OBJECTS);
    }

    @Test
    void blocksInPiecesWithPaddingAndPriorityAreRead() {
        table.headers(PADDED | PRIORITY, 1 + 5 + 2 + 3);
        take((byte) 3, (byte) 0x40, (byte) 0x40, (byte) 0x40, (byte) 0x40, (byte) 0x40, SHORT[0], SHORT[1]);
        take((byte) 0x40, (byte) 0x40, (byte) 0x40);
        table.continuation(3);
        take(SHORT[2], SHORT[3], SHORT[4]);
        assertThat(table.bytes()).isEqualTo(32 + 2 + OBJECTS);
    }

    @Test
    void itFollowsTheBlocksOfARealClient() throws Exception {
        DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder((name, value) -> false, false);
        for (int i = 0; i < 3; i++) {
            Http2Headers headers = new DefaultHttp2Headers()
                    .method("POST")
                    .scheme("http")
                    .path("/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit")
                    .authority("ratelimit")
                    .add("content-type", "application/grpc")
                    .add("te", "trailers");
            ByteBuf block = Unpooled.buffer();
            encoder.encodeHeaders(1, headers, block);
            block(ByteBufUtil.getBytes(block));
            assertThat(table.bytes()).as("after %d blocks", i + 1).isBetween(4 * OBJECTS, 4 * OBJECTS + 4 * 80);
        }
    }

    @Test
    void aTextWithoutAnEndAddsNothing() {
        block((byte) 0x40, (byte) 0x7F, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0x7F);
        assertThat(table.bytes()).isZero();
        block(SHORT);
        assertThat(table.bytes()).isEqualTo(32 + 2 + OBJECTS);
    }
}
