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
    void countsRulesThatCannotBePutInForceAsFailedAndKeepsWatching() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), "domain: one\nrules: []\n");
        try (WatchedRuleFiles files =
                new WatchedRuleFiles(SettingsReader.read(RunningServer.flags(rules), Map.of(), folder))) {
            AtomicBoolean broken = new AtomicBoolean(true);
            files.follow(next -> {
                if (broken.get()) {
                    throw new IllegalStateException("broken on purpose");
                }
            });
            Files.writeString(rules, "domain: two\nrules: []\n");
            await().until(() -> files.failures() == 1);
            assertThat(files.isCurrent()).isFalse();
            assertThat(files.reloads()).isZero();

            broken.set(false);
            Files.writeString(rules, "domain: three\nrules: []\n");
            await().until(files::isCurrent);
            assertThat(files.reloads()).isEqualTo(1);
        }
    }
}
