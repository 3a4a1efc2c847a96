package dev.weir.control.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.control.EtcdAndXdsSources;
import dev.weir.control.source.NetworkSources;
import dev.weir.control.source.SourceAddress;
import dev.weir.control.source.SourceRules;
import dev.weir.control.source.SourceSettings;
import dev.weir.control.testkit.Etcd;
import dev.weir.control.testkit.EtcdWriter;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.LoadOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules in a real etcd, through everything that happens to one. */
class EtcdSourceTest {
    private static final String PREFIX = "/weir/rules";
    private static final SourceSettings IMPATIENT = SourceSettings.NONE.withPatience(Duration.ofSeconds(1));

    @TempDir
    Path folder;

    private Etcd etcd;
    private EtcdWriter writer;

    @BeforeEach
    void start() throws Exception {
        etcd = Etcd.in(folder);
        writer = etcd.writer();
    }

    @AfterEach
    void stop() throws Exception {
        if (etcd != null) {
            etcd.close();
        }
    }

    @Test
    void everyKeyBelowThePrefixIsADocument() throws Exception {
        writer.put(PREFIX + "/api", rule("api", 10));
        writer.put(PREFIX + "/deep/er", rule("deeper", 20));
        writer.put(PREFIX + "-other/api", "no rules at all");
        writer.put(PREFIX, "nor this");
        try (NetworkSources sources = open()) {
            SourceRules rules = sources.all().get(0);
            assertThat(rules.rules().domains()).containsExactly("api", "deeper");
            assertThat(rules.rules().rules().get(0).source()).isEqualTo("etcd:/weir/rules/api:1:30");
            assertThat(rules.status().documents()).isEqualTo(2);

            writer.delete(PREFIX + "/deep/er");
            writer.put(PREFIX + "/web", rule("web", 30));
            await().until(() -> rules.rules().domains().equals(List.of("api", "web")));
        }
    }

    @Test
    void aListOfSeveralPagesIsOneSet() throws Exception {
        for (int i = 0; i < 300; i += 100) {
            writer.putAll(IntStream.range(i, i + 100)
                    .boxed()
                    .collect(Collectors.toMap(each -> PREFIX + "/" + each, each -> rule("d" + each, 1))));
        }
        try (NetworkSources sources = open()) {
            assertThat(sources.all().get(0).rules().domains()).hasSize(300);
        }
    }

    @Test
    void aTransactionIsSeenAsAWholeOrNotAtAll() throws Exception {
        writer.putAll(both(0));
        List<WrittenRules> seen = Collections.synchronizedList(new ArrayList<>());
        try (NetworkSources sources = open()) {
            sources.all().get(0).onRules(seen::add);
            for (int i = 1; i <= 300; i++) {
                writer.putAll(both(i));
            }
            await().until(() -> requests(sources) == 300);
        }
        assertThat(seen).hasSizeGreaterThan(1).allSatisfy(set -> {
            List<Long> numbers =
                    set.rules().stream().map(EtcdSourceTest::requests).toList();
            assertThat(numbers).hasSize(2);
            assertThat(numbers.get(0)).isEqualTo(numbers.get(1));
        });
        assertThat(seen).hasSizeLessThan(150); // they coalesce
    }

    @Test
    void aMistakeLeavesTheLastGoodSetAndSaysWhere() throws Exception {
        writer.put(PREFIX + "/api", rule("api", 10));
        try (NetworkSources sources = open()) {
            SourceRules rules = sources.all().get(0);
            writer.put(PREFIX + "/api", "domain: api\nburts: 1\nrules: []\n");
            await().until(() -> !rules.status().current());
            assertThat(rules.status().problem()).startsWith("etcd:/weir/rules/api:2:1: unknown field 'burts'");
            assertThat(rules.mistakes()).isEqualTo(1);
            assertThat(requests(sources)).isEqualTo(10);

            writer.put(PREFIX + "/api", rule("api", 11));
            await().until(() -> requests(sources) == 11);
            assertThat(rules.status().current()).isTrue();
            assertThat(rules.status().problem()).isEmpty();
        }
    }

    @Test
    void aPrefixThatIsWipedLeavesTheLastGoodSet() throws Exception {
        writer.put(PREFIX + "/api", rule("api", 10));
        try (NetworkSources sources = open()) {
            SourceRules rules = sources.all().get(0);
            writer.delete(PREFIX + "/api");
            await().until(() -> !rules.status().current());
            assertThat(rules.status().problem()).contains("no keys below /weir/rules/");
            assertThat(requests(sources)).isEqualTo(10);
        }
    }

    @Test
    void anEtcdThatDiesAndComesBackIsFollowedAgain() throws Exception {
        writer.put(PREFIX + "/api", rule("api", 10));
        try (NetworkSources sources = open()) {
            SourceRules rules = sources.all().get(0);
            for (int i = 1; i <= 3; i++) {
                etcd.kill();
                await().until(() -> !rules.status().connected());
                assertThat(requests(sources)).isEqualTo(9 + i);
                etcd.start();
                int next = 10 + i;
                writer.put(PREFIX + "/api", rule("api", next));
                await().until(() -> requests(sources) == next);
                assertThat(rules.status().connected()).isTrue();
            }
            assertThat(rules.mistakes()).isZero();
        }
    }

