package dev.weir.server.attack;

import static dev.weir.server.grpc.RawPeer.CONTINUATION;
import static dev.weir.server.grpc.RawPeer.DATA;
import static dev.weir.server.grpc.RawPeer.END_HEADERS;
import static dev.weir.server.grpc.RawPeer.END_STREAM;
import static dev.weir.server.grpc.RawPeer.HEADERS;
import static dev.weir.server.grpc.RawPeer.PING;
import static dev.weir.server.grpc.RawPeer.RST_STREAM;
import static dev.weir.server.grpc.RawPeer.SETTINGS;
import static dev.weir.server.grpc.RawPeer.WINDOW_UPDATE;
import static dev.weir.server.grpc.RawPeer.join;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.server.grpc.RawPeer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Attacks with the means of HTTP/2 and HTTP/1 themselves, one a case. */
abstract class ProtocolAttackSuite extends UnderAttack {
    /** A little fewer than a port accepts with a heap of 256 MiB, so that the well-behaved caller still finds room. */
    private static final int NEARLY_ALL = 3_800;

    private static final String LONG = "weir.attack.long";

    private static final int PRIORITY = 2;
    /** The setting for the first window of a stream. */
    private static final int WINDOW = 4;

    private static final int PING_BYTES = 8;

    ProtocolAttackSuite(String heap, int scale) {
        super(heap, scale);
    }

    @Override
    List<String> flags() throws Exception {
        List<String> flags = new ArrayList<>(super.flags());
        // The well-behaved caller, and nobody else, is critical: streams by the hundred thousand are load, and are
        // shed.
        flags.add("--trusted-proxies=127.0.0.1/32");
        return flags;
    }

    /** HPACK's table counts 34 bytes for each of these fields, and the heap several times as many. */
    @Test
    void fullHeaderTablesOnAllPorts() throws Exception {
        ByteArrayOutputStream fields = new ByteArrayOutputStream();
        for (int i = 0; i < 119; i++) {
            fields.writeBytes(new byte[] {0x40, 1, (byte) ('a' + i % 26), 1, (byte) ('A' + i % 26)});
        }
        byte[] get = join(RawPeer.hello(), get(1, "/healthcheck", fields.toByteArray()));
        byte[] call = join(
                RawPeer.hello(),
                RawPeer.frame(HEADERS, END_HEADERS, 1, join(RawPeer.head(RawPeer.RLS), fields.toByteArray())),
                RawPeer.frame(DATA, END_STREAM, 1, RawPeer.message("table")));
        int count = Boolean.getBoolean(LONG) ? NEARLY_ALL : NEARLY_ALL / 2;
        underAttack(true, () -> {
            List<HostileSockets> all = new ArrayList<>(sending(server.grpc, count, call));
            all.addAll(sending(server.http, count, get));
            all.addAll(sending(server.admin, count / 2, get));
            return all;
        });
    }

    /** Each watch has ended its request, and lasts as long as its connection. */
    @Test
    void healthWatchesOnAllConnections() throws Exception {
        byte[] head = RawPeer.head("/grpc.health.v1.Health/Watch");
        byte[] watches = streams(
                16,
                RawPeer.hello(),
                stream -> join(
                        RawPeer.frame(HEADERS, END_HEADERS, stream, head),
                        RawPeer.frame(DATA, END_STREAM, stream, new byte[5])));
        underAttack(true, () -> sending(server.grpc, NEARLY_ALL / 2, watches));
    }

    /** Each answer is short; the stream that waits to send it is not. */
    @Test
    void shortAnswersThatNobodyTakesOverHttp2() throws Exception {
        byte[] asks = streams(100, RawPeer.hello(WINDOW, 0), stream -> get(stream, "/healthcheck"));
        underAttack(true, () -> sending(server.http, 100, asks));
    }

    @Test
    void shortAnswersThatNobodyTakesOverGrpc() throws Exception {
        byte[] asks = streams(1_000, RawPeer.hello(WINDOW, 0), stream -> RawPeer.call(stream, "n"));
        underAttack(true, () -> sending(server.grpc, 2_000, asks));
    }

