package dev.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.text.diagnostics.Diagnostic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each trap is found at its place, and a configuration that works has none. */
class EnvoyConfigCheckTest {
    private static final String WEIR = """
            domain: front
            rules:
              - name: per user
                match: { user: "*" }
                key_by: user
                limit: { requests: 100, window: 1s }
              - name: paid
                match: { plan: paid }
                limit: { requests: 1000, window: 1s }
            """;

    private static final String ENVOY = """
            domain: front
            descriptors:
              - key: user
                rate_limit: { unit: minute, requests_per_unit: 60 }
              - key: generic_key
                value: login
                descriptors:
                  - key: remote_address
                    rate_limit: { unit: minute, requests_per_unit: 5 }
            """;

    private static final String QUOTA = """
            "@type": type.googleapis.com/envoy.extensions.filters.http.rate_limit_quota.v3.RateLimitQuotaFilterConfig
            domain: front
            rlqs_server: { envoy_grpc: { cluster_name: weir } }
            bucket_matchers:
              on_no_match:
                action:
                  typed_config:
                    "@type": type.googleapis.com/envoy.extensions.filters.http.rate_limit_quota.v3.RateLimitQuotaBucketSettings
                    bucket_id_builder:
                      bucket_id_builder:
                        user: { custom_value: { name: user } }
                    reporting_interval: 5s
                    no_assignment_behavior: { fallback_rate_limit: { blanket_rule: DENY_ALL } }
                    expired_assignment_behavior: { expired_assignment_behavior_timeout: 60s, fallback_rate_limit: { blanket_rule: DENY_ALL } }
            """;

    private static final String LIMITS = """
            "@type": type.googleapis.com/envoy.extensions.filters.http.ratelimit.v3.RateLimit
            domain: front
            timeout: 0.02s
            rate_limit_service: { grpc_service: { envoy_grpc: { cluster_name: weir } } }
            """;

    private static List<String> check(String config, String rules) {
        WrittenRules written =
                Objects.requireNonNull(RuleLoader.parse("rules.yaml", rules).rules());
        byte[] bytes = config.getBytes(StandardCharsets.UTF_8);
        return EnvoyConfigCheck.check("envoy.yaml", bytes, written, EndpointForm.NORMAL).stream()
                .map(Diagnostic::toString)
                .toList();
    }

    private static String quota(String part, String with) {
        assertThat(QUOTA).contains(part);
        return QUOTA.replace(part, with);
    }

