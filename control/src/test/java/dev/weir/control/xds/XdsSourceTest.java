package dev.weir.control.xds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import dev.weir.control.EtcdAndXdsSources;
import dev.weir.control.source.NetworkSources;
import dev.weir.control.source.SourceAddress;
import dev.weir.control.source.SourceRules;
import dev.weir.control.source.SourceSettings;
import dev.weir.control.testkit.XdsServer;
import dev.weir.control.xds.proto.DiscoveryRequest;
import dev.weir.control.xds.proto.DiscoveryResponse;
import dev.weir.control.xds.proto.RateLimitConfig;
import dev.weir.control.xds.proto.RateLimitDescriptor;
import dev.weir.control.xds.proto.RateLimitPolicy;
import dev.weir.control.xds.proto.RateLimitUnit;
import dev.weir.control.xds.proto.Resource;
import dev.weir.rules.internal.load.LoadOptions;
import io.grpc.Metadata;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules from an xDS server, and Weir's replies to it. */
class XdsSourceTest {
    private XdsServer server;

    @BeforeEach
    void start() throws Exception {
        server = XdsServer.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void rulesThatComeIntoForceAreAcknowledged() throws Exception {
        server.set("v1", config("api", 10));
        try (NetworkSources sources = open()) {
            assertThat(requests(sources)).isEqualTo(10);
            server.set("v2", config("api", 11), config("web", 5));
            await().until(() -> requests(sources) == 11);
            await().until(() -> said().size() == 3);
        }
        DiscoveryRequest first = said().get(0);
        assertThat(first.getTypeUrl()).isEqualTo(XdsServer.TYPE);
        assertThat(first.getVersionInfo()).isEmpty();
        assertThat(first.getResourceNamesList()).isEmpty();
        assertThat(first.getNode().getId()).isEqualTo("default");
        assertThat(said().get(1)).satisfies(ack -> accepted(ack, "v1", "nonce-1"));
        assertThat(said().get(2)).satisfies(ack -> accepted(ack, "v2", "nonce-2"));
    }

    @Test
    void rulesThatDoNotLoadAreRefusedWithAllErrorsAndTheLastGoodOnesStay() throws Exception {
        server.set("v1", config("api", 10));
        try (NetworkSources sources = open()) {
            RateLimitDescriptor unknownUnit =
                    descriptor("user", RateLimitPolicy.newBuilder().setRequestsPerUnit(1));
            RateLimitDescriptor noKey = descriptor("", limit(1));
            RateLimitConfig wrong = RateLimitConfig.newBuilder()
                    .setName("broken")
                    .setDomain("api")
                    .addDescriptors(descriptor("a", limit(1)).toBuilder().addDescriptors(unknownUnit))
                    .addDescriptors(noKey)
                    .build();
            server.set("v2", wrong);
            await().until(() -> said().size() == 3);
            assertThat(requests(sources)).isEqualTo(10);
            assertThat(sources.all().get(0).status().current()).isFalse();
            server.set("v3", config("api", 12));
            await().until(() -> requests(sources) == 12);
            await().until(() -> said().size() == 4);
        }
        DiscoveryRequest nack = said().get(2);
        assertThat(nack.getVersionInfo()).isEqualTo("v1");
        assertThat(nack.getResponseNonce()).isEqualTo("nonce-2");
        assertThat(nack.getErrorDetail().getCode()).isEqualTo(3);
        assertThat(nack.getErrorDetail().getMessage())
                .contains("xds:broken:descriptors[0].descriptors[0].rate_limit.unit: unknown unit 'UNKNOWN'")
                .contains("xds:broken:descriptors[1]: descriptor has no key");
        assertThat(said().get(3)).satisfies(ack -> accepted(ack, "v3", "nonce-3"));
    }

    @Test
    void aResourceOfAnotherTypeIsRefused() throws Exception {
        server.set("v1", config("api", 10));
        try (NetworkSources sources = open()) {
            server.send(DiscoveryResponse.newBuilder()
                    .setVersionInfo("v2")
                    .addResources(Any.newBuilder().setTypeUrl("type.googleapis.com/some.Other"))
                    .addResources(Any.newBuilder()
                            .setTypeUrl(XdsServer.TYPE)
                            .setValue(ByteString.copyFrom(new byte[] {(byte) 0xff, 1, 2})))
                    .build());
            await().until(() -> said().size() == 3);
            assertThat(requests(sources)).isEqualTo(10);
        }
        assertThat(said().get(2).getErrorDetail().getMessage())
                .contains("xds:resources[0]: cannot be read: its type is \"type.googleapis.com/some.Other\"")
                .contains("xds:resources[1]: cannot be read");
    }

    @Test
    void aResourceMayBeWrapped() throws Exception {
        Any inner = Any.newBuilder()
                .setTypeUrl(XdsServer.TYPE)
                .setValue(config("api", 7).toByteString())
                .build();
        server.send(DiscoveryResponse.newBuilder()
                .setVersionInfo("v1")
                .addResources(Any.newBuilder()
                        .setTypeUrl("type.googleapis.com/envoy.service.discovery.v3.Resource")
                        .setValue(
                                Resource.newBuilder().setResource(inner).build().toByteString()))
                .build());
        try (NetworkSources sources = open()) {
            assertThat(requests(sources)).isEqualTo(7);
        }
    }

    @Test
    void noConfigsAreLegalAsInTheReference() throws Exception {
        server.set("v1");
        try (NetworkSources sources = open()) {
            assertThat(sources.all().get(0).rules().rules()).isEmpty();
            await().until(() -> said().size() == 2);
            accepted(said().get(1), "v1", "nonce-1");
        }
    }

    @Test
    void oneThatRestartsIsFollowedAgainThoughItCountsItsVersionsAnew() throws Exception {
        server.set("1", config("api", 10));
        try (NetworkSources sources = open()) {
            SourceRules rules = sources.all().get(0);
            server.stop();
            await().until(() -> !rules.status().connected());
            assertThat(requests(sources)).isEqualTo(10);
            server.set("1", config("api", 11));
            server.restart();
            await().until(() -> requests(sources) == 11);
        }
    }

    @Test
    void aStartWithoutItBeginsWithTheCopyWhoseRulesSayWhereTheyWereFrom(@TempDir Path data) throws Exception {
        server.set("v1", config("api", 10));
        String source;
        try (NetworkSources sources = open(data, SourceSettings.NONE)) {
            source = sources.all().get(0).rules().rules().get(0).source();
            assertThat(source).isEqualTo("xds:api-config:descriptors[0].rate_limit.unit");
        }
        server.stop();
        try (NetworkSources sources = open(data, SourceSettings.NONE)) {
            assertThat(requests(sources)).isEqualTo(10);
            assertThat(sources.all().get(0).status().version()).isEqualTo("v1");
            assertThat(sources.all().get(0).rules().rules().get(0).source()).isEqualTo(source);
        }
    }

    @Test
    void aServerThatSendsNothingIsNotWaitedForLongerThanTheSettingsSay() {
        SourceSettings impatient = SourceSettings.NONE.withPatience(Duration.ofMillis(500));
        assertThatThrownBy(() -> open(null, impatient).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("it has sent none yet");
    }

    @Test
    void nodeAndHeadersAreSentAsTheSettingsSay() throws Exception {
        server.set("v1", config("api", 10));
        SourceSettings none = SourceSettings.NONE;
        SourceSettings settings = new SourceSettings(
                List.of(),
                none.login(),
                none.tls(),
                new SourceSettings.Node("eg", Map.of("team", "t1"), Map.of("Authorization", "Bearer x")),
                none.retry(),
                none.patience(),
                true);
        open(null, settings).close();
        assertThat(said().get(0).getNode().getId()).isEqualTo("eg");
        assertThat(said().get(0)
                        .getNode()
                        .getMetadata()
                        .getFieldsOrThrow("team")
                        .getStringValue())
                .isEqualTo("t1");
        assertThat(server.headers().get(0).get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER)))
                .isEqualTo("Bearer x");
    }

