package dev.weir.server.rest;

import static dev.weir.server.rest.RestKit.header;
import static dev.weir.server.rest.RestKit.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.health.Health;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadInputTest {
    private final RestKit kit = new RestKit(RestKit.weirRules());

    @AfterAll
    void close() {
        kit.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"user_id\":42}|user_id: 42 (expected: a string) at line 1, column 12",
                "{\"user_id\":null}|user_id: null (expected: a string) at line 1, column 12",
                "{\"user_id\":[]}|user_id: a list (expected: a string) at line 1, column 12",
                "{\"cost\":1.5}|cost: 1.5 (expected: a whole number >= 0) at line 1, column 9",
                "{\"cost\":-1}|cost: -1 (expected: a whole number >= 0) at line 1, column 9",
                "{\"cost\":1e400}|cost: 1e400 (expected: a whole number >= 0) at line 1, column 9",
                "{\"cost\":\"0x10\"}|cost: \"0x10\" (expected: a whole number >= 0) at line 1, column 9",
                "{\"cost\":\"1\"}|cost: \"1\" (expected: a whole number >= 0) at line 1, column 9",
                "{\"cost\":1,\"hits\":1}|hits: requests are given twice (expected: one of cost, hits and"
                        + " costs.requests) at line 1, column 11",
                "{\"domain\":\"\"}|domain: \"\" (expected: one of \"api\")",
                "{\"domain\":7}|domain: 7 (expected: a string) at line 1, column 11",
                "[]|body: a list (expected: an object) at line 1, column 1",
                "{} x|body: Unrecognized token 'x': was expecting",
                "{}{}|text after the end of the JSON object (expected: nothing) at line 1, column 3",
                "{\"cost\":NaN}|body: Non-standard token 'NaN' (expected: JSON) at line 1, column",
                "{\"a\":\"1\"|expected close marker for Object (expected: JSON) at line 1, column",
                "{\"a\":\"1\",\"a\":\"2\"}|Duplicate field 'a'",
                "{\"descriptors\":[]}|descriptors: none (expected: at least one)",
                "{\"a\":\"1\",\"descriptors\":[]}|descriptors: given together with \"a\" (expected: one or the other)",
                "{\"\":\"1\",\"descriptors\":[{}]}|descriptors: given together with \"\" (expected: one or the other)",
                "{\"descriptors\":[{}],\"a\":\"1\"}|\"a\": given together with descriptors (expected: one or the other)",
                "{\"a\":\"\\ud800\"}|a: \"\\ud800\" (expected: text that is well-formed Unicode)",
                "{\"descriptors\":[{\"entries\":[],\"isNegativeHits\":true}]}|isNegativeHits: true (expected: false; use gRPC or",
                "{\"a\":{\"a\":{}}}|a: an object (expected: a string) at line 1, column 6",
            })
    void aMistakeIsToldWithValueExpectationAndPlace(String body, String detail) {
        HttpResponse<String> response = kit.check(body);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(header(response, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(json(response).getString("title")).isEqualTo("Bad Request");
        assertThat(json(response).getInteger("status")).isEqualTo(400);
        assertThat(json(response).getString("detail")).contains(detail);
    }

    @Test
    void anEmptyBodyIsToldSo() {
        assertThat(json(kit.check("")).getString("detail")).startsWith("the end of the body (expected: a JSON object)");
        assertThat(json(kit.check("{\"a\":")).getString("detail")).contains("line 1, column");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ff", "c080", "c1a1", "e08080", "eda080", "f4908080", "e298"})
    void bytesThatAreNotUtf8AreRefused(String bytes) {
        HttpResponse<String> response = bytes("{\"a\":\"", HexFormat.of().parseHex(bytes), "\"}");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(json(response).getString("detail")).contains("UTF-8");
    }

    @Test
    void utf8IsNotGuessedAndAMarkInFrontOfItIsNoMistake() {
        assertThat(bytes("", "{}".getBytes(StandardCharsets.UTF_16), "").statusCode())
                .isEqualTo(400);
        assertThat(bytes("", "{}".getBytes(StandardCharsets.UTF_16BE), "").statusCode())
                .isEqualTo(400);
        assertThat(bytes("", "\ufeff{}".getBytes(StandardCharsets.UTF_8), "").statusCode())
                .isEqualTo(200);
    }

    private HttpResponse<String> bytes(String before, byte[] bytes, String after) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(before.getBytes(StandardCharsets.US_ASCII));
        body.writeBytes(bytes);
        body.writeBytes(after.getBytes(StandardCharsets.US_ASCII));
        return kit.send(kit.request("/v1/ratelimit/check").POST(BodyPublishers.ofByteArray(body.toByteArray())));
    }

    @Test
    void aBodyThatIsCompressedIs415() {
        HttpResponse<String> response = kit.check("{}", "Content-Encoding", "gzip");
        assertThat(response.statusCode()).isEqualTo(415);
        assertThat(json(response).getString("detail")).isEqualTo("Content-Encoding: \"gzip\" (expected: none)");
        assertThat(kit.check("{}", "Content-Encoding", "identity").statusCode()).isEqualTo(200);
    }

    @Test
    void deepJsonIsRefused() {
        String deep = "[".repeat(10_000);
        assertThat(json(kit.check("{\"cost\":" + "[".repeat(20))).getString("detail"))
                .startsWith("cost: a list");
        assertThat(kit.check("{\"descriptors\":" + deep).statusCode()).isEqualTo(400);
        assertThat(kit.post("/json", deep).statusCode()).isEqualTo(400);
    }

    @Test
    void everyCapIsNamedInItsError() {
        assertThat(json(kit.check("{\"a\":\"" + "x".repeat(40_000) + "\"}")).getString("detail"))
                .contains("32768");
        assertThat(json(kit.check("{\"a\":\"" + "\u00e9".repeat(20_000) + "\"}"))
                        .getString("detail"))
                .isEqualTo("a: 40000 bytes (expected: at most 32768 for a value) at line 1, column 6");
        assertThat(json(kit.check("{\"" + "n".repeat(2_000) + "\":\"\"}")).getString("detail"))
                .contains("1024");
        StringBuilder many = new StringBuilder("{\"a\":\"\"");
        for (int i = 0; i < 100; i++) {
            many.append(",\"a").append(i).append("\":\"\"");
        }
        assertThat(json(kit.check(many.append('}').toString())).getString("detail"))
                .contains("attributes: too many (expected: at most 100)");
        String descriptors = "{\"entries\":[]},".repeat(1_000) + "{\"entries\":[]}";
        assertThat(json(kit.check("{\"descriptors\":[" + descriptors + "]}")).getString("detail"))
                .contains("descriptors: too many (expected: at most 1000)");
    }

    @Test
    void aBodyPastItsCapIs413WhetherDeclaredOrStreamed() {
        byte[] large = new byte[4 << 20];
        HttpResponse<String> declared =
                kit.send(kit.request("/v1/ratelimit/check").POST(BodyPublishers.ofByteArray(large)));
        assertThat(declared.statusCode()).isEqualTo(413);
        assertThat(json(declared).getString("detail")).isEqualTo("body: too long (expected: <= 2097152 bytes)");
        HttpResponse<String> streamed = kit.send(
                kit.request("/json").POST(BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(large))));
        assertThat(streamed.statusCode()).isEqualTo(413);
    }

    @Test
    void aMegabyteOfOrdinaryDescriptorsPasses() {
        String entry = "{\"key\":\"k\",\"value\":\"" + "v".repeat(10_000) + "\"}";
        String descriptors = ("{\"entries\":[" + entry + "]},").repeat(99) + "{\"entries\":[" + entry + "]}";
        assertThat(kit.post("/json", "{\"domain\":\"api\",\"descriptors\":[" + descriptors + "]}")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void separatorsControlsAndEmojiInValuesAreOrdinaryText() {
        String odd = "{\"endpoint\":\"/bucket\",\"user_id\":\"a|b{c}\\u0000\\r\\n\\u202e\\ud83d\\ude00\"}";
        assertThat(kit.check(odd).statusCode()).isEqualTo(200);
        assertThat(json(kit.check(odd)).getInteger("remaining")).isEqualTo(8);
    }

    @Test
    void theWrongMethodIs405WithTheRightOne() {
        for (String path : new String[] {"/v1/ratelimit/check", "/ratelimit/check", "/json"}) {
            HttpResponse<String> response = kit.get(path);
            assertThat(response.statusCode()).isEqualTo(405);
            assertThat(header(response, "Allow")).isEqualTo("POST");
            assertThat(json(response).getString("detail")).isEqualTo("method: GET (expected: POST)");
        }
        assertThat(header(kit.post("/v1/ratelimit/status/u", ""), "Allow")).isEqualTo("GET, HEAD");
    }

    @Test
    void whatCanBeReadHasAHeadWithoutABody() {
        kit.health.set(Health.State.SERVING);
        for (String path : new String[] {"/healthcheck", "/v1/ratelimit/status/u"}) {
            HttpResponse<String> response = kit.send(kit.request(path).method("HEAD", BodyPublishers.noBody()));
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET /healthcheck HTTP/1.1|400|Host",
                "OPTIONS * HTTP/1.1\\r\\nHost: a|404|begins with /",
                "GET /healthcheck HTTP/1.1\\r\\nHost: a\\r\\nbad header: b|400|malformed",
                "HELLO\\r\\n|400|malformed",
                "GET /LONG HTTP/1.1\\r\\nHost: a|414|request line: too long (expected: <= 102400 bytes)",
                "GET /healthcheck HTTP/1.1\\r\\nHost: a\\r\\nx: LONG|431|headers: too long (expected: <= 16384 bytes)",
            })
    void whatIsHardlyHttpIsTheCallersMistakeAndAProblemToo(String head, int status, String detail) {
        String request = head.replace("\\r\\n", "\r\n").replace("LONG", "x".repeat(110_000));
        assertThat(kit.raw(request + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.")
                .contains(" " + status + " ", "application/problem+json", detail);
    }

    @Test
    void anUnknownPathIs404AndNotEchoedRaw() {
        HttpResponse<String> response = kit.get("/v2/nothing%0d%0a");
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(header(response, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(json(response).getString("detail")).startsWith("path: \"/v2/nothing");
    }

    @Test
    void aStatusQueryThatContradictsItselfIsRefused() {
        assertThat(kit.get("/v1/ratelimit/status/u?user_id=v").statusCode()).isEqualTo(400);
        assertThat(kit.get("/v1/ratelimit/status/u?tier=a&tier=b").statusCode()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"u?tier=%zz", "u?tier=%ff", "u?%c0%80=a", "u?tier=\u00e9", "%ff", "%e2%98", "\u00e9", "%4"})
    void aStatusOfWhatIsNoTextIsRefused(String target) {
        assertThat(kit.raw("GET /v1/ratelimit/status/" + target + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 400 ")
                .contains("application/problem+json", "percent-encoded UTF-8");
    }

    @Test
    void badInputCountsNothing() {
        kit.check("{\"user_id\":\"n\",\"endpoint\":\"/bucket\",\"cost\":1} x");
        kit.check("{\"user_id\":\"n\",\"endpoint\":\"/bucket\",\"cost\":1.5}");
        assertThat(json(kit.check("{\"user_id\":\"n\",\"endpoint\":\"/bucket\"}"))
                        .getInteger("remaining"))
                .isEqualTo(9);
    }
}
