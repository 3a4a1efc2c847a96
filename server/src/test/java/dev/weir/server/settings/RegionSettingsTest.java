package dev.weir.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegionSettingsTest {
    private static final String THREE = """
        home: eu
        regions:
          eu: { store: "redis://eu" }
          us: { store: "redis://us", user: u, password: p }
          ap:
        """;

    @TempDir
    Path folder;

    @Test
    void withoutRegionsThereAreNone() throws Exception {
        Settings settings = read(Map.of());
        assertThat(settings.regions()).isEqualTo(Settings.Regions.NONE);
        assertThat(settings.regions().forRules().known()).isEmpty();
    }

    @Test
    void theStoreOfTheOwnRegionIsTheDefaultAndThatOfHomeIsOpenedToo() throws Exception {
        weirYaml(THREE);
        Settings us = read(Map.of("region", "us"));
        assertThat(us.stores()).containsOnlyKeys("default", "region:eu");
        assertThat(store(us, "default")).isEqualTo("redis://us:6379");
        assertThat(store(us, "region:eu")).isEqualTo("redis://eu:6379");
        assertThat(us.namedStores()).containsExactly("default");
        assertThat(us.regions()).isEqualTo(new Settings.Regions("us", Set.of("eu", "us", "ap"), "eu", 1, false, false));
        assertThat(us.regions().forRules().homeStore()).isEqualTo("region:eu");
        Settings eu = read(Map.of("region", "eu"));
        assertThat(eu.stores()).containsOnlyKeys("default", "region:eu");
        assertThat(store(eu, "region:eu")).isEqualTo("redis://eu:6379");
        Settings ap = read(Map.of("region", "ap", "store", "redis://other"));
        assertThat(store(ap, "default")).isEqualTo("redis://other:6379");
    }

    @Test
    void aHomeThatIsFarIsNotSlowBecauseOfTheDistance() throws Exception {
        weirYaml(THREE);
        Settings us = read(Map.of("region", "us"));
        assertThat(Objects.requireNonNull(us.stores().get("region:eu")).deadline())
                .isEqualTo(StoreSettings.RegionSettings.FAR_DEADLINE);
    }

    @Test
    void aServerThatReadsTheCountsOfOthersOpensAllStores() throws Exception {
        weirYaml(THREE.replace("ap:", "ap: { store: \"redis://ap\" }") + "share_counts: true\n");
        Settings us = read(Map.of("region", "us"));
        assertThat(us.stores()).containsOnlyKeys("default", "region:eu", "region:ap");
        assertThat(us.regions().forRules().others()).isEqualTo(Map.of("eu", "region:eu", "ap", "region:ap"));
        assertThat(Objects.requireNonNull(us.stores().get("region:ap")).deadline())
                .isEqualTo(StoreSettings.RegionSettings.FAR_DEADLINE);
        weirYaml(THREE + "share_counts: true\n");
        refused(Map.of("region", "us"))
                .hasMessageContaining("share_counts: region ap has no shared store (expected: a Redis as the store of"
                        + " each region)");
        weirYaml("share_counts: true");
        refused(Map.of()).hasMessageContaining("share_counts: without regions (expected: regions in weir.yaml, too)");
    }

    @Test
    void rulesAreCheckedWithTheRegionsOfTheFile() throws Exception {
        weirYaml(THREE + "region: us\n");
        assertThat(SettingsReader.ruleOptions(folder.resolve("weir.yaml"))
                        .regions()
                        .own())
                .isEqualTo("us");
        assertThat(SettingsReader.ruleOptions(folder.resolve("weir.yaml")).stores())
                .isEmpty();
    }

    @Test
    void mistakesAreExplained() throws Exception {
        weirYaml(THREE);
        refused(Map.of()).hasMessageContaining("region: missing beside regions (expected: one of ap, eu, us)");
        refused(Map.of("region", "uss")).hasMessageContaining("--region: uss is not one of regions (did you mean us?)");
        refused(Map.of("region", "eu", "home", "ap"))
                .hasMessageContaining("--home: ap has no shared store (expected: a Redis as the store of that region)");
        refused(Map.of("region", "eu", "home", "elsewhere"))
                .hasMessageContaining("--home: elsewhere is not one of regions (expected: ap, eu, us)");
        refused(Map.of("region", "us", "store", "redis://other"))
                .hasMessageContaining("--store: conflicts with ")
                .hasMessageContaining("regions.us.store, the store of this region (expected: one of them)");
        weirYaml("regions: { eu: { store: \"redis://one\" }, us: { store: \"redis://one\" } }");
        refused(Map.of("region", "eu"))
                .hasMessageContaining("regions.us.store: the store of region eu (expected: one for each region");
        weirYaml("regions: { eu: { url: \"redis://one\" } }");
        refused(Map.of("region", "eu")).hasMessageContaining("regions.eu.url: unknown setting (did you mean store?)");
        weirYaml("regions: { 'e u': }");
        refused(Map.of()).hasMessageContaining("expected: up to 40 letters, digits, - and _");
        weirYaml("regions: []");
        refused(Map.of()).hasMessageContaining("regions: expected names and stores");
        weirYaml("home_epoch: 2");
        refused(Map.of()).hasMessageContaining("home_epoch: without home (expected: both)");
        weirYaml("home: eu");
        refused(Map.of("region", "us"))
                .hasMessageContaining("--region: us without regions (expected: regions in weir.yaml, too: { us:")
                .hasMessageContaining("home: eu without regions");
    }

    private AbstractThrowableAssert<?, ?> refused(Map<String, String> flags) {
        return assertThatThrownBy(() -> read(flags)).isInstanceOf(SettingsException.class);
    }

    private static String store(Settings settings, String name) {
        return Objects.requireNonNull(settings.stores().get(name)).address().toString();
    }

    private Settings read(Map<String, String> flags) throws SettingsException {
        Map<String, String> all = new HashMap<>(flags);
        return SettingsReader.read(all, Map.of(), folder);
    }

    private void weirYaml(String text) throws IOException {
        Files.writeString(folder.resolve("weir.yaml"), text);
    }
}
