package dev.weir.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.control.decisions.DecisionSinkSettings;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.pattern.TrustedProxies;
import dev.weir.internal.tier.LocalTier;
import dev.weir.server.rls.RlsSettings;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsReaderTest {
    @TempDir
    Path folder;

    @Test
    void theDrainDelayIsAPartOfTheDrainTimeout() throws Exception {
        assertThatThrownBy(() -> read(Map.of("drain_delay", "10s"), Map.of()))
                .hasMessageContaining("--drain-delay: 10s (expected: at most drain_timeout, 8s, which includes it)");
        Settings.Drain drain = read(Map.of("drain_delay", "1s", "drain_timeout", "2s"), Map.of())
                .drain();
        assertThat(drain.calls()).isEqualTo(Duration.ofMillis(500));
        assertThat(drain.delay().plus(drain.calls()).plus(drain.closing())).isEqualTo(drain.timeout());
    }

    @Test
    void withoutAnySourceTheDefaultsHold() throws Exception {
        Settings settings = read(Map.of(), Map.of());
        assertThat(settings.http()).isEqualTo(new ListenAddress("0.0.0.0", 8080));
        assertThat(settings.grpc()).isEqualTo(new ListenAddress("0.0.0.0", 8081));
        assertThat(settings.admin()).isEqualTo(new ListenAddress("127.0.0.1", 6070));
        assertThat(settings.rules()).isEmpty();
        assertThat(settings.isExample()).isTrue();
        assertThat(settings.limiter().chargeDenied()).isTrue();
        assertThat(settings.limiter().shadow()).isFalse();
        assertThat(settings.logging().level()).isEqualTo(Level.INFO);
        assertThat(settings.warnings()).isEmpty();
    }

    @ParameterizedTest(name = "file {0}, PORT {1}, WEIR_HTTP_PORT {2}, flag {3} -> {4}")
    @CsvSource(
            nullValues = "-",
            value = {
                "1, -, -, -, 1",
                "1, 2, -, -, 2",
                "1, 2, 3, -, 3",
                "1, 2, 3, 4, 4",
                "-, 2, -, 4, 4",
                "1, -, 3, -, 3",
                "-, 2, 3, -, 3",
                "1, '', '', -, 1"
            })
    void theLaterSourceWins(String file, String reference, String own, String flag, int port) throws Exception {
        if (file != null) {
            weirYaml("http_port: " + file);
        }
        var environment = new HashMap<String, String>();
        if (reference != null) {
            environment.put("PORT", reference);
        }
        if (own != null) {
            environment.put("WEIR_HTTP_PORT", own);
        }
        Map<String, String> flags = flag == null ? Map.of() : Map.of("http_port", flag);
        assertThat(read(flags, environment).http().port()).isEqualTo(port);
    }

    @Test
    void oneHostIsForBothUnlessTheyAreNamedApart() throws Exception {
        Settings both = read(Map.of("host", "10.1.2.3"), Map.of());
        assertThat(both.http().host()).isEqualTo("10.1.2.3");
        assertThat(both.grpc().host()).isEqualTo("10.1.2.3");
        Settings apart = read(Map.of("host", "10.1.2.3"), Map.of("GRPC_HOST", "[::1]"));
        assertThat(apart.http()).hasToString("10.1.2.3:8080");
        assertThat(apart.grpc()).hasToString("[::1]:8081");
    }

    @Test
    void theReferencesHostIsThatOfHttpAlone() throws Exception {
        Settings settings = read(Map.of(), Map.of("HOST", "127.0.0.1"));
        assertThat(settings.http().host()).isEqualTo("127.0.0.1");
        assertThat(settings.grpc().host()).isEqualTo("0.0.0.0");
    }

    @Test
    void theReferencesSwitchesAreUnderstood() throws Exception {
        Settings settings = read(
                Map.of(),
                Map.of(
                        "SHADOW_MODE", "TRUE",
                        "QUOTA_MODE", "1",
                        "STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT", "true",
                        "MERGE_DOMAIN_CONFIG", "t",
                        "LIMIT_RESPONSE_HEADERS_ENABLED", "true",
                        "LIMIT_LIMIT_HEADER", "X-Limit",
                        "RESPONSE_DYNAMIC_METADATA", "true",
                        "LOG_LEVEL", "WARN",
                        "DEBUG_PORT", "7070",
                        "GRPC_PORT", "9081"));
        assertThat(settings.limiter().shadow()).isTrue();
        assertThat(settings.limiter().quota()).isTrue();
        assertThat(settings.limiter().chargeDenied()).isFalse();
        assertThat(settings.mergeDomains()).isTrue();
        assertThat(settings.rls().responseHeaders())
                .isEqualTo(new RlsSettings.Headers("X-Limit", "RateLimit-Remaining", "RateLimit-Reset"));
        assertThat(settings.rls().requestHeaders()).isNull();
        assertThat(settings.rls().dynamicMetadata()).isTrue();
        assertThat(settings.rls().quotaMode()).isTrue();
        assertThat(settings.logging().level()).isEqualTo(Level.WARNING);
        assertThat(settings.admin().port()).isEqualTo(7070);
        assertThat(settings.grpc().port()).isEqualTo(9081);
        assertThat(settings.warnings()).isEmpty();
    }

    @Test
    void theReferencesRuntimeFolderIsWhereTheRulesAre() throws Exception {
        Map<String, String> environment = Map.of("RUNTIME_ROOT", "/data", "RUNTIME_SUBDIRECTORY", "ratelimit");
        assertThat(read(Map.of(), environment).rules()).containsExactly(Path.of("/data/ratelimit/config"));
        assertThat(read(Map.of(), Map.of("RUNTIME_ROOT", "/data", "RUNTIME_APPDIRECTORY", "limits"))
                        .rules())
                .containsExactly(Path.of("/data/limits"));
        assertThat(read(Map.of("rules", "mine.yaml"), environment).rules()).containsExactly(Path.of("mine.yaml"));
    }

    @Test
    void whatHasNoMeaningHereIsNamedInOneWarning() throws Exception {
        Settings settings =
                read(Map.of(), Map.of("USE_STATSD", "false", "REDIS_AUTH", "x", "CONFIG_TYPE", "FILE", "PATH", "/bin"));
        assertThat(settings.warnings())
                .containsExactly("ignored variables of envoyproxy/ratelimit: REDIS_AUTH, USE_STATSD");
    }

    @Test
    void tlsOfGrpcTakesACertificateAndItsKey() throws Exception {
        assertThat(read(Map.of(), Map.of()).tls().grpc()).isNull();
        weirYaml("grpc_tls_cert: tls/server.crt\ngrpc_tls_key: /secrets/server.key\n");
        assertThat(read(Map.of(), Map.of()).tls().grpc())
                .isEqualTo(new Settings.Tls(
                        folder.resolve("tls/server.crt"), Path.of("/secrets/server.key"), null, List.of()));
        assertThat(read(Map.of(), Map.of("WEIR_GRPC_TLS_CLIENT_CA", "ca.crt"))
                        .tls()
                        .grpc())
                .extracting(Settings.Tls::clientAuthorities)
                .isEqualTo(Path.of("ca.crt"));
    }

    @Test
    void whatIsSetOfTlsForAllPortsHoldsForThoseThatSayNothingElse() throws Exception {
        weirYaml("""
                tls_cert: /c
                tls_key: /k
                http_tls_cert: /h
                http_tls_key: /hk
                admin_tls_client_ca: /a
                admin_tls_client_names: ops
                """);
        Settings.TlsPorts ports = read(Map.of(), Map.of()).tls();
        assertThat(ports.grpc()).isEqualTo(new Settings.Tls(Path.of("/c"), Path.of("/k"), null, List.of()));
        assertThat(ports.http()).isEqualTo(new Settings.Tls(Path.of("/h"), Path.of("/hk"), null, List.of()));
        assertThat(ports.admin())
                .isEqualTo(new Settings.Tls(Path.of("/c"), Path.of("/k"), Path.of("/a"), List.of("ops")));
    }

    @Test
    void aNameOfCallersWithoutWhoSignsThemIsAnError() {
        assertThatThrownBy(
                        () -> read(Map.of("tls_cert", "c", "tls_key", "k", "grpc_tls_client_names", "envoy"), Map.of()))
                .hasMessageContaining("--grpc-tls-client-names: without grpc_tls_client_ca (expected: both)");
        assertThatThrownBy(() -> read(Map.of("tls_client_ca", "a"), Map.of()))
                .hasMessageContaining("--tls-client-ca: without tls_cert (expected: both)");
    }

    @Test
    void aFleetSecretIsLongAndNeverShownAndTwoAreForReplacingIt() throws Exception {
        String one = "0123456789abcdef0123456789abcdef";
        String two = "fedcba9876543210fedcba9876543210";
        Settings settings = read(Map.of(), Map.of("WEIR_FLEET_SECRET", one + ", " + two));
        assertThat(settings.trust().fleetSecret()).isNotNull();
        assertThat(settings.toString()).doesNotContain(one, two);
        assertThat(read(Map.of("fleet_secret", one), Map.of()).trust().fleetSecret())
                .as("no flag")
                .isNull();
        for (String each :
                List.of("hunter2", one + ",hunter2", one + ",", one + "," + one, one + "," + two + "," + one)) {
            assertThatThrownBy(() -> read(Map.of(), Map.of("WEIR_FLEET_SECRET", each)))
                    .as(each)
                    .hasMessageContaining("WEIR_FLEET_SECRET: ")
                    .hasMessageContaining("expected: ")
                    .hasMessageNotContaining("hunter2")
                    .hasMessageNotContaining(one);
        }
    }

    @Test
    void trustedProxiesAreAddressesAndBlocks() throws Exception {
        assertThat(read(Map.of(), Map.of()).trust().proxies().blocks()).isEmpty();
        Settings settings =
                read(Map.of("trusted_proxies", "10.0.0.0/8, ::1", "forwarded_header", "Forwarded"), Map.of());
        assertThat(settings.trust().proxies().blocks()).containsExactly("10.0.0.0/8", "::1");
        assertThat(settings.trust().proxies().header()).isEqualTo(TrustedProxies.Header.FORWARDED);
        assertThatThrownBy(() -> read(Map.of("trusted_proxies", "10.0.0.0/8,proxy.local"), Map.of()))
                .hasMessageContaining("--trusted-proxies: \"10.0.0.0/8,proxy.local\" (expected: addresses or blocks");
    }

    @Test
    void theTokenOfTheSettingsIsNeitherShortNorShown() throws Exception {
        assertThat(read(Map.of(), Map.of()).adminToken()).isNull();
        String token = "0123456789abcdef0123456789abcdef";
        Settings settings = read(Map.of(), Map.of("WEIR_ADMIN_TOKEN", token));
        assertThat(settings.adminToken())
                .extracting(Settings.AdminToken::secret)
                .isEqualTo(token);
        assertThat(settings.toString()).doesNotContain(token);
        assertThat(read(Map.of("admin_token_file", "/t"), Map.of()).adminToken())
                .isEqualTo(new Settings.AdminToken(null, Path.of("/t")));
        assertThatThrownBy(() -> read(Map.of(), Map.of("WEIR_ADMIN_TOKEN", "hunter2")))
                .hasMessageContaining("WEIR_ADMIN_TOKEN: 7 characters (expected: at least 32;")
                .hasMessageNotContaining("hunter2");
        assertThatThrownBy(() -> read(Map.of("admin_token_file", "/t"), Map.of("WEIR_ADMIN_TOKEN", token)))
                .hasMessageContaining("WEIR_ADMIN_TOKEN: conflicts with admin_token_file (expected: one of them)")
                .hasMessageNotContaining(token);
        assertThat(read(Map.of("admin_token", token), Map.of()).adminToken()).isNull();
        assertThat(read(Map.of(), Map.of("WEIR_TOKEN", token)).warnings()).isEmpty();
    }

    @Test
    void halfOfTlsIsAnErrorAndNotClearText() {
        assertThatThrownBy(() -> read(Map.of("grpc_tls_cert", "a"), Map.of()))
                .hasMessageContaining("--grpc-tls-cert: without grpc_tls_key (expected: both)");
        assertThatThrownBy(() -> read(Map.of(), Map.of("WEIR_GRPC_TLS_KEY", "a")))
                .hasMessageContaining("WEIR_GRPC_TLS_KEY: without grpc_tls_cert (expected: both)");
        assertThatThrownBy(() -> read(Map.of("grpc_tls_client_ca", "a"), Map.of()))
                .hasMessageContaining("--grpc-tls-client-ca: without grpc_tls_cert (expected: both)");
    }

    @Test
    void theReferencesTlsIsUnderstoodWhereItIsSwitchedOn() throws Exception {
        Map<String, String> files =
                Map.of("GRPC_SERVER_TLS_CERT", "/c", "GRPC_SERVER_TLS_KEY", "/k", "GRPC_CLIENT_TLS_CACERT", "/a");
        Map<String, String> on = new HashMap<>(files);
        on.put("GRPC_CLIENT_TLS_SAN", "envoy, spiffe://edge");
        on.put("GRPC_SERVER_USE_TLS", "true");
        Settings settings = read(Map.of(), on);
        assertThat(settings.tls().grpc())
                .isEqualTo(new Settings.Tls(
                        Path.of("/c"), Path.of("/k"), Path.of("/a"), List.of("envoy", "spiffe://edge")));
        assertThat(settings.warnings()).isEmpty();

        Settings off = read(Map.of(), files);
        assertThat(off.tls().grpc()).isNull();
        assertThat(off.warnings())
                .containsExactly(
                        "ignored variables of envoyproxy/ratelimit: GRPC_CLIENT_TLS_CACERT, GRPC_SERVER_TLS_CERT,"
                                + " GRPC_SERVER_TLS_KEY");
    }

    @Test
    void whatTheReferencesTlsWouldLoseHereIsAnError() {
        assertThatThrownBy(() -> read(Map.of(), Map.of("GRPC_SERVER_USE_TLS", "true")))
                .hasMessageContaining("GRPC_SERVER_USE_TLS: without GRPC_SERVER_TLS_CERT and GRPC_SERVER_TLS_KEY");
        assertThatThrownBy(() -> read(Map.of(), Map.of("GRPC_SERVER_USE_TLS", "true", "GRPC_SERVER_TLS_CERT", "/c")))
                .hasMessageContaining("GRPC_SERVER_TLS_CERT: without grpc_tls_key (expected: both)");
        assertThatThrownBy(() -> read(Map.of(), Map.of("GRPC_SERVER_USE_TLS", "perhaps")))
                .hasMessageContaining("GRPC_SERVER_USE_TLS: \"perhaps\" (expected: true or false)");
    }

    @Test
    void aMisspelledVariableIsAWarningWithAGuess() throws Exception {
        assertThat(read(Map.of(), Map.of("WEIR_HTPP_PORT", "1", "WEIR_JAVA_OPTS", "-Xmx1g"))
                        .warnings())
                .containsExactly("WEIR_HTPP_PORT: unknown setting (did you mean WEIR_HTTP_PORT?)");
    }

    @Test
    void whatKubernetesSetsForAServiceIsNotForUs() throws Exception {
        Settings settings = read(
                Map.of(),
                Map.of(
                        "WEIR_PORT", "tcp://10.0.0.1:8080",
                        "WEIR_SERVICE_HOST", "10.0.0.1",
                        "WEIR_PORT_8080_TCP_ADDR", "10.0.0.1",
                        "WEIR_HTTP_PORT", "tcp://10.0.0.1:8080",
                        "WEIR_HTTP_SERVICE_PORT", "8080"));
        assertThat(settings.http().port()).isEqualTo(8080);
        assertThat(settings.warnings()).isEmpty();
    }

    @Test
    void everythingThatIsWrongIsNamedWithItsSourceAndValue() throws Exception {
        weirYaml("# settings\nmax_keys: many\nhtpp_port: 1\nrules: [a, b]\ncolour: red\n");
        assertThatThrownBy(() -> read(
                        Map.of("grpc_port", "70000", "warm_up", "3"),
                        Map.of("SHADOW_MODE", "perhaps", "WEIR_LOG_FORMAT", "xml", "WEIR_RESET_HEADER", "a\r\nb: c")))
                .isInstanceOf(SettingsException.class)
                .hasMessageContainingAll(
                        "weir.yaml:2:11: max_keys: \"many\" (expected: a number from 1024 to 1000000000)",
                        "weir.yaml:3:1: htpp_port: unknown setting (did you mean http_port?)",
                        "weir.yaml:4:8: rules: a list (expected: comma-separated rule sources)",
                        "weir.yaml:5:1: colour: unknown setting (see docs/settings.md)",
                        "--grpc-port: \"70000\" (expected: a port from 0 to 65535)",
                        "--warm-up: \"3\" (expected: a duration such as 500ms, 10s or 1m)",
                        "SHADOW_MODE: \"perhaps\" (expected: true or false)",
                        "WEIR_LOG_FORMAT: \"xml\" (expected: auto, text or json)",
                        "WEIR_RESET_HEADER: \"a");
    }

    @Test
    void theFileIsTheOneThatWasNamedAndItsPathsAreMeantFromThere() throws Exception {
        Path other = Files.createDirectory(folder.resolve("etc")).resolve("other.yaml");
        Files.writeString(other, "rules: rules.yaml\ndrain_delay: 250ms\n");
        Settings settings = read(Map.of("config", other.toString()), Map.of());
        assertThat(settings.rules()).containsExactly(folder.resolve("etc/rules.yaml"));
        assertThat(settings.drain().delay()).isEqualTo(Duration.ofMillis(250));
        assertThat(read(Map.of(), Map.of("WEIR_CONFIG", other.toString())).rules())
                .containsExactly(folder.resolve("etc/rules.yaml"));
    }

    @Test
    void aNamedFileThatIsMissingIsAnError() {
        assertThatThrownBy(() -> read(Map.of("config", "/none/weir.yaml"), Map.of()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("/none/weir.yaml: cannot be read: it does not exist");
    }

    @Test
    void brokenYamlIsNamedWithItsPlace() throws Exception {
        weirYaml("http_port: 1\n  grpc_port: 2\n");
        assertThatThrownBy(() -> read(Map.of(), Map.of())).hasMessageContaining("weir.yaml:2:");
        weirYaml("rules: \"\\x");
        assertThatThrownBy(() -> read(Map.of(), Map.of())).hasMessageContaining("weir.yaml:1:9: an escape without");
    }

    @Test
    void withoutAWordAboutKeysTheyTakeNoMoreThanAQuarterOfTheHeap() throws Exception {
        assertThat(StoreSettings.keysThatFit(256L << 20)).isEqualTo(838_860);
        assertThat(StoreSettings.keysThatFit(64L << 30)).isEqualTo(10_000_000);
        assertThat(StoreSettings.countersThatFit(256L << 20)).isEqualTo((256 << 20) / 16 / LocalTier.MOST_BYTES);
        assertThat(StoreSettings.countersThatFit(64L << 30)).isEqualTo(65_536);
        assertThat(read(Map.of("max_keys", "5000"), Map.of()).maxKeys()).isEqualTo(5_000);
        assertThat(read(Map.of("tier_counters", "5000"), Map.of()).limiter().tierCounters())
                .isEqualTo(5_000);
    }

    @Test
    void howManyIdempotencyKeysAStoreKeepsCanBeSet() throws Exception {
        assertThat(read(Map.of(), Map.of()).limiter().keptKeys()).isEqualTo(LimiterSettings.DEFAULT_KEPT_KEYS);
        assertThat(read(Map.of("idempotency_total", "5000"), Map.of()).limiter().keptKeys())
                .isEqualTo(5_000);
    }

    @Test
    void everySettingHasADefaultThatItCanRead() {
        assertThat(SettingsCatalogue.all())
                .filteredOn(each -> !each.fallback().isEmpty())
                .allSatisfy(each -> assertThat(each.reader().apply(each.fallback()))
                        .as(each.name())
                        .isNotNull());
    }

    @Test
    void decisionsAreWrittenWhereAndAsTheSettingsSay() throws Exception {
        weirYaml("decisions_file: log/decisions.jsonl\ndecisions_file_size: 2GiB\ndecisions_secret: s3cret\n");
        DecisionSinkSettings decisions = read(Map.of("node", "n1"), Map.of("WEIR_DECISIONS_KAFKA", "kafka://k/t"))
                .decisions();

        assertThat(decisions.file())
                .isEqualTo(new DecisionSinkSettings.File(
                        folder.resolve("log/decisions.jsonl"), 2L << 30, Duration.ofDays(1), 7));
        assertThat(decisions.kafka()).isEqualTo(new DecisionSinkSettings.Kafka("k:9092", "t", "all", Map.of()));
        assertThat(decisions.isOn()).isTrue();
        assertThat(decisions.key()).isEqualTo(DecisionSinkSettings.KeyShown.HASH);
        assertThat(decisions.node()).isEqualTo("n1");
        assertThat(decisions.toString()).doesNotContain("s3cret");
        assertThat(read(Map.of(), Map.of("WEIR_DECISIONS_DENIALS", "false"))
                        .decisions()
                        .isOn())
                .isFalse();
    }

    @Test
    void whatIsWrongWithTheSinkForDecisionsIsSaidAllAtOnce() {
        Map<String, String> wrong = Map.of(
                "decisions_kafka", "redis://k",
                "decisions_file_size", "12",
                "decisions_key", "clear",
                "decisions_kafka_acks", "2");
        assertThatThrownBy(() -> read(wrong, Map.of()))
                .hasMessageContaining("--decisions-kafka: \"redis://k\" (expected: kafka://host:9092")
                .hasMessageContaining("--decisions-file-size: \"12\" (expected: a size from 64KiB")
                .hasMessageContaining("--decisions-key: \"clear\" (expected: hash, plain or none)")
                .hasMessageContaining("--decisions-kafka-acks: \"2\" (expected: 0, 1 or all)");
    }

    private void weirYaml(String text) throws IOException {
        Files.writeString(folder.resolve("weir.yaml"), text);
    }

    private Settings read(Map<String, String> flags, Map<String, String> environment) throws SettingsException {
        return SettingsReader.read(flags, environment, folder);
    }
}
