package dev.weir.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoSettingsTest {
    @TempDir
    Path folder;

    @Test
    void aDemoTakesPortsAndLogging() throws Exception {
        Settings settings = read(Map.of("demo", "", "http_port", "9090"), Map.of("LOG_LEVEL", "debug"));
        assertThat(settings.demo()).isTrue();
        assertThat(settings.isExample()).isFalse();
        assertThat(read(Map.of(), Map.of()).demo()).isFalse();
    }

    @Test
    void itRefusesWhatBelongsToRealServersWhereverThatIsSet() throws IOException {
        assertThatThrownBy(() -> read(Map.of("demo", "", "rules", "api.yaml"), Map.of()))
                .hasMessageContaining("--rules: conflicts with --demo");
        assertThatThrownBy(() -> read(Map.of("demo", ""), Map.of("WEIR_DB", "postgresql://u:p@h/d")))
                .hasMessageContaining("WEIR_DB: conflicts with --demo");
        assertThatThrownBy(() -> read(Map.of("demo", "", "store", "redis://prod:6379"), Map.of()))
                .hasMessageContaining("--store: conflicts with --demo");
        Files.writeString(folder.resolve("weir.yaml"), "data: /var/lib/weir\n");
        assertThatThrownBy(() -> read(Map.of("demo", ""), Map.of()))
                .hasMessageContaining("weir.yaml:1:7: data: conflicts with --demo");
    }

    @Test
    void aFlappingRedisIsOneOfThisMachine() throws Exception {
        assertThat(read(Map.of("demo", "flapping", "store", "redis://localhost:6379"), Map.of())
                        .demo())
                .isTrue();
        assertThatThrownBy(() -> read(Map.of("demo", "flapping"), Map.of()))
                .hasMessageContaining("--demo=flapping: without --store (expected: a Redis of this machine,");
        assertThatThrownBy(() -> read(Map.of("demo", "flapping", "store", "redis://prod:6379"), Map.of()))
                .hasMessageContaining("--demo=flapping: with another --store (expected: a Redis of this machine,");
        assertThatThrownBy(() -> read(Map.of("demo", "flaping"), Map.of()))
                .hasMessageContaining("--demo: \"flaping\" (expected: no value, or flapping)");
    }

    private Settings read(Map<String, String> flags, Map<String, String> environment) throws SettingsException {
        return SettingsReader.read(flags, environment, folder);
    }
}
