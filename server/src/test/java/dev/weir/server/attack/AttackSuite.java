package dev.weir.server.attack;

import static dev.weir.server.grpc.RawPeer.CONTINUATION;
import static dev.weir.server.grpc.RawPeer.DATA;
import static dev.weir.server.grpc.RawPeer.END_HEADERS;
import static dev.weir.server.grpc.RawPeer.HEADERS;
import static dev.weir.server.grpc.RawPeer.join;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.awaitility.Awaitility.await;

import dev.weir.server.GrpcCaller;
import dev.weir.server.grpc.RawPeer;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The attacks, one a case. */
abstract class AttackSuite extends UnderAttack {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** As many as a port accepts with the largest heap. */
    private static final int MOST_CONNECTIONS = 10_000;

    /** A call whose message is not whole. */
    private static final byte[] PARTIAL =
            Arrays.copyOf(join(RawPeer.hello(), RawPeer.open(1), RawPeer.frame(DATA, 0, 1, new byte[16_384])), 16_384);

    private static final String REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

    AttackSuite(String heap, int scale) {
        super(heap, scale);
    }

    @Test
    void unfinishedHeads() throws Exception {
        byte[] head = ("GET /" + "a".repeat(95 << 10)).getBytes(US_ASCII);
        underAttack(true, () -> sending(server.http, 3_000, head));
    }

    @Test
    void unfinishedHeadsOnTheAdminPort() throws Exception {
        byte[] head = ("GET /" + "a".repeat(95 << 10)).getBytes(US_ASCII);
        underAttack(true, () -> sending(server.admin, 3_000, head));
    }