    @Test
    void streamsThatAreOnlyOpened() throws Exception {
        byte[] http = streams(100, RawPeer.hello(), stream -> RawPeer.frame(HEADERS, END_HEADERS, stream, post()));
        byte[] grpc = streams(1_000, RawPeer.hello(), RawPeer::open);
        underAttack(true, () -> {
            List<HostileSockets> all = new ArrayList<>(sending(server.http, 1_500, http));
            all.addAll(sending(server.grpc, 1_500, grpc));
            return all;
        });
    }

    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void streamsThatAreResetAtOnce() throws Exception {
        byte[] cancel = {0, 0, 0, 8};
        byte[] http =
                streams(5_000, RawPeer.hello(), stream -> join(get(stream, "/healthcheck"), reset(stream, cancel)));
        byte[] grpc = streams(5_000, RawPeer.hello(), stream -> join(RawPeer.open(stream), reset(stream, cancel)));
        byte[] called =
                streams(5_000, RawPeer.hello(), stream -> join(RawPeer.call(stream, "r"), reset(stream, cancel)));
        underAttack(false, () -> {
            List<HostileSockets> all = new ArrayList<>(sending(server.http, 100, http));
            all.addAll(sending(server.grpc, 100, grpc));
            all.addAll(sending(server.grpc, 100, called));
            return all;
        });
    }

    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void pingsWhoseAnswersNobodyReads() throws Exception {
        answers(RawPeer.frame(PING, 0, 0, new byte[PING_BYTES]));
    }

    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void settingsWhoseAnswersNobodyReads() throws Exception {
        answers(RawPeer.frame(SETTINGS, 0, 0));
    }

    /** Sends frames that the server has to answer, and never reads. */
    private void answers(byte[] frame) throws Exception {
        byte[] all = join(RawPeer.hello(), repeated(frame, 50_000));
        underAttack(false, () -> {
            List<HostileSockets> sockets = new ArrayList<>();
            for (int port : List.of(server.grpc, server.http, server.admin)) {
                sockets.addAll(sending(port, 50, all));
            }
            return sockets;
        });
    }

    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void emptyFramesOfData() throws Exception {
        byte[] open = RawPeer.frame(HEADERS, END_HEADERS, 1, post());
        nothing(join(open, repeated(RawPeer.frame(DATA, 0, 1), 50_000)));
    }

    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void prioritiesAgainAndAgain() throws Exception {
        byte[] open = RawPeer.frame(HEADERS, END_HEADERS, 1, post());
        byte[] priority = RawPeer.frame(PRIORITY, 0, 1, (byte) 0, (byte) 0, (byte) 0, (byte) 3, (byte) 9);
        nothing(join(open, repeated(priority, 50_000)));
    }

    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void windowsThatOpenForNothing() throws Exception {
        nothing(repeated(RawPeer.number(WINDOW_UPDATE, 0, 1), 50_000));
    }

    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void framesOfNoKnownType() throws Exception {
        nothing(repeated(RawPeer.frame(0xBE, 0, 0), 50_000));
    }

    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void headersThatGoOnInEmptyFrames() throws Exception {
        nothing(join(RawPeer.frame(HEADERS, 0, 1), repeated(RawPeer.frame(CONTINUATION, 0, 1), 50_000)));
    }

    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void headersThatGoOnByteByByte() throws Exception {
        byte[] one = RawPeer.frame(CONTINUATION, 0, 1, (byte) 0x82);
        nothing(join(RawPeer.frame(HEADERS, 0, 1), repeated(one, 50_000)));
    }

    /** Sends frames that carry no request. */
    private void nothing(byte[] frames) throws Exception {
        byte[] all = join(RawPeer.hello(), frames);
        underAttack(false, () -> {
            List<HostileSockets> sockets = new ArrayList<>(sending(server.grpc, 20, all));
            sockets.addAll(sending(server.http, 20, all));
            return sockets;
        });
    }

    /** Answers leave in pieces of one byte, each of which the peer has to ask for. */
    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void windowsOfOneByte() throws Exception {
        byte[] get = join(RawPeer.hello(WINDOW, 1), get(1, "/metrics"));
        byte[] opens = repeated(RawPeer.number(WINDOW_UPDATE, 1, 1), 20_000);
        byte[] call = join(RawPeer.hello(WINDOW, 1), RawPeer.frame(HEADERS, END_HEADERS | END_STREAM, 1, outline()));
        underAttack(false, () -> {
            List<HostileSockets> all = new ArrayList<>(sending(server.http, 50, join(get, opens)));
            all.addAll(sending(server.grpc, 50, join(call, opens)));
            return all;
        });
    }

