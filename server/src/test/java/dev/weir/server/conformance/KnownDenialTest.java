package dev.weir.server.conformance;

import static dev.weir.server.conformance.RlsRequest.ask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import dev.weir.server.conformance.RlsReply.Answer;
import dev.weir.server.conformance.RlsReply.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * In Envoy's format, a denial that a server knows without asking Redis is the answer of its own descriptor alone: the
 * others are charged and reported, however often the request is denied in a row.
 */
class KnownDenialTest {
    private static final int REQUESTS = 20;
    private static final RlsRequest BOTH = ask("generic_key", "all").and("user", "alice");

    private static RedisProcess redis;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void empty() {
        redis.cli("FLUSHALL");
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void everyStatusIsThatOfTheReference(String store) throws Exception {
        try (RunningServer server = server(store, "exact");
                RateLimitServiceUnderTest service = new OverGrpc(server)) {
            for (int i = 1; i <= REQUESTS; i++) {
                Answer answer = (Answer) service.ask("front", BOTH);
                assertThat(answer.code()).isEqualTo(i <= 8 ? ProtocolCode.OK : ProtocolCode.OVER_LIMIT);
                Status ceiling = answer.statuses().get(0);
                assertThat(ceiling.code()).isEqualTo(ProtocolCode.OK);
                assertThat(Objects.requireNonNull(ceiling.limit()).requestsPerUnit())
                        .isEqualTo(500);
                assertThat(ceiling.remaining()).as("request %d", i).isEqualTo(500 - i);
                assertThat(answer.statuses().get(1).remaining()).isEqualTo(Math.max(0, 8 - i));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"exact", "leased", "reported"})
    void theOthersAreChargedUnderEveryConsistency(String consistency) throws Exception {
        try (RunningServer server = server("redis", consistency);
                RateLimitServiceUnderTest service = new OverGrpc(server)) {
            for (int i = 1; i <= REQUESTS; i++) {
                Answer answer = (Answer) service.ask("front", BOTH);
                assertThat(answer.statuses())
                        .allSatisfy(each -> assertThat(each.limit()).isNotNull());
            }
        }
        // The server has given back its leases, and has reported what it admitted.
        try (RunningServer later = server("redis", "exact");
                RateLimitServiceUnderTest service = new OverGrpc(later)) {
            Answer look =
                    (Answer) service.ask("front", ask("generic_key", "all").ownHits(0));
            assertThat(look.statuses().get(0).remaining()).isEqualTo(500 - REQUESTS);
        }
    }

    @Test
    void anUnlimitedDescriptorIsReportedBesideADenial() throws Exception {
        try (RunningServer server = server("redis", "exact");
                RateLimitServiceUnderTest service = new OverGrpc(server)) {
            RlsRequest unlimited = ask("plan", "gold").and("user", "bob");
            for (int i = 1; i <= REQUESTS; i++) {
                Answer answer = (Answer) service.ask("front", unlimited);
                assertThat(answer.statuses().get(0).remaining()).isEqualTo(0xFFFF_FFFFL);
            }
        }
    }

    private RunningServer server(String store, String consistency) throws Exception {
        Path rules = Files.writeString(folder.resolve("front.yaml"), """
                domain: front
                descriptors:
                  - { key: generic_key, value: all, rate_limit: { unit: year, requests_per_unit: 500, consistency: CONSISTENCY } }
                  - { key: user, rate_limit: { unit: year, requests_per_unit: 8, consistency: CONSISTENCY } }
                  - { key: plan, value: gold, rate_limit: { unlimited: true } }
                """.replace("CONSISTENCY", consistency));
        return RunningServer.with(rules, "store", store.equals("redis") ? redis.uri() : store, "deadline", "5s");
    }
}
