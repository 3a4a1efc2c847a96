package dev.weir.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.control.source.SourceAddress;
import dev.weir.control.source.SourceSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where rules come from, as the settings say it. */
class RuleOriginsTest {
    @TempDir
    Path folder;

    @Test
    void pathsAndAddressesStandBesideEachOtherAndTheOrderOfLayersIsFixed() throws Exception {
        Settings settings = read(Map.of(
                "rules", "xdss://plane:18000,a.yaml,etcd://h1:2379,h2:2380/weir/rules/,[b]/c,etcds://u:p@[::1]:1/x"));
        assertThat(settings.rules()).containsExactly(Path.of("a.yaml"), Path.of("[b]/c"));
        assertThat(labels(settings)).containsExactly("etcd:/weir/rules", "etcd:/x", "xds:plane:18000");
        assertThat(settings.sources().addresses().get(0).hosts()).hasToString("[h1:2379, h2:2380]");
        assertThat(settings.sources().addresses().get(1).hosts()).hasToString("[[::1]:1]");
        assertThat(settings.sources().addresses().get(2).tls()).isTrue();
        assertThat(settings.isExample()).isFalse();
    }

    @Test
    void pathsInWeirYamlAreMeantFromThereAndAddressesAreLeftAlone() throws Exception {
        Files.writeString(folder.resolve("weir.yaml"), "rules: a.yaml,etcd://h:1/p\n");
        Settings settings = read(Map.of());
        assertThat(settings.rules()).containsExactly(folder.resolve("a.yaml"));
        assertThat(labels(settings)).containsExactly("etcd:/p");
    }

    @Test
    void whatIsWrongIsSaidWithoutThePassword() {
        for (String each : List.of("etcd://me:hunter2@h:1", "etcd://me:hunter2@h/p", "consul://me:hunter2@h:1/p")) {
            assertThatThrownBy(() -> read(Map.of("rules", each)))
                    .isInstanceOf(SettingsException.class)
                    .hasMessageContainingAll("--rules: ", "expected: ")
                    .hasMessageNotContaining("hunter2");
        }
        assertThatThrownBy(() -> read(Map.of("rules", "etcd://a:1/p,etcd://b:1/p")))
                .hasMessageContaining("duplicate source");
    }

    @Test
    void anAddressWithTooFewSlashesIsNotTakenForAPath() throws Exception {
        assertThatThrownBy(() -> read(Map.of("rules", "etcd:/h:1/p")))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("--rules: slashes missing (did you mean etcd://h:1/p?)");
        assertThatThrownBy(() -> read(Map.of("rules", "xdss:plane:18000")))
                .hasMessageContaining("did you mean xdss://plane:18000?");
        assertThatThrownBy(() -> read(Map.of("rules", "etcd:/me:hunter2@h:1/p")))
                .hasMessageContaining("did you mean etcd://…?")
                .hasMessageNotContaining("hunter2");
        Files.writeString(folder.resolve("weir.yaml"), "rules: a.yaml,etcd:/h:1/p\n");
        assertThatThrownBy(() -> read(Map.of())).hasMessageContaining("did you mean etcd://h:1/p?");
    }

    @Test
    void theReferencesVariablesForXdsMeanWhatTheyMeanThere() throws Exception {
        // As Envoy Gateway sets them; the folder that it names is not there.
        Settings settings = SettingsReader.read(
                Map.of(),
                Map.ofEntries(
                        Map.entry("CONFIG_TYPE", "GRPC_XDS_SOTW"),
                        Map.entry("CONFIG_GRPC_XDS_SERVER_URL", "envoy-gateway:18001"),
                        Map.entry("CONFIG_GRPC_XDS_SERVER_USE_TLS", "true"),
                        Map.entry("CONFIG_GRPC_XDS_SERVER_TLS_CACERT", "/certs/ca.crt"),
                        Map.entry("CONFIG_GRPC_XDS_CLIENT_TLS_CERT", "/certs/tls.crt"),
                        Map.entry("CONFIG_GRPC_XDS_CLIENT_TLS_KEY", "/certs/tls.key"),
                        Map.entry("CONFIG_GRPC_XDS_SERVER_TLS_SAN", "envoy-gateway"),
                        Map.entry("CONFIG_GRPC_XDS_NODE_ID", "eg"),
                        Map.entry("CONFIG_GRPC_XDS_NODE_METADATA", "a=b,nonsense,c=d=e"),
                        Map.entry("CONFIG_GRPC_XDS_CLIENT_ADDITIONAL_HEADERS", "authorization:Bearer x,team:t"),
                        Map.entry("CONFIG_GRPC_XDS_SERVER_CONNECT_RETRY_INTERVAL", "5s"),
                        Map.entry("FORCE_START_WITHOUT_INITIAL_CONFIG", "true"),
                        Map.entry("RUNTIME_ROOT", "/data"),
                        Map.entry("RUNTIME_SUBDIRECTORY", "ratelimit")),
                folder);
        SourceSettings sources = settings.sources();
        assertThat(settings.rules()).isEmpty();
        assertThat(sources.addresses())
                .containsExactly(new SourceAddress.Xds(new SourceAddress.Host("envoy-gateway", 18001), true));
        assertThat(sources.tls())
                .isEqualTo(new SourceSettings.Tls(
                        Path.of("/certs/ca.crt"),
                        Path.of("/certs/tls.crt"),
                        Path.of("/certs/tls.key"),
                        "envoy-gateway"));
        assertThat(sources.node().id()).isEqualTo("eg");
        assertThat(sources.node().metadata()).isEqualTo(Map.of("a", "b", "c", "d=e"));
        assertThat(sources.node().headers()).isEqualTo(Map.of("authorization", "Bearer x", "team", "t"));
        assertThat(sources.node().toString()).doesNotContain("Bearer");
        assertThat(sources.retry()).isEqualTo(Duration.ofSeconds(5));
        assertThat(sources.required()).isFalse();
        assertThat(settings.warnings())
                .containsExactly("xds_node_metadata: ignored a malformed entry (expected: name=value,name=value)");
    }

    @Test
    void withoutAnAddressTheReferencesDefaultHolds() throws Exception {
        assertThat(labels(SettingsReader.read(Map.of(), Map.of("CONFIG_TYPE", "GRPC_XDS_SOTW"), folder)))
                .containsExactly("xds:localhost:18000");
        assertThatThrownBy(() -> SettingsReader.read(Map.of(), Map.of("CONFIG_TYPE", "CONSUL"), folder))
                .hasMessageContaining("CONFIG_TYPE: \"CONSUL\" (expected: FILE or GRPC_XDS_SOTW)");
    }

    private static List<String> labels(Settings settings) {
        return settings.sources().addresses().stream().map(SourceAddress::label).toList();
    }

    private Settings read(Map<String, String> flags) throws SettingsException {
        return SettingsReader.read(flags, Map.of(), folder);
    }
}
