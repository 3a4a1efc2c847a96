package dev.weir.server.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.HttpCaller;
import dev.weir.server.grpc.RawPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Large requests that wait for a Redis that has stopped, under a long deadline. They leave no memory behind. */
class RedisWaitAttackTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int CONNECTIONS = 20;
    private static final int CALLS = 100;
    private static final int CHECKS = 128;
    private static final long SLACK = 24L << 20;

    @TempDir
    Path folder;

    @Test
    void requestsThatWaitForRedisLeaveNoMemoryBehind() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), "domain: d\nrules:\n" + CostlyRequests.RULES);
        byte[] calls = calls();
        try (RedisProcess redis = RedisProcess.start("save \"\"");
                AttackedServer server =
                        AttackedServer.start("256m", rules, "--store=" + redis.uri(), "--deadline=900ms")) {
            try (HostileSockets sockets = HostileSockets.to(server.grpc, 2, 2)) {
                sockets.send(calls); // what a few requests leave behind is not the attack
                await().atMost(PATIENCE).until(sockets::haveAllReceived);
            }
            AttackedServer.Memory before = server.memory();
            List<AttackedServer.Memory> during = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                redis.pause();
                try (HostileSockets sockets = HostileSockets.to(server.grpc, CONNECTIONS, 4)) {
                    sockets.send(calls);
                    during.add(server.memory());
                    await().atMost(PATIENCE).until(sockets::haveAllReceived);
                } finally {
                    redis.resume();
                }
                assertThat(server.isAlive()).as("the process: %s", server.log()).isTrue();
                await().atMost(PATIENCE)
                        .until(() -> new HttpCaller(server.http)
                                .get("/healthcheck")
                                .body()
                                .equals("OK"));
            }
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(server.memory().heap())
                            .as("heap, before %s, during %s", before, during)
                            .isLessThan(before.heap() + SLACK));
            System.out.printf("before %s, during %s, after %s%n", before, during, server.memory());
            assertThat(server.isAlive()).as("the process: %s", server.log()).isTrue();
            assertThat(server.log()).noneMatch(line -> line.contains("memory ran out"));
        }
    }

    /** As many calls of as many checks on one connection. */
    private static byte[] calls() {
        byte[][] all = new byte[CALLS + 1][];
        all[0] = RawPeer.hello();
        byte[] head = RawPeer.head(RawPeer.RLS);
        for (int i = 1; i <= CALLS; i++) {
            byte[] message = CostlyRequests.onManyCounters("/bucket", "waits" + i + "_", CHECKS, 1);
            ByteBuf prefixed =
                    Unpooled.buffer().writeByte(0).writeInt(message.length).writeBytes(message);
            all[i] = RawPeer.join(
                    RawPeer.frame(RawPeer.HEADERS, RawPeer.END_HEADERS, 2 * i - 1, head),
                    RawPeer.frame(RawPeer.DATA, RawPeer.END_STREAM, 2 * i - 1, ByteBufUtil.getBytes(prefixed)));
        }
        return RawPeer.join(all);
    }
}
