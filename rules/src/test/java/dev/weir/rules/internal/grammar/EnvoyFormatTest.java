package dev.weir.rules.internal.grammar;

import static dev.weir.rules.LoadedRules.rule;
import static dev.weir.rules.LoadedRules.rules;
import static dev.weir.rules.LoadedRules.said;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.Algorithm;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.internal.model.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvoyFormatTest {

    @Test
    void theErrorForAnythingButAMappingShowsAnExample() {
        assertThat(said("domain: d\ndescriptors: [{ key: a, shadow_mode: true, rate_limit: 5/minute }]"))
                .containsExactly("2:56: rate_limit: a text (expected: a mapping of names to values,"
                        + " like { unit: minute, requests_per_unit: 10 })");
        assertThat(said("rules: [{ match: POST /login, limit: 10/s }]"))
                .containsExactly(
                        "1:18: match: a text (expected: a mapping of names to values,"
                                + " like { endpoint: \"POST /login\" })",
                        "1:38: limit: a text (expected: a mapping of names to values, like { requests: 10, window: 1s })");
    }

    @Test
    void aStarInAKeyIsNoWildcard() {
        assertThat(said("domain: d\ndescriptors: [{ key: user*, rate_limit: { unit: day, requests_per_unit: 1 } }]"))
                .containsExactly("2:22: warning: key 'user*' is matched literally" + " (only value has wildcards)");
    }

    @Test
    void metricsAreWarnedOfOnceAFile() {
        assertThat(said("""
                        domain: d
                        descriptors:
                          - { key: a, detailed_metric: true, rate_limit: { unit: day, requests_per_unit: 1 } }
                          - { key: b, detailed_metric: true, rate_limit: { unit: day, requests_per_unit: 1 } }
                          - { key: c, detailed_metric: false, rate_limit: { unit: day, requests_per_unit: 1 } }
                        """))
                .containsExactly("3:15: warning: detailed_metric has no effect, in 2 places from here on"
                        + " (Weir keeps one time series per rule, so that callers cannot create new ones)");
    }

    @Test
    void aDomainAloneIsLegalAndLoud() {
        String warning = ": warning: no descriptors: NOTHING is limited in domain 'a'";
        assertThat(said("domain: a\n")).containsExactly("1:1" + warning);
        assertThat(said("domain: a\ndescriptors:\n")).containsExactly("2:1" + warning);
        assertThat(said("domain: a\ndescriptors: []\n")).containsExactly("2:1" + warning);
    }

    @Test
    void everyFieldOfTheReferenceIsTaken() {
        Rule rule = rules("""
                        domain: shop
                        descriptors:
                          - key: path
                            value: "/a/*"
                            share_threshold: yes
                            shadow_mode: true
                            quota_mode: on
                            metadata: { team: search, weight: 2, live: true, codes: ["404", 500], none: null }
                            rate_limit:
                              name: paths
                              unit: Minute
                              requests_per_unit: 1_000
                              replaces: [{ name: other }]
                            descriptors:
                              - key: method
                                rate_limit: { unlimited: true, name: other }
                        """).get(0);

        assertThat(rule.domain()).isEqualTo("shop");
        assertThat(rule.label()).isEqualTo("path_/a/*");
        assertThat(rule.name()).isEqualTo("paths");
        assertThat(rule.limit()).isEqualTo(Limit.fixedWindow(1_000, Duration.ofMinutes(1)));
        assertThat(rule.shadow()).isTrue();
        assertThat(rule.quota()).isTrue();
        assertThat(rule.countsDenied()).isTrue();
        assertThat(rule.replaces()).containsExactly("other");
        assertThat(rule.metadata())
                .isEqualTo(Map.of("team", "search", "weight", 2.0, "live", true, "codes", List.of("404", 500.0)));
    }

    @ParameterizedTest
    @CsvSource({"second,1", "MINUTE,60", "Hour,3600", "day,86400", "week,604800", "month,2592000", "year,31536000"})
    void unitsAreWordsInAnyCase(String unit, long seconds) {
        Rule rule = rule(limit("{ unit: " + unit + ", requests_per_unit: 5 }"));
        assertThat(rule.limit()).isEqualTo(Limit.fixedWindow(5, Duration.ofSeconds(seconds)));
    }

    @Test
    void weirsOwnFieldsStandInRateLimit() {
        Rule rule = rule(limit("{ unit: second, requests_per_unit: 5, algorithm: token_bucket, burst: 9, on_fail: deny,"
                + " consistency: leased, deadline: 5ms, local_share: 0.25, lease_interval: 50ms }"));

        assertThat(rule.limit()).isEqualTo(new Limit(Algorithm.TOKEN_BUCKET, 5, 1_000_000, 9, 1));
        assertThat(rule.countsDenied()).isFalse();
        assertThat(rule.onFail()).isEqualTo(OnFail.DENY);
        assertThat(rule.consistency()).isEqualTo(Consistency.LEASED);
        assertThat(rule.deadlineMicros()).isEqualTo(5_000);
        assertThat(rule.localShare()).isEqualTo(250_000);
        assertThat(rule.leaseIntervalMicros()).isEqualTo(50_000);
    }

    @Test
    void scalarsAreTheirText() {
        assertThat(rules("""
                        domain: 007
                        descriptors:
                          - { key: 1, value: 404, rate_limit: { unit: day, requests_per_unit: 1, name: 1.50 } }
                          - { key: yes, value: true, rate_limit: { unit: day, requests_per_unit: 1 } }
                        """))
                .extracting(Rule::domain, Rule::label, Rule::name)
                .containsExactlyInAnyOrder(tuple("007", "1_404", "1.50"), tuple("007", "yes_true", ""));
    }

    @Test
    void aRuleIsKnownByItsPathUnitAndAlgorithmAndNothingElse() {
        String day = rule(limit("{ unit: day, requests_per_unit: 1, name: a }")).id();
        assertThat(rule(limit("{ unit: DAY, requests_per_unit: 9, name: b }")).id())
                .isEqualTo(day);
        assertThat(rule(limit("{ unit: hour, requests_per_unit: 1 }")).id()).isNotEqualTo(day);
        assertThat(rule(limit("{ unit: day, requests_per_unit: 1, algorithm: gcra }"))
                        .id())
                .isNotEqualTo(day);
        assertThat(rules("""
                        domain: d
                        descriptors:
                          - { key: a, value: b, rate_limit: &l { unit: day, requests_per_unit: 1 } }
                          - { key: a=b, rate_limit: *l }
                          - { key: a_b, rate_limit: *l }
                          - { key: a/b, rate_limit: *l }
                          - { key: a, descriptors: [{ key: b, rate_limit: *l }] }
                        """)).extracting(Rule::id).doesNotHaveDuplicates().hasSize(5);
    }

    @Test
    void allMistakesAreReportedTogether() {
        assertThat(said("""
                        domain: ""
                        descriptors:
                          - key: ""
                          - value: x
                          - key: a
                            valeu: b
                          - key: b
                            share_threshold: true
                            rate_limit: { unit: fortnight, requests_per_unit: 1 }
                          - key: c
                            rate_limit: { unit: minutes, requests_per_unit: -1, burts: 3 }
                          - key: d
                            rate_limit: { unlimited: true, unit: day }
                          - key: e
                            rate_limit: { unit: day, requests_per_unit: 4294967296 }
                          - key: f
                            on_fail: deny
                            rate_limit: { unit: day, requests_per_unit: 1.5 }
                            descriptors:
                              - key: x
                              - key: x
                          - key: g
                            shadow_mode: tRUE
                            rate_limit: { unit: day, requests_per_unit: 1, name: g, replaces: [{ name: g }, {}, x] }
                          - key: h
                            rate_limit: { requests_per_unit: "5", unit: day }
                          - key: a
                        """))
                .containsExactly(
                        "1:9: domain is missing (expected: the domain that Envoy's filter sends)",
                        "3:10: descriptor has no key",
                        "4:5: descriptor has no key",
                        "6:5: unknown field 'valeu' (did you mean value?)",
                        "8:5: share_threshold on 'b' (expected: a value with a *, whose values share one counter)",
                        "9:25: unknown unit 'fortnight' (expected: second, minute, hour, day, week, month, year)",
                        "11:25: unknown unit 'minutes' (did you mean minute?)",
                        "11:53: requests_per_unit: '-1' (expected: a whole number from 0 to 4294967295)",
                        "11:57: unknown field 'burts' (did you mean burst?)",
                        "13:42: unit beside unlimited (remove one of them)",
                        "15:49: requests_per_unit: '4294967296' (expected: a whole number from 0 to 4294967295)",
                        "17:5: unknown field 'on_fail' (it belongs in rate_limit)",
                        "18:49: requests_per_unit: '1.5' (expected: a whole number from 0 to 4294967295)",
                        "21:9: duplicate descriptor x (first at 20:9)",
                        "23:18: shadow_mode: 'tRUE' (expected: true or false, without quotes)",
                        "24:80: rule 'g' replaces itself",
                        "24:85: replaces a rule without a name (expected: the name of another rule)",
                        "24:89: replaces: a text (expected: a mapping of names to values, like { name: other })",
                        "26:38: requests_per_unit: text in quotes (expected: a whole number, without quotes)",
                        "27:5: duplicate descriptor a (first at f:5:5)");
    }

    /** A mistake is one line, whatever else it makes impossible to know. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {domian: d, descriptors: [{ key: a }]}               | 1:2: unknown field 'domian' (did you mean domain?)
            {domain: [d], descriptors: [{ key: a }]}             | 1:10: domain: a list (expected: a single value)
            {domain: d, descriptors: [{ kye: a }]}               | 1:29: unknown field 'kye' (did you mean key?)
            {domain: d, descriptors: [{ key: [a] }]}             | 1:34: key: a list (expected: a single value)
            {domain: d, descriptors: [{ key: a, limit: { requests: 5 } }]} | 1:37: unknown field 'limit' (did you mean rate_limit?)
            """)
    void oneMistakeIsOneLine(String file, String line) {
        assertThat(said(file)).containsExactly(line);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            { unti: day, requests_per_unit: 5 }         | 4:19: unknown field 'unti' (did you mean unit?)
            { unit: , requests_per_unit: 5 }            | 4:19: unit is missing (expected: second, minute, hour, day, week, month, year)
            { unit: 1m, requests_per_unit: 5 }          | 4:25: unknown unit '1m' (did you mean minute?)
            { unit: sec, requests_per_unit: 5 }         | 4:25: unknown unit 'sec' (did you mean second?)
            { unit: day, requests: 5 }                  | 4:30: unknown field 'requests' (did you mean requests_per_unit?)
            { window: 1m, requests_per_unit: 5 }        | 4:19: unknown field 'window' (did you mean unit? window: 1m is unit: minute)
            { unlimited: ture }                         | 4:30: unlimited: 'ture' (expected: true or false, without quotes)
            { unlimitted: true }                        | 4:19: unknown field 'unlimitted' (did you mean unlimited?)
            { unit: day, requests_per_unit: 5, algorithm: concurrency }      | 4:63: algorithm: concurrency (expected: a rate; a rule in Weir's format (rules, not descriptors) limits concurrency)
            { unit: day, requests_per_unit: 5, algorithm: tokens, burst: 9 } | 4:63: unknown algorithm 'tokens' (expected: token_bucket, gcra, leaky_bucket, fixed_window, sliding_window, sliding_window_log, concurrency)
            { unit: day, requests_per_unit: 5, replaces: [{ nmae: a }] }     | 4:65: unknown field 'nmae' (did you mean name?)
            { unit: day, requests_per_unit: 20000, algorithm: sliding_window_log } | 4:49: requests: 20000 (expected: <= 10000 for sliding_window_log, which remembers every hit; sliding_window takes more)
            """)
    void oneMistakeInALimitIsOneLine(String rateLimit, String line) {
        assertThat(said(limit(rateLimit))).containsExactly(line);
    }

    @Test
    void aDescriptorWithoutAKeyIsReadToItsEnd() {
        assertThat(said("domain: d\ndescriptors: [{ kye: a, rate_limit: { unit: dya }, descriptors: [{ valeu: b }] }]"))
                .containsExactly(
                        "2:17: unknown field 'kye' (did you mean key?)",
                        "2:37: warning: no requests_per_unit: always over its limit (envoyproxy/ratelimit assumes 0)",
                        "2:45: unknown unit 'dya' (did you mean day?)",
                        "2:66: descriptor has no key",
                        "2:68: unknown field 'valeu' (did you mean value?)");
    }

    @Test
    void acceptsAndWarnsOfFieldsThatTheReferenceSkips() {
        assertThat(said("""
                        domain: d
                        descriptors:
                          - key: a
                            unit: day
                            detailed_metric: true
                            rate_limit: { unit: day, shadow_mode: true }
                          - key: b
                            shadow_mode: true
                          - key: c
                            rate_limit: { unit: day, requests_per_unit: 1, replaces: [{ name: nobody }] }
                          - key: d
                            rate_limit:
                              unlimited: true
                              unit: unknown
                              descriptors: [{ key: e }]
                              replaces: [{ name: nobody, unit: day }]
                        """))
                .containsExactly(
                        "4:5: warning: 'unit' has no effect here (it belongs in rate_limit)",
                        "5:5: warning: detailed_metric has no effect"
                                + " (Weir keeps one time series per rule, so that callers cannot create new ones)",
                        "6:17: warning: no requests_per_unit: always over its limit (envoyproxy/ratelimit assumes 0)",
                        "6:30: warning: 'shadow_mode' has no effect here (it belongs in a descriptor, beside rate_limit)",
                        "8:5: warning: shadow_mode has no effect without a rate_limit",
                        "10:71: warning: no rule is named 'nobody'",
                        "14:7: warning: unit has no effect beside unlimited (remove it)",
                        "15:7: warning: 'descriptors' has no effect here (it belongs in a descriptor, beside rate_limit)",
                        "16:26: warning: no rule is named 'nobody'",
                        "16:34: warning: 'unit' has no effect here (it belongs in rate_limit)");
    }

    @Test
    void descriptorsThatNoRequestReachesAreWarnedOf() {
        assertThat(said("""
                        domain: d
                        descriptors:
                          - { key: a, value: "x*" }
                          - { key: a, value: "x*y*" }
                          - { key: a, value: "xyz" }
                          - { key: a, value: "*x" }
                          - { key: b }
                          - { key: b, value: "*" }
                          - { key: b, value: "q*" }
                          - { key: c, value: "*" }
                        """))
                .containsExactly(
                        "4:5: warning: no request reaches a=x*y* (a=x* at 3:5 matches first)",
                        "7:5: warning: no request reaches b (b=* at 8:5 matches first)",
                        "9:5: warning: no request reaches b=q* (b=* at 8:5 matches first)");
    }

    @Test
    void oneWildcardCoversAnotherOnlyWhereThatIsCertain() {
        assertThat(UnreachableDescriptorWarnings.covers("a*", "ab*")).isTrue();
        assertThat(UnreachableDescriptorWarnings.covers("*", "*x*")).isTrue();
        assertThat(UnreachableDescriptorWarnings.covers("*b*", "abc*")).isTrue();
        assertThat(UnreachableDescriptorWarnings.covers("**a", "*a")).isTrue();
        assertThat(UnreachableDescriptorWarnings.covers("ab*", "a*")).isFalse();
        assertThat(UnreachableDescriptorWarnings.covers("a*b", "a*")).isFalse();
        assertThat(UnreachableDescriptorWarnings.covers("*a", "*a*")).isFalse();
        assertThat(UnreachableDescriptorWarnings.covers("a", "*")).isFalse();
    }

    private static String limit(String rateLimit) {
        return "domain: d\ndescriptors:\n  - key: a\n    rate_limit: " + rateLimit + "\n";
    }
}
