package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Request;
import dev.weir.Weir;
import dev.weir.WeirObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules as a user of the library opens them. */
class RulesTest {
    private static final Request REQUEST = Request.to("api").with("user", "u");

    @TempDir
    Path folder;

    private static String yaml(long requests) {
        return "domain: api\nrules: [{ name: r, limit: { requests: " + requests + ", window: 1h } }]\n";
    }

    @Test
    void aFileIsFollowedAndABadEditLeavesTheLastGoodRulesInForce() throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yaml"), yaml(0));
        List<String> rejected = new CopyOnWriteArrayList<>();
        WeirObserver observer = new WeirObserver() {
            @Override
            public void rulesRejected(String errors) {
                rejected.add(errors);
            }
        };
        try (Weir weir = Weir.builder(Rules.file(file)).observer(observer).open()) {
            assertThat(weir.decide(REQUEST).allowed()).isFalse();
            Files.writeString(file, yaml(1_000_000));
            await().until(() -> weir.decide(REQUEST).allowed());
            Files.writeString(file, "domain: api\nrules: [{ nmae: r }]\n");
            await().until(() -> !rejected.isEmpty());
            assertThat(rejected.get(0)).contains("rules.yaml:2:11: ").contains("did you mean name?");
            assertThat(weir.decide(REQUEST).allowed()).isTrue();
        }
    }

    @Test
    void rulesThatAreWrongFromTheStartAreRefusedWithEveryError() throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yaml"), "domain: api\nrules: [{ nmae: r }]\n");
        assertThatThrownBy(() -> Weir.open(Rules.file(file)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rules.yaml:2:11: ")
                .hasMessageContaining("limit is missing");
        assertThatThrownBy(() -> Rules.yaml("rules: 7"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("yaml:1:8");
    }

    @Test
    void warningsKnowTheFormInWhichEndpointsAreCompared() throws IOException {
        Path file = Files.writeString(
                folder.resolve("rules.yaml"),
                "domain: api\nrules: [{ match: { endpoint: ['/a?x=1', '~^/b/$'] },"
                        + " limit: { requests: 1, window: 1h } }]\n");
        assertThat(warnings(() -> Weir.open(Rules.file(file)).close()))
                .hasSize(2)
                .anyMatch(line -> line.contains("endpoint '/a?x=1' is compared as '/a'"))
                .anyMatch(line -> line.contains("'~^/b/$' mentions a slash at the end"));
        assertThat(warnings(() ->
                        Weir.builder(Rules.file(file)).rawEndpoints().open().close()))
                .isEmpty();
    }

    /** The log lines about rules while {@code work} runs. */
    private static List<String> warnings(Runnable work) {
        List<String> lines = new CopyOnWriteArrayList<>();
        Logger logger = Logger.getLogger("dev.weir.rules");
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try {
            work.run();
        } finally {
            logger.removeHandler(handler);
        }
        return lines;
    }

    @Test
    void aFolderIsNoFile() throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yaml"), yaml(1));
        try (Weir weir = Weir.open(Rules.folder(folder))) {
            assertThat(weir.rules().ruleNames("api")).containsExactly("r");
        }
        assertThatThrownBy(() -> Weir.open(Rules.file(folder)))
                .hasMessage("rules: " + folder + " (expected: a file; Rules.folder reads a folder)");
        assertThatThrownBy(() -> Weir.open(Rules.folder(file)))
                .hasMessage("rules: " + file + " (expected: a folder; Rules.file reads a file)");
        assertThatThrownBy(() -> Weir.open(Rules.file(folder.resolve("none.yaml"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("none.yaml");
    }
}