    @Test
    void filtersThatWorkHaveNoWarning() {
        assertThat(check(QUOTA, WEIR)).isEmpty();
        assertThat(check(LIMITS, WEIR)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"envoy.yaml", "envoy-quota.yaml", "envoy-concurrency.yaml"})
    void theConfigurationsThatRealEnvoysRunWithHaveNone(String file) throws IOException {
        byte[] bytes = Files.readAllBytes(Path.of("src/test/resources/dev/weir/server/grpc", file));
        assertThat(EnvoyConfigCheck.check(file, bytes, null, EndpointForm.NORMAL))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            reporting_interval: 5s | reporting_interval: 500ms | envoy.yaml:12:29: reporting_interval: '500ms' (expected: seconds
            reporting_interval: 5s | reporting_interval: 0.5s | envoy.yaml:12:29: warning: an interval below a second has no effect: Envoy 1.40 reports every 5 s
            reporting_interval: 5s | reportingInterval: 10s | envoy.yaml:12:28: warning: this interval has no effect
            { blanket_rule: DENY_ALL } }\\n | { token_bucket: { max_tokens: 5 } } }\\n | envoy.yaml:13:58: warning: a token_bucket in no_assignment_behavior: Envoy 1.40 crashes
            60s, fallback_rate_limit: { blanket_rule: DENY_ALL | 60s, fallback_rate_limit: { blanket_rule: ALLOW_ALL | envoy.yaml:14:9: warning: expired_assignment_behavior lets every request pass
            60s, fallback_rate_limit: { blanket_rule: DENY_ALL | 60s, fallback_rate_limit: { token_bucket: { max_tokens: 5, fill_interval: 0.5s } | warning: no tokens_per_fill: the bucket is never filled again
            60s, fallback_rate_limit: { blanket_rule: DENY_ALL | 60s, fallback_rate_limit: { token_bucket: { max_tokens: 5, fill_interval: 0.5s } | warning: a fill_interval below a second: Envoy 1.40 divides by zero
            60s, fallback_rate_limit: { blanket_rule: DENY_ALL | 60s, fallback_rate_limit: { requests_per_time_unit: { requests_per_time_unit: 5 } | warning: requests_per_time_unit in expired_assignment_behavior: Envoy 1.40 ignores it
            expired_assignment_behavior_timeout: 60s, | | warning: without expired_assignment_behavior_timeout Envoy skips this
            domain: front | domain: frnt | envoy.yaml:2:9: warning: no rule has the domain 'frnt': nothing is limited (did you mean front?)
            user: { custom | usr: { custom | envoy.yaml:11:13: warning: no rule of domain front can match this bucket (usr) (did you mean user for usr?)
            user: { custom_value: { name: user } } | plan: { string_value: free } | warning: no rule of domain front can match this bucket (plan=free) (rules know: plan, user)
            domain: front | filterEnabled: {} | warning: filter_enabled has no effect
            """)
    void eachTrapOfTheQuotaFilterIsFound(String part, String with, String expected) {
        String broken = quota(part.replace("\\n", "\n"), with == null ? "" : with.replace("\\n", "\n"));
        assertThat(check(broken, WEIR)).anySatisfy(each -> assertThat(each).contains(expected));
    }

    @Test
    void aFindingHasItsPlace() {
        assertThat(check(quota("domain: front", "domain: frnt"), WEIR))
                .containsExactly(
                        "envoy.yaml:2:9: warning: no rule has the domain 'frnt': nothing is limited (did you mean front?)");
    }

    @Test
    void aBucketWithoutAnExpiryThatAllowsBeforeItsFirstAssignmentIsFound() {
        String open = quota("DENY_ALL } }\n", "ALLOW_ALL } }\n").replaceAll("(?m)^ *expired_assignment.*\\n", "");
        assertThat(check(open, WEIR))
                .singleElement()
                .asString()
                .contains(
                        "no expired_assignment_behavior: it is that of no_assignment_behavior, which lets every request pass");
    }

    @Test
    void aValueThatARuleMatchesIsFineAndAnOpenOneIsNeverWarnedOf() {
        String paid = "plan: { string_value: paid }";
        assertThat(check(quota("user: { custom_value: { name: user } }", paid), WEIR))
                .isEmpty();
        String open = "plan: { custom_value: { name: plan } }";
        assertThat(check(quota("user: { custom_value: { name: user } }", open), WEIR))
                .isEmpty();
        assertThat(check(QUOTA, ENVOY)).isEmpty();
    }

    @Test
    void descriptorsThatNoRuleMatchesAreFoundInBothFormats() {
        String routes = """
                filter:
                %sroutes:
                  - rate_limits:
                      - actions:
                          - generic_key: { descriptor_value: login }
                          - remote_address: {}
                      - actions:
                          - generic_key: { descriptor_value: logout }
                          - remote_address: {}
                      - actions:
                          - request_headers: { header_name: x-user, descriptor_key: user }
                        hits_addend: { number: 2 }
                """.formatted(LIMITS.indent(2));
        assertThat(check(routes, ENVOY))
                .containsExactly(
                        "envoy.yaml:11:9: warning: no rule of domain front can match this descriptor"
                                + " (generic_key=logout, remote_address) (rules know: generic_key, remote_address, user)",
                        "envoy.yaml:16:9: warning: hits_addend on a route or virtual host: Envoy 1.40 ignores it, and each"
                                + " request costs 1 (put the rate_limits into typed_per_filter_config, or into the filter)");
        assertThat(check(routes, WEIR))
                .filteredOn(each -> each.contains("no rule"))
                .hasSize(2);
    }

    @Test
    void aClusterWithoutHttp2OrWithoutAKeepAliveIsFound() {
        String cluster = """
                filter:
                %sclusters:
                  - name: weir
                    typed_extension_protocol_options:
                      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
                        explicit_http_config: { http2_protocol_options: {} }
                """;
        assertThat(check(cluster.formatted(LIMITS.indent(2)), WEIR)).isEmpty();
        assertThat(check(cluster.formatted(QUOTA.indent(2)), WEIR))
                .singleElement()
                .asString()
                .contains("has no connection_keepalive");
        assertThat(check(cluster.formatted(LIMITS.indent(2)).replace("http2_", "http_"), WEIR))
                .singleElement()
                .asString()
                .contains("every call of it fails, and every request passes");
        assertThat(check(cluster.formatted(LIMITS.indent(2)).replace("- name: weir", "- name: wier"), WEIR))
                .singleElement()
                .asString()
                .contains("unknown cluster 'weir' (did you mean wier?)");
    }

    @Test
    void aShortTimeoutIsFound() {
        assertThat(check(LIMITS.replace("0.02s", "0.005s"), WEIR))
                .singleElement()
                .asString()
                .contains("Envoy gives up before Weir's deadline of 10 ms");
        assertThat(check(LIMITS.replace("0.02s", "20ms"), WEIR))
                .containsExactly(
                        "envoy.yaml:3:10: timeout: '20ms' (expected: seconds, such as 5s or 0.02s; Envoy reads no other unit)");
    }

    @Test
    void whatIsNoConfigurationIsSaid() {
        assertThat(check("", WEIR)).singleElement().asString().contains("the file is empty");
        assertThat(check("a: [", WEIR)).singleElement().asString().contains("the file ends inside");
        assertThat(check("a: 1\n", WEIR)).singleElement().asString().contains("no rate limit filter");
    }
}
