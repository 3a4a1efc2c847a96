package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Cause;
import dev.weir.Decision;
import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.Verdict;
import dev.weir.Weir;
import dev.weir.WeirObserver;
import dev.weir.redis.testkit.FaultProxy;
import dev.weir.redis.testkit.ProcessSignal;
import dev.weir.remote.RemoteWeir;
import dev.weir.rules.Rules;
import dev.weir.server.RunningServer;
import dev.weir.testkit.ServedProcess;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that is stopped, killed or slow: no decision waits for it, and {@code on_fail} decides and says so. */
class RemoteWeirOutageTest {
    private static final Duration DEADLINE = Duration.ofMillis(100);

    private static final String RULES = """
            domain: api
            rules:
              - name: per user
                key_by: user_id
                limit: { requests: 3, window: 1h, algorithm: fixed_window }
            """;

    @TempDir
    Path folder;

    @Test
    void aServerThatIsStoppedIsNotWaitedForAndIsAskedAgainWhenItIsBack() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        Set<StoreFailure> failures = ConcurrentHashMap.newKeySet();
        WeirObserver observer = new WeirObserver() {
            @Override
            public void storeFailed(StoreFailure failure) {
                failures.add(failure);
            }
        };
        try (ServedProcess server = ServedProcess.in(folder, "--rules=" + rules);
                Weir allows = at(server.grpcPort()).observer(observer).open();
                Weir denies = at(server.grpcPort()).onFail(OnFail.DENY).open();
                Weir local =
                        at(server.grpcPort()).fallbackRules(Rules.file(rules)).open()) {
            await().until(() -> !allows.decide(by("a")).degraded());
            await().until(() -> !denies.decide(by("a")).degraded());
            await().until(() -> !local.decide(by("a")).degraded());

            ProcessSignal.pause(server.process().pid());
            for (int i = 0; i < 20; i++) { // the server answers none of them: each ends at its deadline
                Decision decision = allows.decide(by("b"));
                assertThat(decision.allowed()).isTrue();
                assertThat(decision.degraded()).isTrue();
            }
            assertThat(failures).contains(StoreFailure.TIMEOUT, StoreFailure.OPEN);
            assertThat(allows.serves()).isFalse();
            Decision denied = denies.decide(by("b"));
            assertThat(denied.cause()).isEqualTo(Cause.STORE_DOWN);
            assertThat(denied.status()).isEqualTo(503);
            assertThat(denied.degraded()).isTrue();
            for (int i = 0; i < 5; i++) {
                Decision decision = local.decide(by("b"));
                assertThat(decision.allowed()).isEqualTo(i < 3);
                assertThat(decision.degraded()).isTrue();
                assertThat(decision.ruleName()).isEqualTo("per user");
            }

            ProcessSignal.resume(server.process().pid());
            await().until(() -> !allows.decide(by("c")).degraded());
            await().until(() -> !denies.decide(by("d")).degraded());
            assertThat(allows.serves()).isTrue();

            server.process().destroyForcibly().onExit().join();
            await().until(() -> allows.decide(by("e")).degraded());
            assertThat(denies.decide(by("e")).cause()).isEqualTo(Cause.STORE_DOWN);

            String port = String.valueOf(server.grpcPort());
            try (RunningServer again = RunningServer.with(rules, "grpc_port", port)) {
                await().until(() -> !allows.decide(by("f")).degraded());
                assertThat(again.server.grpc().port()).isEqualTo(server.grpcPort());
            }
        }
    }

    @Test
    void aSlowServerIsNotWaitedForAndItsLateAnswersKeepNoPermit() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), """
                domain: api
                rules:
                  - name: in flight
                    key_by: user_id
                    limit: { requests: 2, algorithm: concurrency, permit_ttl: 10m }
                """);
        try (ServedProcess server = ServedProcess.in(folder, "--rules=" + rules);
                FaultProxy proxy = FaultProxy.before(server.grpcPort());
                Weir direct = at(server.grpcPort()).open();
                Weir weir = at(proxy.port()).open()) {
            await().until(() -> !weir.decide(by("a")).degraded());
            await().until(() -> !direct.decide(by("a")).degraded());
            List<String> users = new ArrayList<>();
            // Once is enough: on a machine that stalls, an answer may be so late that its call is cancelled before.
            await().until(() -> {
                String user = "late " + users.size();
                users.add(user);
                askWhileSilent(proxy, weir, user);
                await().until(() -> !weir.decide(by("a")).degraded());
                return users.stream().anyMatch(each -> free(direct, each) == 2);
            });
        }
    }

    /** Asks so often that the breaker opens. No answer passes the proxy before all of them have been decided here. */
    private static void askWhileSilent(FaultProxy proxy, Weir weir, String user) {
        proxy.blackHole();
        List<CompletableFuture<Decision>> together = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            together.add(weir.decideAsync(by(user)).toCompletableFuture());
        }
        assertThat(weir.decide(by(user)).degraded()).isTrue();
        assertThat(together)
                .allSatisfy(each -> assertThat(each.join().degraded()).isTrue());
        proxy.flow(); // the server decides them now, and gives out two permits
    }

    private static long free(Weir weir, String user) {
        Verdict verdict = weir.decide(by(user).takeNothing()).binding();
        return verdict == null || verdict.degraded() ? -1 : verdict.remaining();
    }

    @Test
    void anAddressThatNeverAnswersIsNotWaitedFor() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Weir weir =
                        at(silent.getLocalPort()).warmUp(Duration.ofMillis(50)).open()) {
            for (int i = 0; i < 10; i++) {
                assertThat(weir.decide(by("a")).degraded()).isTrue();
            }
            assertThat(weir.decideAsync(by("a")).toCompletableFuture().join().degraded())
                    .isTrue();
            assertThat(weir.serves()).isFalse();
        }
    }

    @Test
    void ofSeveralServersTheOneThatAnswersIsAsked() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ServedProcess server = ServedProcess.in(folder, "--rules=" + rules);
                Weir weir = RemoteWeir.at(
                                "grpc://127.0.0.1:" + silent.getLocalPort() + ",127.0.0.1:" + server.grpcPort())
                        .deadline(DEADLINE)
                        .open()) {
            await().until(() -> {
                for (int i = 0; i < 10; i++) {
                    if (weir.decide(by("a")).degraded()) {
                        return false;
                    }
                }
                return true;
            });
        }
    }

    private static RemoteWeir at(int port) {
        return RemoteWeir.at("grpc://127.0.0.1:" + port).deadline(DEADLINE);
    }

    private static Request by(String user) {
        return Request.to("api").with("user_id", user);
    }
}
