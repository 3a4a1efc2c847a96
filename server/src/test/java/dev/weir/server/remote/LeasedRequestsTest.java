package dev.weir.server.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.Weir;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.remote.RemoteWeir;
import dev.weir.server.RunningServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Clients spend hits of {@code leased} rules that they took from a real server before. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LeasedRequestsTest {
    private static final Duration PATIENT = Duration.ofSeconds(20);
    private static final int SHARED = 20_000;

    private static final String RULES = """
            domain: api
            rules:
              - name: ahead
                match: { user_id: "*" }
                key_by: user_id
                consistency: leased
                limit: { requests: 100000, window: 1d, algorithm: fixed_window }
              - name: shared
                match: { plan: shared }
                consistency: leased
                limit: { requests: %d, window: 1d, algorithm: sliding_window }
              - name: exact
                match: { endpoint: "POST /orders" }
                key_by: user_id
                limit: { requests: 100000, window: 1d, algorithm: fixed_window }
              - name: in flight
                match: { endpoint: "/exports" }
                limit: { requests: 100, algorithm: concurrency }
            """.formatted(SHARED);

    @TempDir
    static Path folder;

    private RunningServer server;

    @BeforeAll
    void start() throws Exception {
        server = RunningServer.with(Files.writeString(folder.resolve("api.yaml"), RULES));
    }

    @AfterAll
    void stop() {
        server.close();
    }

    private Weir open() {
        return RemoteWeir.at("grpc://127.0.0.1:" + server.grpcPort())
                .deadline(PATIENT)
                .open();
    }

    @Test
    void mostRequestsAreDecidedWithoutACallAndUnspentHitsGoBack() {
        Request request = Request.to("api").with("user_id", "ahead");
        int decided = 0;
        try (Weir client = open()) {
            int ahead = 0;
            while (ahead < 5_000) {
                Decision decision = client.decide(request);
                assertThat(decision.allowed()).isTrue();
                assertThat(decision.degraded()).isFalse();
                MutableVerdict verdict = (MutableVerdict) Objects.requireNonNull(decision.binding());
                assertThat(verdict.ruleName()).isEqualTo("ahead");
                assertThat(verdict.hits()).isEqualTo(1);
                assertThat(verdict.remaining()).isBetween(0L, 100_000L - 1);
                ahead += verdict.leased() ? 1 : 0;
                decided++;
            }
            long all = decided;
            await().atMost(PATIENT).until(() -> used(client, "ahead") == all);
        }
    }

    @Test
    void aClientThatClosesGivesItsHitsBack() {
        Request request = Request.to("api").with("user_id", "closes");
        long decided = 0;
        try (Weir client = open()) {
            boolean ahead = false;
            while (!ahead) {
                MutableVerdict verdict = (MutableVerdict)
                        Objects.requireNonNull(client.decide(request).binding());
                ahead = verdict.leased();
                decided++;
            }
        }
        long all = decided;
        try (Weir other = open()) {
            await().atMost(PATIENT).until(() -> used(other, "closes") == all);
        }
    }

    private static long used(Weir client, String user) {
        Request probe = Request.to("api").with("user_id", user).takeNothing();
        return 100_000 - Objects.requireNonNull(client.decide(probe).binding()).remaining();
    }

    @Test
    void twoClientsSpendTheWholeLimitAndNoMore() throws Exception {
        Request request = Request.to("api").with("plan", "shared");
        AtomicLong admitted = new AtomicLong();
        AtomicLong ahead = new AtomicLong();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (Weir one = open();
                Weir two = open()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Weir client = i % 2 == 0 ? one : two;
                all.add(threads.submit(() -> {
                    // A client may be denied while the other holds hits, which come back when they expire.
                    while (admitted.get() < SHARED) {
                        Decision decision = client.decide(request);
                        if (decision.allowed()) {
                            admitted.incrementAndGet();
                            ahead.addAndGet(
                                    ((MutableVerdict) Objects.requireNonNull(decision.binding())).leased() ? 1 : 0);
                        }
                    }
                    for (int more = 0; more < 100; more++) {
                        assertThat(client.decide(request).allowed()).isFalse();
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(admitted.get()).isEqualTo(SHARED);
        assertThat(ahead.get()).isGreaterThan(SHARED / 2);
    }

    @Test
    void aRequestThatMeetsAnyOtherRuleIsAskedEachTime() {
        try (Weir client = open()) {
            Request exact = Request.to("api").with("user_id", "exact").with("endpoint", "POST /orders");
            Request permit = Request.to("api").with("user_id", "permit").with("endpoint", "GET /exports");
            Request costly = Request.to("api").with("user_id", "costly").hits(2);
            for (Request each : List.of(exact, permit, costly)) {
                for (int i = 0; i < 300; i++) {
                    Decision decision = client.decide(each);
                    assertThat(decision.allowed()).isTrue();
                    assertThat(decision.verdicts()).noneMatch(verdict -> ((MutableVerdict) verdict).leased());
                    decision.permit().close();
                }
            }
            assertThat(used(client, "exact")).isEqualTo(300);
            assertThat(used(client, "costly")).isEqualTo(600);
        }
    }
}