    @Test
    void anEtcdThatIsCompactedConstantlyIsStillFollowed() throws Exception {
        long revision = writer.put(PREFIX + "/api", rule("api", 0));
        try (NetworkSources sources = open()) {
            for (int i = 1; i <= 100; i++) {
                revision = writer.put(PREFIX + "/api", rule("api", i));
                writer.compact(revision);
            }
            await().until(() -> requests(sources) == 100);
        }
    }

    @Test
    void oneThatWasRestoredFromABackupIsBelievedThoughItsRevisionsAreLower() throws Exception {
        for (int i = 0; i < 20; i++) {
            writer.put(PREFIX + "/api", rule("api", 10));
        }
        try (NetworkSources sources = open()) {
            etcd.kill();
            wipe(folder.resolve("data"));
            etcd.start();
            writer.put(PREFIX + "/api", rule("api", 11));
            await().until(() -> requests(sources) == 11);
            writer.put(PREFIX + "/api", rule("api", 12));
            await().until(() -> requests(sources) == 12);
        }
    }

    @Test
    void aStartWithoutItBeginsWithTheCopy(@TempDir Path data) throws Exception {
        writer.put(PREFIX + "/api", rule("api", 10));
        try (NetworkSources sources = open(data, PREFIX)) {
            assertThat(requests(sources)).isEqualTo(10);
        }
        etcd.kill();
        try (NetworkSources sources = open(data, PREFIX)) {
            SourceRules rules = sources.all().get(0);
            assertThat(requests(sources)).isEqualTo(10);
            assertThat(rules.status().connected()).isFalse();
            etcd.start();
            writer.put(PREFIX + "/api", rule("api", 11));
            await().until(() -> requests(sources) == 11);
        }
        etcd.kill();
        // The copy is of that prefix, and of no other.
        assertThatThrownBy(() -> open(data, etcd.url("/weir/else"), IMPATIENT).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no rules from etcd:/weir/else");
    }

    @Test
    void aStartWithNeitherItNorACopyIsRefused() throws Exception {
        etcd.kill();
        assertThatThrownBy(() -> open(null, etcd.url(PREFIX), IMPATIENT).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no rules from etcd:/weir/rules in 1 s (rules_wait): unavailable")
                .hasMessageContaining("--data");
    }

    @Test
    void aStartOnRulesThatAreWrongIsRefusedAlsoWhereThereIsACopy(@TempDir Path data) throws Exception {
        writer.put(PREFIX + "/api", rule("api", 10));
        open(data, PREFIX).close();
        writer.put(PREFIX + "/api", "domain: api\nrules: [{limit: {requests: -1, window: 1m}}]\n");
        assertThatThrownBy(() -> open(data, PREFIX).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("etcd:/weir/rules/api:2:");
    }

    @Test
    void worksWithAuthentication() throws Exception {
        writer.put(PREFIX + "/api", rule("api", 10));
        writer.requirePassword("weir", "s3cret:/@");
        String host = "127.0.0.1:" + etcd.port() + PREFIX;
        assertThatThrownBy(
                        () -> open(null, "etcd://weir:wrong@" + host, IMPATIENT).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("authentication failed")
                .hasMessageNotContaining("wrong");
        try (NetworkSources sources = open(null, "etcd://weir:s3cret%3A%2F%40@" + host, SourceSettings.NONE)) {
            assertThat(requests(sources)).isEqualTo(10);
        }
    }

    @Test
    void anotherMemberIsAskedWhereOneIsAway() throws Exception {
        writer.put(PREFIX + "/api", rule("api", 10));
        String hosts = "etcd://127.0.0.1:1,127.0.0.1:" + etcd.port() + PREFIX;
        try (NetworkSources sources = open(null, hosts, SourceSettings.NONE)) {
            assertThat(requests(sources)).isEqualTo(10);
        }
    }

    private NetworkSources open() throws IOException {
        return open(null, PREFIX);
    }

    private NetworkSources open(@Nullable Path data, String prefix) throws IOException {
        return open(data, etcd.url(prefix), SourceSettings.NONE);
    }

    static NetworkSources open(@Nullable Path data, String url, SourceSettings settings) throws IOException {
        SourceSettings these = settings.with(List.of(SourceAddress.parse(url)));
        return EtcdAndXdsSources.open(these, LoadOptions.DEFAULT, data);
    }

    private static Map<String, String> both(int requests) {
        return Map.of(PREFIX + "/one", rule("one", requests), PREFIX + "/two", rule("two", requests));
    }

    private static String rule(String domain, int requests) {
        return "{domain: " + domain + ", rules: [{name: r, limit: {requests: " + requests + ", window: 1m}}]}";
    }

    static long requests(NetworkSources sources) {
        return requests(sources.all().get(0).rules().rules().get(0));
    }

    private static long requests(Rule rule) {
        return Objects.requireNonNull(rule.limit()).requests();
    }

    private static void wipe(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
