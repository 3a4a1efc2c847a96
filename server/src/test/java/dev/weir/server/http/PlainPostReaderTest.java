package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.PlainPostReader.Found;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests are plain. */
class PlainPostReaderTest {
    private static final String PLAIN =
            "POST /check HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n"
                    + "Content-Type: application/json\r\ncontent-length: 4\r\nConnection: Keep-Alive\r\n\r\n{\"\"}";

    private final PlainPostReader reader = new PlainPostReader("/check", 10);

    private Found read(String text) {
        ByteBuf bytes = Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
        reader.load(bytes);
        bytes.release();
        return reader.read(0);
    }

    @Test
    void aPlainRequestIsReadWhole() {
        assertThat(read(PLAIN)).isEqualTo(Found.WHOLE);
        assertThat(reader.body()).isEqualTo("{\"\"}".getBytes(StandardCharsets.US_ASCII));
        assertThat(reader.next()).isEqualTo(PLAIN.length());
    }

    @Test
    void theNextOneIsReadAfterIt() {
        assertThat(read(PLAIN + PLAIN)).isEqualTo(Found.WHOLE);
        assertThat(reader.read(reader.next())).isEqualTo(Found.WHOLE);
        assertThat(reader.next()).isEqualTo(2 * PLAIN.length());
    }

    @Test
    void everyBeginOfOneIsAPart() {
        for (int length = 0; length < PLAIN.length(); length++) {
            assertThat(read(PLAIN.substring(0, length))).as("first %d", length).isEqualTo(Found.PART);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /check HTTP/1.0\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
                "POST /check?a=b HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
                "POST  /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
                "post /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
                "GET /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
                "\r\nPOST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
                "POST /check HTTP/1.1\nHost: a\nContent-Length: 0\n\n",
                "POST /check HTTP/1.1\r\nHost: a\nContent-Length: 0\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\rContent-Length: 0\r\n\r\n",
                "POST /check HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost:\r\nContent-Length: 0\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a@b\r\nContent-Length: 0\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 2, 2\r\n\r\n{}",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\n{}",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 2 \r\n\r\n{}",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n{}",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost\r\nContent-Length: 0\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length : 2\r\n\r\n{}",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Encoding: gzip\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nExpect: 100-continue\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: keep-alive, x\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nIdempotency-Key: k\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nAccept: a\r\n b\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nAccept: a\u0000b\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nAccept: \u00e9\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nAccept\r\n\r\n",
                "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n: a\r\n\r\n"
            })
    void everythingElseIsLeftToTheHttpServer(String request) {
        assertThat(read(request)).isEqualTo(Found.OTHER);
    }

    @Test
    void soIsARequestWithManyFields() {
        assertThat(read("POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n" + "Accept: a\r\n".repeat(20)
                        + "\r\n"))
                .isEqualTo(Found.OTHER);
    }
}
