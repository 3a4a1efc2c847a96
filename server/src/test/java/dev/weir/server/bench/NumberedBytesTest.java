package dev.weir.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NumberedBytesTest {

    @Test
    void everyNumberStandsWhereTheKeyStands() {
        LoadRequest request = new LoadRequest(
                "d",
                List.of(
                        List.of(Map.entry("a", "{key}{key}"), Map.entry("b", "u{key}-x")),
                        List.of(Map.entry("c", "1"))));
        for (int number : new int[] {0, 7, 10, 99, 12_345, 1_000_000, Integer.MAX_VALUE}) {
            assertThat(written(request.http("h:1", "/json"), number))
                    .startsWith("POST /json HTTP/1.1\r\nHost: h:1\r\n")
                    .endsWith("\r\n\r\n{\"domain\":\"d\",\"descriptors\":[{\"entries\":[{\"key\":\"a\",\"value\":\""
                            + number
                            + number + "\"},{\"key\":\"b\",\"value\":\"u" + number
                            + "-x\"}]},{\"entries\":[{\"key\":\"c\",\"value\":\"1\"}]}]}");
            String grpc = written(request.grpc(), number);
            assertThat(grpc).contains("u" + number + "-x").contains("" + number + number);
            assertThat(grpc).hasSize(request.grpc().size(number));
        }
    }

    private static String written(NumberedBytes bytes, int number) {
        ByteBuf to = Unpooled.buffer();
        bytes.write(number, to);
        return to.toString(StandardCharsets.ISO_8859_1);
    }
}