    private static void accepted(DiscoveryRequest request, String version, String nonce) {
        assertThat(request.hasErrorDetail()).isFalse();
        assertThat(request.getVersionInfo()).isEqualTo(version);
        assertThat(request.getResponseNonce()).isEqualTo(nonce);
        assertThat(request.getTypeUrl()).isEqualTo(XdsServer.TYPE);
    }

    private List<DiscoveryRequest> said() {
        return server.requests();
    }

    private NetworkSources open() throws IOException {
        return open(null, SourceSettings.NONE);
    }

    private NetworkSources open(@Nullable Path data, SourceSettings settings) throws IOException {
        SourceAddress address = SourceAddress.parse("xds://127.0.0.1:" + server.port());
        return EtcdAndXdsSources.open(settings.with(List.of(address)), LoadOptions.DEFAULT, data);
    }

    private static RateLimitConfig config(String domain, int requests) {
        return RateLimitConfig.newBuilder()
                .setName(domain + "-config")
                .setDomain(domain)
                .addDescriptors(descriptor("user", limit(requests)))
                .build();
    }

    private static RateLimitDescriptor descriptor(String key, RateLimitPolicy.Builder limit) {
        return RateLimitDescriptor.newBuilder().setKey(key).setRateLimit(limit).build();
    }

    private static RateLimitPolicy.Builder limit(int requests) {
        return RateLimitPolicy.newBuilder().setUnit(RateLimitUnit.MINUTE).setRequestsPerUnit(requests);
    }

    private static long requests(NetworkSources sources) {
        return Objects.requireNonNull(
                        sources.all().get(0).rules().rules().get(0).limit())
                .requests();
    }
}