    /** One MiB of zeros takes a kilobyte; nothing here unpacks it. */
    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void compressedBodies() throws Exception {
        byte[] zeros = gzip(new byte[100 << 20]);
        byte[] request = join(
                ("POST /v1/ratelimit/check HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                                + "Content-Encoding: gzip\r\nContent-Length: " + zeros.length + "\r\n\r\n")
                        .getBytes(US_ASCII),
                zeros);
        byte[] message = join(new byte[] {1, 0, 0, (byte) (1_000 >> 8), (byte) 1_000}, gzip(new byte[1 << 20], 1_000));
        byte[] grpc = join(
                RawPeer.hello(),
                RawPeer.open(1, "grpc-encoding", "gzip"),
                RawPeer.frame(DATA, END_STREAM, 1, message),
                RawPeer.open(3),
                RawPeer.frame(DATA, END_STREAM, 3, message));
        underAttack(false, () -> {
            List<HostileSockets> all = new ArrayList<>(sending(server.http, 100, request));
            all.addAll(sending(server.grpc, 100, grpc));
            return all;
        });
    }

    /** A connection that becomes HTTP/2 by HTTP/1.1's upgrade is held to the same bounds. */
    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void upgradesThatNobodyReads() throws Exception {
        byte[] asks = join(
                (upgrade("GET /metrics") + "\r\n").getBytes(US_ASCII),
                streams(50, RawPeer.hello(WINDOW, 0), stream -> get(stream + 2, "/metrics")));
        byte[] body = (upgrade("POST /v1/ratelimit/check") + "Content-Length: 60000\r\n\r\n" + "1".repeat(59_000))
                .getBytes(US_ASCII);
        underAttack(true, () -> {
            List<HostileSockets> all = new ArrayList<>(sending(server.http, 300, asks));
            all.addAll(sending(server.http, 1_000, body));
            return all;
        });
    }

    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void chunksWithLongExtensionsAndTrailers() throws Exception {
        String head = "POST /v1/ratelimit/check HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
        byte[] extensions = (head + ("1;" + "e".repeat(4_000) + "\r\n1\r\n").repeat(50)).getBytes(US_ASCII);
        byte[] line = (head + "1;" + "e".repeat(90_000)).getBytes(US_ASCII);
        byte[] trailers = (head + "0\r\n" + "a:\r\n".repeat(3_000)).getBytes(US_ASCII);
        underAttack(false, () -> {
            List<HostileSockets> all = new ArrayList<>(sending(server.http, 300, extensions));
            all.addAll(sending(server.http, 1_000, line));
            all.addAll(sending(server.http, 1_000, trailers));
            return all;
        });
    }

    /** The bytes of {@code count} streams after {@code hello}. */
    private static byte[] streams(int count, byte[] hello, IntFunction<byte[]> each) {
        byte[][] all = new byte[count + 1][];
        all[0] = hello;
        for (int i = 1; i <= count; i++) {
            all[i] = each.apply(2 * i - 1);
        }
        return join(all);
    }

    private static byte[] get(int stream, String path, byte[]... more) {
        byte[] block = RawPeer.block(":method", "GET", ":scheme", "http", ":path", path, ":authority", "127.0.0.1");
        return RawPeer.frame(HEADERS, END_HEADERS | END_STREAM, stream, join(block, join(more)));
    }

    private static byte[] post() {
        return RawPeer.block(":method", "POST", ":scheme", "http", ":path", "/v1/ratelimit/check", ":authority", "a");
    }

    /** The head of a request that upgrades to HTTP/2 with windows of 0, without its end. */
    private static String upgrade(String methodAndPath) {
        return methodAndPath + " HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                + "HTTP2-Settings: AAQAAAAA\r\n";
    }

    private static byte[] outline() {
        return RawPeer.head("/weir.v1.RuleCatalog/Describe");
    }

    private static byte[] reset(int stream, byte[] code) {
        return RawPeer.frame(RST_STREAM, 0, stream, code);
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        }
        return packed.toByteArray();
    }

    private static byte[] gzip(byte[] bytes, int length) throws IOException {
        return Arrays.copyOf(gzip(bytes), length);
    }
}
