package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.server.RunningServer;
import dev.weir.server.settings.SettingsReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchedRuleFilesTest {
    @TempDir
    Path folder;

    @Test
    void rulesThatLoadButCannotBePutInForceAreAFailureAndTheNextOnesAreHeardAllTheSame() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), "domain: one\nrules: []\n");
        try (WatchedRuleFiles feed =
                new WatchedRuleFiles(SettingsReader.read(RunningServer.flags(rules), Map.of(), folder))) {
            AtomicBoolean broken = new AtomicBoolean(true);
            feed.follow(next -> {
                if (broken.get()) {
                    throw new IllegalStateException("broken on purpose");
                }
            });
            Files.writeString(rules, "domain: two\nrules: []\n");
            await().until(() -> feed.failures() == 1);
            assertThat(feed.isCurrent()).isFalse();
            assertThat(feed.reloads()).isZero();

            broken.set(false);
            Files.writeString(rules, "domain: three\nrules: []\n");
            await().until(feed::isCurrent);
            assertThat(feed.reloads()).isEqualTo(1);
        }
    }
}