    @Test
    void headsByteByByte() throws Exception {
        byte[] slow = "GET /healthcheck HTTP/1.1\r\nHost: a\r\nX: ".getBytes(US_ASCII);
        HostileSockets sockets = connect(server.http, 100);
        underAttack(true, () -> {
            sockets.send(slow);
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(200)).until(() -> {
                sockets.send(new byte[] {'x'});
                return sockets.closed() == sockets.size();
            });
            return List.of(sockets);
        });
    }

    @Test
    void http2HeadsByteByByte() throws Exception {
        byte[] begun = join(RawPeer.hello(), new byte[] {0, 16, 0, HEADERS, 0, 0, 0, 0, 1});
        HostileSockets sockets = connect(server.http, 100);
        underAttack(true, () -> {
            sockets.send(begun);
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(200)).until(() -> {
                sockets.send(new byte[] {'x'});
                return sockets.closed() == sockets.size();
            });
            return List.of(sockets);
        });
    }

    @Test
    void partialFramesAndHeaderBlocks() throws Exception {
        byte[] block = join(
                RawPeer.hello(),
                RawPeer.frame(HEADERS, 0, 1, new byte[0]),
                RawPeer.frame(CONTINUATION, 0, 1, literal(8_000)),
                RawPeer.frame(CONTINUATION, 0, 1, literal(6_000)));
        underAttack(true, () -> {
            List<HostileSockets> all = new ArrayList<>();
            for (int port : List.of(server.grpc, server.http)) {
                all.addAll(sending(port, 1_500, PARTIAL));
                all.addAll(sending(port, 1_000, block));
            }
            return all;
        });
    }

    @Test
    void partialFramesOfManyConnectionsOverGrpc() throws Exception {
        underAttack(true, () -> {
            HostileSockets sockets = HostileSockets.to(server.grpc, MOST_CONNECTIONS - 500, 1);
            sockets.send(PARTIAL);
            return List.of(sockets);
        });
    }

    @Test
    void largeHeaderBlocksOverHttp2() throws Exception {
        byte[][] frames = new byte[8][];
        frames[0] = RawPeer.hello();
        frames[1] = RawPeer.frame(HEADERS, 0, 1, new byte[0]);
        for (int i = 2; i < frames.length; i++) {
            frames[i] = RawPeer.frame(CONTINUATION, 0, 1, literal(16_000));
        }
        byte[] block = join(frames);
        underAttack(true, () -> sending(server.http, 2_000, block));
    }

    /** A field takes four bytes on the wire over HTTP/1, one over HTTP/2, and more than a hundred in the heap. */
    @Test
    void headsOfThousandsOfFields() throws Exception {
        byte[] http1 = ("POST /v1/ratelimit/check HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
                        + "a:\r\n".repeat(3_900) + "\r\n5\r\n")
                .getBytes(US_ASCII);
        byte[] behindAnother = ("GET /healthcheck HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n"
                        + "a:\r\n".repeat(3_900))
                .getBytes(US_ASCII);
        byte[] fields = new byte[3_300];
        Arrays.fill(fields, (byte) (0x80 | 21)); // "age" of the static table
        byte[] block = join(
                RawPeer.block(":method", "POST", ":scheme", "http", ":path", "/v1/ratelimit/check", ":authority", "a"),
                fields);
        byte[][] http2 = new byte[21][];
        http2[0] = RawPeer.hello();
        for (int i = 1; i < http2.length; i++) {
            http2[i] = RawPeer.frame(HEADERS, END_HEADERS, 2 * i - 1, block);
        }
        int part = Boolean.getBoolean("weir.attack.long") ? 1 : 4;
        underAttack(false, () -> {
            List<HostileSockets> all = new ArrayList<>(sending(server.http, 600 / part, http1));
            all.addAll(sending(server.http, 200 / part, join(http2)));
            all.addAll(sending(server.http, 1_000 / part, behindAnother));
            return all;
        });
    }

    @Test
    void bodiesThatNeverEnd() throws Exception {
        byte[] rest = join(
                "POST /v1/ratelimit/check HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n".getBytes(US_ASCII),
                new byte[600_000]);
        byte[] message = join(new byte[] {0, 0, 16, 0, 0}, new byte[60_000]);
        byte[] grpc = join(
                RawPeer.hello(),
                RawPeer.open(1),
                RawPeer.frame(DATA, 0, 1, Arrays.copyOf(message, 16_384)),
                RawPeer.frame(DATA, 0, 1, new byte[16_384]),
                RawPeer.frame(DATA, 0, 1, new byte[16_384]));
        underAttack(true, () -> {
            List<HostileSockets> all = new ArrayList<>(sending(server.http, 300, rest));
            all.addAll(sending(server.grpc, 2_000, grpc));
            return all;
        });
    }

    @Test
    void metricsThatNobodyReads() throws Exception {
        byte[] get = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII);
        underAttack(true, () -> sending(server.http, 800, get));
    }

    @Test
    void metricsThatNobodyReadsOverHttp2() throws Exception {
        byte[] hello = RawPeer.hello(4, 0);
        byte[][] all = new byte[41][];
        all[0] = hello;
        for (int i = 1; i < all.length; i++) {
            all[i] = RawPeer.frame(
                    HEADERS,
                    END_HEADERS | RawPeer.END_STREAM,
                    2 * i - 1,
                    RawPeer.block(":method", "GET", ":scheme", "http", ":path", "/metrics", ":authority", "a"));
        }
        byte[] gets = join(all);
        underAttack(true, () -> sending(server.http, 100, gets));
    }

    @Test
    void answersThatNobodyTakes() throws Exception {
        byte[] symbol = "envoy.service.ratelimit.v3.RateLimitService".getBytes(US_ASCII);
        byte[] ask = join(new byte[] {0x22, (byte) symbol.length}, symbol);
        byte[] message = join(new byte[] {0, 0, 0, 0, (byte) ask.length}, ask);
        byte[][] parts = new byte[402][];
        parts[0] = RawPeer.hello(4, 0);
        parts[1] = RawPeer.frame(HEADERS, END_HEADERS, 1, RawPeer.head(REFLECTION));
        for (int i = 2; i < parts.length; i++) {
            parts[i] = RawPeer.frame(DATA, 0, 1, message);
        }
        byte[] asks = join(parts);
        underAttack(true, () -> sending(server.grpc, 400, asks));
    }

    @Test
    void pipeliningWithoutReading() throws Exception {
        byte[] one = "GET /rlconfig HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(US_ASCII);
        byte[] two = "GET /v1/ratelimit/status/u?endpoint=/r/1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(US_ASCII);
        underAttack(false, () -> {
            List<HostileSockets> all = new ArrayList<>(sending(server.admin, 50, repeated(one, 200)));
            all.addAll(sending(server.http, 50, repeated(two, 500)));
            return all;
        });
    }

    @Test
    void manyConnectionsFromOneAddress() throws Exception {
        underAttack(true, () -> List.of(HostileSockets.to(server.http, MOST_CONNECTIONS + 50, 1)));
    }

    @Test
    void manyConnectionsFromOneAddressOverGrpc() throws Exception {
        underAttack(true, () -> {
            HostileSockets sockets = HostileSockets.to(server.grpc, MOST_CONNECTIONS + 50, 1);
            try (GrpcCaller another = grpc()) {
                another.call(CostlyRequests.onManyCounters("/bucket", "another", 1, 1));
            } catch (StatusRuntimeException e) {
                sockets.close();
                throw e;
            }
            return List.of(sockets);
        });
    }

    /** For each, the server has to find out whose process it is, in a table of all sockets of this machine. */
    @Test
    void localProcessesThatConnectToTheAdminPortAgainAndAgain() throws Exception {
        byte[] get = "GET /version HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(US_ASCII);
        underAttack(false, () -> {
            HostileSockets crowd = connect(server.http, 2_000);
            for (int i = 0; i < 20; i++) {
                sending(server.admin, 200, get).forEach(HostileSockets::close);
            }
            return List.of(crowd);
        });
    }

    @Test
    void manyChecksOnOneLogThatTakeAndGiveBackInTurn() throws Exception {
        underAttack(false, () -> {
            try (CostlyRequests costly = CostlyRequests.to(server.grpc)) {
                costly.send(8, CostlyRequests.inTurn(1_000, 5_000));
            }
            return List.of();
        });
    }

    /** A literal header of HPACK that has {@code bytes} bytes and never ends. */
    private static byte[] literal(int bytes) {
        byte[] field = RawPeer.block("x", "a".repeat(100));
        byte[] all = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            all[i] = field[i % field.length];
        }
        return all;
    }
}
