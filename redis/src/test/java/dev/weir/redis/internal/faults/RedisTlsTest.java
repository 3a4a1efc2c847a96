package dev.weir.redis.internal.faults;

import static dev.weir.redis.internal.store.StoreFixture.DEADLINE;
import static dev.weir.redis.internal.store.StoreFixture.PLENTY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.TlsSettings;
import dev.weir.redis.internal.routing.HashSlotTable;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.AnswerTally;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.SteadyLoad;
import dev.weir.redis.internal.store.StoreFixture;
import dev.weir.redis.testkit.PemFiles;
import dev.weir.redis.testkit.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisTlsTest {
    private static final Duration BACK = Duration.ofSeconds(8);

    @TempDir
    private static Path folder;

    private static PemFiles its;
    private static PemFiles other;

    @BeforeAll
    static void makeCertificates() throws Exception {
        its = PemFiles.in(folder, "redis");
        other = PemFiles.in(folder, "other");
    }

    private static RedisSettings settings(RedisProcess redis, @Nullable PemFiles trusted, @Nullable PemFiles shown) {
        return StoreFixture.settings("rediss://127.0.0.1:" + redis.tlsPort())
                .withTls(new TlsSettings(
                        trusted == null ? null : trusted.certificate(),
                        shown == null ? null : shown.certificate(),
                        shown == null ? null : shown.key(),
                        true));
    }

    private static void assertServed(RedisSettings settings) {
        try (RedisSharedStore store = StoreFixture.open(settings)) {
            StoreFixture.awaitServed(store, "a");
            assertThat(StoreFixture.ask(store, "a", PLENTY, 1).outcome.allowed).isTrue();
        }
    }

    /** And says why, which is for people to read. */
    private static void assertFails(RedisSettings settings, String reason) {
        try (RedisSharedStore store = StoreFixture.open(settings)) {
            await().untilAsserted(() -> assertThat(store.health())
                    .singleElement()
                    .satisfies(node -> assertThat(node.reason()).containsIgnoringCase(reason)));
            assertThat(StoreFixture.ask(store, "a", PLENTY, 1).failure).isNotNull();
        }
    }

    @Test
    void aCertificateIsTrustedOrNot() {
        try (RedisProcess redis = RedisProcess.startWithTls(its, false)) {
            assertServed(settings(redis, its, null));
            assertFails(settings(redis, other, null), "certificat");
            assertFails(settings(redis, null, null), "certificat");
        }
    }

    /** The certificate authority is replaced: the trust file is read at every connect. */
    @Test
    void aCertificateThatIsReplacedIsTrustedOnceWeAreToldTo() throws IOException {
        Path trust = Files.copy(its.certificate(), folder.resolve("trust.pem"), StandardCopyOption.REPLACE_EXISTING);
        try (RedisProcess redis = RedisProcess.startWithTls(its, false);
                RedisSharedStore store =
                        StoreFixture.open(StoreFixture.settings("rediss://127.0.0.1:" + redis.tlsPort())
                                .withTls(new TlsSettings(trust, null, null, true)))) {
            StoreFixture.awaitServed(store, "a");
            try (SteadyLoad load = SteadyLoad.on(store, PLENTY, DEADLINE, "a")) {
                load.awaitServing(BACK);
                redis.cli(("CONFIG SET tls-cert-file " + other.certificate() + " tls-key-file " + other.key())
                        .split(" ", -1));
                redis.cli("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
                await().until(() -> store.health().get(0).reason().contains("certif"));
                load.next();
                load.awaitFailures(100);
                AnswerTally without = load.next();
                assertThat(without.admitted()).as("%s", without).isZero();
                Files.copy(other.certificate(), trust, StandardCopyOption.REPLACE_EXISTING);
                load.awaitServing(BACK);
                NetworkFaultsTest.assertCountedOnce(store, load.end(), "a");
            }
        }
    }

    @Test
    void aFileThatIsMissingIsNamedAndReadOnceItIsThere() throws IOException {
        Path late = folder.resolve("late.pem");
        try (RedisProcess redis = RedisProcess.startWithTls(its, false, "cluster-enabled yes", "tls-cluster yes")) {
            redis.cli("CLUSTER", "ADDSLOTSRANGE", "0", Integer.toString(HashSlotTable.SLOTS - 1));
            RedisSettings settings = StoreFixture.settings("rediss-cluster://127.0.0.1:" + redis.tlsPort())
                    .withTls(new TlsSettings(late, null, null, true));
            try (RedisSharedStore store = StoreFixture.open(settings)) {
                await().untilAsserted(() -> assertThat(store.health())
                        .singleElement()
                        .satisfies(node -> assertThat(node.reason())
                                .isEqualTo(late + " (expected: a PEM file): there is no such file")));
                Files.copy(its.certificate(), late);
                StoreFixture.awaitServed(store, "a");
            }
        }
    }

    @Test
    void aKeyThatCannotBeUsedIsNamed() throws IOException {
        Path key = Files.writeString(folder.resolve("no.key"), "no key");
        try (RedisProcess redis = RedisProcess.startWithTls(its, false)) {
            RedisSettings settings = settings(redis, its, null);
            assertFails(
                    settings.withTls(new TlsSettings(its.certificate(), its.certificate(), key, true)),
                    "no.key (expected: a private key in PEM");
        }
    }

    @Test
    void aCertificateIsShownWhereRedisAsksForOne() {
        try (RedisProcess redis = RedisProcess.startWithTls(its, true)) {
            assertServed(settings(redis, its, its));
            assertFails(settings(redis, its, null), "");
            assertFails(settings(redis, its, other), "");
        }
    }

    @Test
    void theCertificateMustBeForTheHostUnlessToldOtherwise() {
        try (RedisProcess redis = RedisProcess.startWithTls(its, false, "bind 127.0.0.1 127.0.0.2")) {
            // Its certificate is for 127.0.0.1 and localhost.
            RedisSettings elsewhere = StoreFixture.settings("rediss://127.0.0.2:" + redis.tlsPort());
            assertFails(elsewhere.withTls(new TlsSettings(its.certificate(), null, null, true)), "127.0.0.2");
            assertServed(elsewhere.withTls(new TlsSettings(its.certificate(), null, null, false)));
        }
    }
}
