package dev.weir.rules.internal.grammar;

import static dev.weir.rules.LoadedRules.rule;
import static dev.weir.rules.LoadedRules.rules;
import static dev.weir.rules.LoadedRules.said;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.Algorithm;
import dev.weir.CalendarWindow;
import dev.weir.Cause;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.OnMissing;
import dev.weir.Request;
import dev.weir.internal.match.Matches;
import dev.weir.internal.model.Escalation;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.rules.internal.load.RuleLoader;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WeirFormatTest {
    private static final String LIMIT = "limit: { requests: 5, window: 1s }";

    @Test
    void everyFieldIsTaken() {
        Rule rule = rule("""
                domain: shop
                key_by: api_key
                rules:
                  - name: login
                    match:
                      endpoint: ["POST /login", "POST /signup"]
                      ip: [10.0.0.0/8, "2001:db8::/32", 192.0.2.1]
                      user_agent: "~(?i)bot"
                      region: eu-*
                    limit: { requests: 5, window: 1m, algorithm: sliding_window, sub_windows: 60 }
                    key_by: [ip, user_id]
                    ipv6_prefix: 56
                    on_fail: local
                    on_missing: share
                    consistency: reported
                    deadline: 3ms
                    local_share: 0.5
                    lease_interval: 500ms
                    report_interval: 1s
                    shadow: true
                    cost: 2
                    enabled: true
                """);

        assertThat(rule.id()).isEqualTo("login");
        assertThat(rule.label()).isEqualTo("login");
        assertThat(rule.limit())
                .isEqualTo(Limit.slidingWindow(5, Duration.ofMinutes(1)).withSubWindows(60));
        assertThat(rule.onFail()).isEqualTo(OnFail.LOCAL);
        assertThat(rule.onMissing()).isEqualTo(OnMissing.SHARE);
        assertThat(rule.consistency()).isEqualTo(Consistency.REPORTED);
        assertThat(rule.deadlineMicros()).isEqualTo(3_000);
        assertThat(rule.localShare()).isEqualTo(500_000);
        assertThat(rule.leaseIntervalMicros()).isEqualTo(500_000);
        assertThat(rule.reportIntervalMicros()).isEqualTo(1_000_000);
        assertThat(rule.shadow()).isTrue();
        assertThat(rule.cost()).isEqualTo(2);
        assertThat(rule.countsDenied()).isFalse();
    }

    @Test
    void theFileSpeaksForRulesThatDoNot() {
        assertThat(rules("""
                        on_fail: deny
                        on_missing: share
                        rules:
                          - { name: a, limit: { requests: 5, window: 1s } }
                          - { name: b, limit: { requests: 5, window: 1h }, on_fail: allow, on_missing: deny }
                        """))
                .extracting(Rule::domain, Rule::onFail, Rule::onMissing)
                .containsExactly(
                        tuple("default", OnFail.DENY, OnMissing.SHARE), tuple("default", OnFail.ALLOW, OnMissing.DENY));
    }

    @Test
    void denyAsNamesTheStatusOfADenial() {
        assertThat(rules("""
                        deny_as: 503
                        rules:
                          - { name: a, limit: { requests: 5, window: 1s } }
                          - { name: b, limit: { requests: 0, window: 1h }, deny_as: 403 }
                          - { name: c, limit: { requests: 5, window: 1h }, deny_as: 429 }
                        """)).extracting(Rule::denyAs).containsExactly(Cause.CAPACITY, Cause.NOT_ALLOWED, Cause.QUOTA);
    }

    @Test
    void escalateHasDefaultsAndIsByTheKey() {
        Rule rule = rule("""
                rules:
                  - { key_by: "user_id | ip", limit: { requests: 5, window: 1s }, escalate: { after: 3, ban: 2d } }
                """);
        assertThat(rule.escalation())
                .isEqualTo(new Escalation(
                        3,
                        600_000_000L,
                        172_800_000_000L,
                        2,
                        172_800_000_000L,
                        604_800_000_000L,
                        List.of("user_id", "ip"),
                        64));
    }

    @Test
    void withoutAlgorithmAndBurstItIsATokenBucketOfItsRequests() {
        assertThat(rule("rules: [{ limit: { requests: 5, window: 1s } }]").limit())
                .isEqualTo(Limit.tokenBucket(5, Duration.ofSeconds(1)));
    }

    @Test
    void windowsAreDurationsOrWords() {
        assertThat(rule("rules: [{ limit: { requests: 5, window: 1500ms } }]").limit())
                .isEqualTo(Limit.tokenBucket(5, Duration.ofMillis(1500)));
        assertThat(rule("rules: [{ limit: { requests: 5, window: day } }]").limit())
                .isEqualTo(Limit.tokenBucket(5, Duration.ofDays(1)));
    }

    @Test
    void aDisabledRuleIsCheckedAndLeftOut() {
        assertThat(rules("rules: [{ " + LIMIT + ", enabled: false }, { name: b, " + LIMIT + " }]"))
                .extracting(Rule::name)
                .containsExactly("b");
        assertThat(said("rules: [{ enabled: no, limit: { requests: x, window: 1s } }]"))
                .hasSize(1);
    }

    @Test
    void aTierWithALimitIsARuleAndLendsItsNumbers() {
        assertThat(rules("""
                        key_by: api_key
                        tiers:
                          free: { requests: 10, window: 1m, burst: 20 }
                          paid: {}
                        rules:
                          - name: uploads
                            match: { tier: free, endpoint: "POST /upload" }
                        """))
                .extracting(Rule::id, Rule::limit)
                .containsExactly(
                        tuple("tier:free", new Limit(Algorithm.TOKEN_BUCKET, 10, 60_000_000, 20, 1)),
                        tuple("uploads", new Limit(Algorithm.TOKEN_BUCKET, 10, 60_000_000, 20, 1)));
        assertThat(said("tiers: { paid: {} }\nrules:\n  - match: { tier: paid }\n"))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("3:5: limit is missing");
    }

    @Test
    void anUnnamedRuleKeepsItsIdentityWhenTheFileIsReorderedOrALimitRaised() {
        String a = rule("rules: [{ match: { tier: [a, b], user: u }, limit: { requests: 5, window: 1s } }]")
                .id();
        String reordered = rule("rules: [{ limit: { window: 1h, requests: 50 }, match: { user: u, tier: [b, a] } }]")
                .id();
        assertThat(reordered).isEqualTo(a).startsWith("#");
        assertThat(rule("domain: x\nrules: [{ match: { tier: [a, b], user: u }, " + LIMIT + " }]")
                        .id())
                .isNotEqualTo(a);
        assertThat(rule("rules: [{ match: { tier: [a, b], user: u }, key_by: ip, " + LIMIT + " }]")
                        .id())
                .isNotEqualTo(a);
        assertThat(rule("rules: [{ match: { tier: [a, b] }, " + LIMIT + " }]").id())
                .isNotEqualTo(a);
    }

    @Test
    void unnamedRulesAreShownByWhatTellsThemApart() {
        assertThat(rules("""
                        rules:
                          - { match: { tier: free }, limit: { requests: 5, window: 1s } }
                          - { limit: { requests: 5, window: 1s } }
                          - { key_by: ip, limit: { requests: 5, window: 1s } }
                          - { key_by: "user_id:api_key | ip", limit: { requests: 5, window: 1s } }
                          - { key_by: ip, limit: { requests: 5, window: 1s, algorithm: gcra } }
                        """))
                .extracting(Rule::label)
                .containsExactlyInAnyOrder(
                        "tier=free",
                        "everything all together",
                        "everything by ip token_bucket",
                        "everything by user_id:api_key|ip",
                        "everything by ip gcra");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "key_by: [ip]",
                "key_by: ip",
                "key_pattern: \"addr:{ip}\"",
                "key_by: [ \"ip\" ]",
            })
    void theSpellingsOfAKeyAreOne(String key) {
        String id = rule("rules: [{ key_by: ip, " + LIMIT + " }]").id();
        assertThat(rule(key + "\nrules: [{ " + LIMIT + " }]").id()).isEqualTo(id);
    }

    @Test
    void aTupleMayBeWrittenInOneWord() {
        String id = rule("rules: [{ key_by: [user_id, ip], " + LIMIT + " }]").id();
        assertThat(rule("key_by: user_id:ip\nrules: [{ " + LIMIT + " }]").id()).isEqualTo(id);
        assertThat(rule("key_pattern: \"u:{user_id}:{ip}\"\nrules: [{ " + LIMIT + " }]")
                        .id())
                .isEqualTo(id);
        assertThat(rule("key_by: \"user_id | ip\"\nrules: [{ " + LIMIT + " }]").id())
                .isNotEqualTo(id);
    }

    @Test
    void aWindowMayBeOneOfTheCalendar() {
        for (CalendarWindow each : CalendarWindow.values()) {
            assertThat(rule("rules: [{ limit: { requests: 5, window: " + each.text() + " } }]")
                            .limit())
                    .isEqualTo(Limit.calendarWindow(5, each));
        }
        assertThat(said("rules: [{ limit: { requests: 5, window: calendar_day, algorithm: gcra } }]"))
                .containsExactly("1:41: calendar_day with gcra (only fixed_window counts by the calendar)");
    }

    @Test
    void allMistakesAreReportedTogether() {
        assertThat(said("""
                        key_by: { a: b }
                        on_fail: alow
                        descriptors: []
                        tiers: { free: { requests: 1 } }
                        rules:
                          - limit: { rate: 5, window: 60 }
                          - limit: { requests: 0x10, window: 1.5s, burst: 1e3 }
                          - limit: { requests: NaN, window: minuet }
                          - limit: { requests: 99999999999999999999, window: 200000000000d }
                          - limit: { requests: 10, window: 1s, burst: 2 }
                            cost: 3
                          - name: "#1"
                            match: { ip: [10.0.0.0/33, somewhere], endpoint: [], user: , agent: "~(a" }
                            limit: { requests: 1, window: 1s }
                            shadow: "true"
                            rate_limit: {}
                          - limit: { requests: 1, window: calendar_mont }
                            key_by: [ip, "a b", ip]
                            local_share: 1.5
                          - just text
                          - limit: { requests: 20_000, window: 1s, algorithm: sliding_window_log }
                          - limit: { requests: 1, window: 1s, algorithm: concurrency }
                            key_pattern: "no braces"
                        """))
                .containsExactly(
                        "1:9: key_by: a mapping (expected: a name, or a list of names)",
                        "2:10: unknown on_fail 'alow' (did you mean allow?)",
                        "3:1: unknown field 'descriptors' (a file has either rules or descriptors)",
                        "4:16: window is missing (expected: requests and window)",
                        "6:14: unknown field 'rate' (did you mean requests?)",
                        "6:31: window: '60' (no unit; did you mean 60s?)",
                        "7:24: requests: '0x10' (expected: a whole number >= 0)",
                        "7:38: window: '1.5s' (expected: a duration like 10ms, 2s, 1m, 1h, 1d)",
                        "7:51: burst: '1e3' (expected: a whole number >= 0)",
                        "8:24: requests: 'NaN' (expected: a whole number >= 0)",
                        "8:37: window: 'minuet' (did you mean minute?)",
                        "9:24: requests: '99999999999999999999'"
                                + " (expected: a whole number from 0 to 9223372036854775807)",
                        "9:54: window: '200000000000d' (too long: does not fit 64 bits of microseconds)",
                        "10:47: burst: 2 (expected: >= 3, the cost of one request, or no request would ever pass)",
                        "12:11: name: '#1' (expected: up to 200 characters on one line, the first not #)",
                        "13:19: ip: 10.0.0.0/33 (expected: a prefix between /0 and /32)",
                        "13:32: ip 'somewhere' can never match" + " (expected: an address, or a block like 10.0.0.0/8)",
                        "13:54: endpoint: [] can never match (expected: at least one value)",
                        "13:63: user: an empty value"
                                + " (expected: a text, or a list of texts; put it in quotes if it is meant literally)",
                        "13:73: agent: not a regular expression: missing closing )"
                                + " (RE2 syntax: no look-around, no back-references)",
                        "15:13: shadow: 'true' (expected: true or false, without quotes)",
                        "16:5: unknown field 'rate_limit' (did you mean limit?)",
                        "17:35: window: 'calendar_mont' (did you mean calendar_month?)",
                        "18:18: key_by: 'a b' (expected: user_id, user_id:ip or api_key | ip)",
                        "18:25: 'ip' twice in one key",
                        "19:18: local_share: '1.5' (expected: a share above 0 and up to 1, like 0.25)",
                        "20:5: rule: a text (expected: a mapping of names to values)",
                        "21:24: requests: 20000 (expected: <= 10000 for sliding_window_log,"
                                + " which remembers every hit; sliding_window takes more)",
                        "22:27: window with concurrency (it counts what is in flight; permit_ttl says how long a permit"
                                + " lasts that nobody gives back)",
                        "23:18: key_pattern: 'no braces' (expected: something like user:{user_id})");
    }

    /** A mistake is one line, whatever else it makes impossible to know. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            rules: [{ deny_as: 404, limit: { requests: 5, window: 1s } }]     | 1:20: deny_as: '404' (expected: 429, 503 or 403)
            rules: [{ escalate: { afer: 5 }, key_by: ip, limit: { requests: 5, window: 1s } }] | 1:23: unknown field 'afer' (did you mean after?)
            rules: [{ escalate: { after: 0 }, key_by: ip, limit: { requests: 5, window: 1s } }] | 1:30: after: '0' (expected: a whole number from 1 to 100)
            rules: [{ escalate: { ban: 31d }, key_by: ip, limit: { requests: 5, window: 1s } }] | 1:28: ban: 31d (expected: from 1s to 30d)
            rules: [{ escalate: {}, limit: { requests: 5, window: 1s } }]     | 1:11: escalate on a rule that counts by nothing (expected: key_by with one attribute, by which the caller is banned)
            ruls: [{ limit: { requests: 5, window: 1s } }]                    | 1:1: unknown field 'ruls' (did you mean rules?)
            rules: [{ limt: { requests: 5, window: 1s } }]                    | 1:11: unknown field 'limt' (did you mean limit?)
            rules: [{ limits: [{ requests: 5, window: 1s }] }]                | 1:11: unknown field 'limits' (did you mean limit? several limits are several rules)
            rules: [{ requests: 5 }]                                          | 1:11: unknown field 'requests' (it belongs in limit)
            limit: { requests: 5, window: 1s }                                | 1:1: unknown field 'limit' (it belongs in rules)
            rules: [{ limit: { reqs: 5, window: 1s } }]                       | 1:20: unknown field 'reqs' (did you mean requests?)
            rules: [{ limit: { requests: 5, unit: 1s } }]                     | 1:33: unknown field 'unit' (did you mean window? unit: minute is window: 1m)
            rules: [{ limit: }]                                               | 1:11: limit is missing (expected: limit: { requests: 10, window: 1s }, or a match of one tier that has a limit)
            rules: [{ limit: { requests: 5, window: 1s, algorithm: leaky, over: queue, burst: 9 } }] | 1:56: unknown algorithm 'leaky' (did you mean leaky_bucket?)
            rules: [{ limit: { requests: 5, window: 1s, algorithm: slide, sub_windows: 9 } }]        | 1:56: unknown algorithm 'slide' (expected: token_bucket, gcra, leaky_bucket, fixed_window, sliding_window, sliding_window_log, concurrency)
            rules: [{ limit: { requests: 5, window: 1s, algo: leaky_bucket, over: queue } }]         | 1:45: unknown field 'algo' (did you mean algorithm?)
            rules: [{ limit: { requests: 5, window: min } }]                  | 1:41: window: 'min' (did you mean minute?)
            rules: [{ limit: { requests: 5, window: 99999d } }]               | 1:41: window: 8639913600000000 (expected: <= 2251799813685247 microseconds, some 26062 days)
            rules: [{ limit: { requests: 5_000_000_000, window: 1s } }]       | 1:30: requests: 5000000000 (expected: <= 4294967295, what a bucket can hold)
            rules: [{ limit: { requests: 1, window: 1s, burst: 5000000000 } }] | 1:52: burst: 5000000000 (expected: <= 4294967295, what a bucket can hold)
            rules: [{ limit: { requests: 5, algorithm: concurrency, burst: 9 } }] | 1:57: burst with concurrency (requests is the most that is in flight at once)
            rules: [{ limit: { requests: 5, algorithm: concurrency, sub_windows: 9 } }] | 1:57: sub_windows with concurrency (only sliding_window has sub-windows)
            rules: [{ limit: { requests: 5, algorithm: concurrency, over: queue } }] | 1:57: over with concurrency (only leaky_bucket has a queue)
            rules: [{ limit: { algorithm: concurrency } }]                    | 1:18: requests is missing (expected: how many at once)
            rules: [{ limit: { requests: 20000, algorithm: concurrency } }]   | 1:30: requests: 20000 (expected: <= 10000 for concurrency, which remembers every permit)
            rules: [{ limit: { requests: 5, algorithm: concurrency, ttl: 90s } }] | 1:57: unknown field 'ttl' (did you mean permit_ttl?)
            rules: [{ limit: { requests: 5, algorithm: concurrency, permit_ttl: 25h } }] | 1:69: permit_ttl: 25h (expected: a day at most; a call that takes longer renews its permit)
            rules: [{ limit: { requests: 5, algorithm: concurrency, permit_ttl: 0s } }] | 1:69: permit_ttl: '0s' (expected: more than 0)
            rules: [{ limit: { requests: 5, window: 1s, permit_ttl: 60s } }]  | 1:45: permit_ttl without permits (only algorithm: concurrency has permits)
            rules: [{ limit: { requests: 500, algorithm: concurrency }, consistency: reported }] | 1:74: consistency: reported (permits are taken before a call, and cannot be reported after it; expected: exact, leased or local)
            rules: [{ limit: { requests: 5, algorithm: concurrency }, cost: 6 }] | 1:30: requests: 5 (expected: >= 6, the cost of one request, or no request would ever pass)
            rules: [{ match: { tier: [] } }]                                  | 1:26: tier: [] can never match (expected: at least one value)
            rules: [{ mach: { tier: free } }]                                 | 1:11: unknown field 'mach' (did you mean match?)
            {teirs: { free: { requests: 5, window: 1s } }, rules: [{ match: { tier: free } }]} | 1:2: unknown field 'teirs' (did you mean tiers?)
            {tiers: { free: { requests: 5 } }, rules: [{ match: { tier: free } }]}             | 1:17: window is missing (expected: requests and window)
            {tiers: [free], rules: [{ match: { tier: free } }]}               | 1:9: tiers: a list (expected: a mapping of names to values)
            rules: [{ name: "a\\u2028b", limit: { requests: 5, window: 1s } }] | 1:17: name: 'a\\u2028b' (expected: up to 200 characters on one line, the first not #)
            {key_by: [null], rules: []}                                       | 1:11: key_by: an empty value in the list (expected: names of attributes)
            rules: [{ match: { endpoint: 'P* /x' }, limit: { requests: 5, window: 1s } }] | 1:30: endpoint 'P* /x' can never match (expected: /path, METHOD /path or *)
            """)
    void oneMistakeIsOneLine(String file, String line) {
        assertThat(said(file)).containsExactly(line);
    }

    @Test
    void aConcurrencyLimitHasPermitsInsteadOfAWindow() {
        assertThat(said("rules: [{ limit: { requests: 5, algorithm: concurrency, permit_ttl: 59s } }]"))
                .containsExactly(
                        "1:69: warning: permit_ttl: 59s (a call that takes longer is no longer counted, unless it"
                                + " renews its permit, which Envoy cannot)");
        assertThat(said("rules: [{ limit: { requests: 5, algorithm: concurrency, permit_ttl: 60s } }]"))
                .isEmpty();
        assertThat(said("rules: [{ limit: { requests: 5, algorithm: concurrency }, consistency: local }]"))
                .isEmpty();
    }

    @Test
    void aMistakeUnderAnAnchorIsReportedOnce() {
        assertThat(said("""
                        rules:
                          - name: a
                            limit: &few { requests: 5, windo: 1s }
                          - name: b
                            limit: *few
                          - <<: { shadow: maybe }
                            name: c
                            limit: *few
                        """))
                .containsExactly(
                        "3:32: unknown field 'windo' (did you mean window?)",
                        "6:19: shadow: 'maybe' (expected: true or false, without quotes)");
    }

    @Test
    void warnsOfMatchesThatNoRequestWillHave() {
        assertThat(said("""
                        key_by: apikey
                        rules:
                          - name: a
                            match: { endpoint: [POST /x, POST /y], method: GET, teir: free }
                            limit: { requests: 5, window: 1s }
                          - name: b
                            match: { endpoint: ["GTE /users/{id}", "/users/:id/posts"], teir: pro }
                            limit: { requests: 5, window: 1s }
                          - name: c
                            match: { method: [post, PURGE] }
                            limit: { requests: 5, window: 1s }
                          - name: d
                            match: { endpoint: [POST /x, /y], method: [GET, POST], client_ip: 10.0.0.0/8 }
                            limit: { requests: 5, window: 1s }
                        """))
                .containsExactly(
                        "1:9: warning: attribute 'apikey' resembles another (did you mean api_key?)",
                        "4:52: warning: no request has method=GET and endpoint=POST /x|POST /y"
                                + " (the endpoint has the method already)",
                        "4:57: warning: attribute 'teir' resembles another (did you mean tier?)",
                        "7:25: warning: method 'GTE' resembles another (did you mean GET?)",
                        "7:25: warning: endpoint 'GTE /users/{id}' is matched literally"
                                + " (did you mean GTE /users/*?)",
                        "7:44: warning: endpoint '/users/:id/posts' is matched literally"
                                + " (did you mean /users/*/posts?)",
                        "10:23: warning: method 'post' resembles another (did you mean POST?)");
    }

    @Test
    void aShaperHasOneQueueSoItsHitsCannotBePaidForAhead() {
        assertThat(said("""
                        consistency: reported
                        rules:
                          - name: own
                            limit: { requests: 5, window: 1s, algorithm: leaky_bucket }
                            consistency: leased
                          - name: of the file
                            limit: { requests: 5, window: 1s, algorithm: leaky_bucket }
                          - name: exact
                            limit: { requests: 5, window: 1s, algorithm: leaky_bucket }
                            consistency: exact
                            lease_interval: fast
                        """))
                .containsExactly(
                        "5:18: consistency: leased"
                                + " (a leaky_bucket's delay needs one shared queue; expected: exact or local)",
                        "6:5: consistency: reported"
                                + " (a leaky_bucket's delay needs one shared queue; expected: exact or local)",
                        "11:21: lease_interval: 'fast' (expected: a duration like 10ms, 2s, 1m, 1h, 1d)");
    }

    @Test
    void warnsOfFieldsWithoutEffect() {
        assertThat(said("""
                        rules:
                          - name: a
                            match: { tier: fre }
                            limit: { requests: 5, window: 1s, algorithm: fixed_window, burst: 9, sub_windows: 3 }
                            store: big
                          - name: tight
                            match: { tier: [x, y] }
                            limit: { requests: 5, window: 1s }
                          - name: loose
                            match: { tier: [y, x] }
                            limit: { requests: 6, window: 1s }
                          - name: other
                            match: { tier: [y, x] }
                            limit: { requests: 6, window: 1h }
                          - name: shaped
                            limit: { requests: 6, window: 1h, algorithm: leaky_bucket, over: queue }
                        """))
                .containsExactly(
                        "3:20: warning: tier 'fre' resembles another (did you mean free?)",
                        "4:64: warning: burst has no effect on fixed_window (algorithm: token_bucket has a burst)",
                        "4:74: warning: sub_windows has no effect on fixed_window (only sliding_window has sub-windows)",
                        "9:11: warning: rule 'loose' never denies anything"
                                + " (the rule at 6:11 matches the same and is as tight or tighter)",
                        "16:64: warning: over: queue has no effect in this version"
                                + " (the response has the delay, and the caller waits)");
    }

    @Test
    void rulesThatDoNotDenyAreNotCalledRedundant() {
        assertThat(said("""
                        rules:
                          - { name: new, rollout: 10, limit: { requests: 5, window: 1s } }
                          - { name: old, limit: { requests: 9, window: 1s } }
                          - { name: watched, shadow: true, limit: { requests: 50, window: 1s } }
                        """)).isEmpty();
    }

    @Test
    void aCostIsNeverMoreThanATierLends() {
        assertThat(said("""
                        tiers: { free: { requests: 10, window: 1m } }
                        rules:
                          - { match: { tier: free, endpoint: /big }, cost: 20 }
                        """))
                .containsExactly(
                        "3:52: cost: 20 (expected: <= 10, the burst of its tier, or no request would ever pass)");
    }

    @Test
    void nobodyWaitsLongerThanAnHour() {
        String rule = "rules:\n  - { name: a, deadline: %s, limit: { requests: 5, window: 1s } }\n";
        assertThat(said(rule.formatted("1h"))).singleElement().asString().startsWith("2:26: warning: deadline: 1h ");
        assertThat(said(rule.formatted("200000d")))
                .containsExactly("2:26: deadline: 200000d (expected: an hour at most)");
    }

    @Test
    void warnsOfTheSyntaxOfOtherLimiters() {
        assertThat(said("""
                        key_by: global
                        deadline: 2s
                        rules:
                          - name: a
                            key_by: Ip
                            match: { tier: "free|pro" }
                            limit: &l { requests: 5, window: 1s }
                          - { name: b, key_by: "header:X-Api-Key", match: { tier: "!free" }, limit: *l }
                          - { name: c, key_by: [], match: { tier: "free, pro", endpoint: "GET /a|/b" }, limit: *l }
                          - { name: d, match: { endpoint: "/a,b" }, limit: *l, lease_interval: 10 }
                        """))
                .containsExactly(
                        "1:9: warning: key_by: 'global' means an attribute of that name"
                                + " (write [] for one shared counter)",
                        "2:11: warning: deadline: 2s (a request waits this long for a store that does not answer,"
                                + " before on_fail decides)",
                        "5:13: warning: attribute 'Ip' resembles another (did you mean ip?)",
                        "6:20: warning: tier 'free|pro' is matched literally (a list: [free, pro])",
                        "8:24: warning: attribute 'X-Api-Key' resembles another (did you mean api_key?)",
                        "8:24: warning: key_by: 'header' is taken for an attribute of its own"
                                + " (write the attribute's name alone)",
                        "8:59: warning: tier '!free' is matched literally"
                                + " (there is no negation: list the values that should match)",
                        "9:43: warning: tier 'free, pro' is matched literally (a list: [free, pro])",
                        "9:66: warning: endpoint 'GET /a|/b' is matched literally (write a list)",
                        "10:72: lease_interval: '10' (no unit; did you mean 10ms?)");
    }

    @Test
    void anEndpointThatIsComparedOtherwiseThanWrittenIsNamed() {
        String limit = "limit: { requests: 1, window: 1s }";
        assertThat(said("rules:\n"
                        + "  - { match: { endpoint: ['/a?x=1', 'POST /b;v=1', '/c/', '/d/../e'] }, " + limit + " }\n"
                        + "  - { match: { endpoint: ['~^/f/$', '~^/g\\?x', '~^/$'] }, " + limit + " }\n"
                        + "  - { endpoint_case: ignore, match: { tier: free }, " + limit + " }\n"
                        + "  - { endpoint_case: lower, match: { endpoint: /h }, " + limit + " }\n"))
                .containsExactly(
                        "2:27: warning: endpoint '/a?x=1' is compared as '/a'"
                                + " (its normal form; as written with endpoint_form: raw, or rawEndpoints() in the library)",
                        "2:37: warning: endpoint 'POST /b;v=1' is compared as '/b'"
                                + " (its normal form; as written with endpoint_form: raw, or rawEndpoints() in the library)",
                        "2:59: warning: endpoint '/d/../e' is compared as '/e'"
                                + " (its normal form; as written with endpoint_form: raw, or rawEndpoints() in the library)",
                        "3:27: warning: endpoint '~^/f/$' mentions a slash at the end or a query"
                                + " (the normal form of an endpoint has neither)",
                        "3:37: warning: endpoint '~^/g\\?x' mentions a slash at the end or a query"
                                + " (the normal form of an endpoint has neither)",
                        "4:7: warning: endpoint_case has no effect"
                                + " (the rule neither matches nor counts by endpoint)",
                        "5:22: unknown endpoint_case 'lower' (expected: keep, ignore)");
    }

    @Test
    void theCaseOfEndpointsIsIgnoredForARuleOrForAFile() {
        String rule = "key_by: endpoint, limit: { requests: 1, window: 1s } }\n";
        RuleIndex rules = RuleIndex.of(RuleLoader.parse(
                        "f",
                        "endpoint_case: ignore\nrules:\n"
                                + "  - { name: a, match: { endpoint: '/Login' }, " + rule
                                + "  - { name: b, match: { endpoint: '~^/Log' }, " + rule
                                + "  - { name: c, endpoint_case: keep, match: { endpoint: '/Login' }, " + rule)
                .orThrow());
        Matches matches = new Matches();
        rules.match(Request.to("default").with("endpoint", "/LOGIN"), matches);
        assertThat(matches.size()).isEqualTo(2);
        rules.match(Request.to("default").with("endpoint", "/Login"), matches);
        assertThat(matches.size()).isEqualTo(3);
    }

    @Test
    void anExpressionSeesTheBeginningOfALongValue() {
        RuleIndex rules = RuleIndex.of(
                RuleLoader.parse("f", "rules: [{ match: { agent: '~^bot.*x' }, limit: { requests: 1, window: 1s } }]")
                        .orThrow());
        Matches matches = new Matches();
        rules.match(Request.to("default").with("agent", "bot x" + "a".repeat(30_000)), matches);
        assertThat(matches.size()).isEqualTo(1);
        rules.match(Request.to("default").with("agent", "bot" + "a".repeat(30_000) + "x"), matches);
        assertThat(matches.size()).isZero();
    }

    @Test
    void aFileThatSaysNothingOfRulesIsAMistake() {
        assertThat(said("key_by: ip\n")).hasSize(1).first().asString().startsWith("1:1: rules is missing");
        assertThat(said("just text\n")).hasSize(1).first().asString().startsWith("1:1: the file: a text");
        assertThat(said("- a\n")).hasSize(1).first().asString().startsWith("1:1: the file: a list");
    }

    @Test
    void textOfAFileCannotForgeALine() {
        assertThat(said("rules: [{ limit: { requests: \"1\\n2\", window: \"a\\u202Eb\\e[1m\" } }]"))
                .allSatisfy(line -> assertThat(line).doesNotContain("\n", "\u202E", "\u001B"))
                .hasSize(2);
    }
}
