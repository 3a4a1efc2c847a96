package dev.weir.internal.ruleset;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Request;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.match.override.LimitOverride;
import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.weir.WeirRule;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Spellings of one endpoint or one address: they meet the same rules and share one counter. */
class SpellingTest {
    static final List<String> LOGIN = List.of(
            "POST /login",
            "POST /login?x=1",
            "POST /login/",
            "POST //login",
            "POST /%6cogin",
            "POST /./login",
            "POST /login;a=b",
            "POST /login#a",
            "POST /x/..;/login",
            "POST \\login",
            "post /login",
            "POST http://host/login");

    @Test
    void everySpellingOfAnEndpointMeetsTheRuleAndSharesItsCounter() {
        for (String pattern : List.of("POST /login", "/login", "/log*", "/login/", "/login?x=1", "/login/*")) {
            RuleIndex rules = RuleIndex.of(WeirRules.rules(
                    WeirRules.rule("a", KeyBy.of("endpoint"), "endpoint", pattern),
                    WeirRules.rule("b", KeyBy.of("user"), "endpoint", pattern, "user", "u")));
            assertThat(counters(rules, LOGIN, "endpoint", "user", "u"))
                    .as(pattern)
                    .hasSize(2);
        }
    }

    @Test
    void everySpellingOfAnAddressSharesItsCounter() {
        RuleIndex rules = RuleIndex.of(WeirRules.rules(
                WeirRules.rule("key", KeyBy.of("ip")),
                WeirRules.rule("match", KeyBy.of("ip"), "ip", "1.2.3.4"),
                WeirRules.rule("block", KeyBy.of("ip"), "ip", "1.2.0.0/16")));
        List<String> spellings =
                List.of("1.2.3.4", "1.2.3.4:80", "1.2.3.4:81", "::ffff:1.2.3.4", "[::FFFF:102:304]:443", "/1.2.3.4");
        assertThat(counters(rules, spellings, "ip", "user", "u")).hasSize(3);
        assertThat(counters(rules, List.of("fe80::1", "fe80::1%eth0", "[FE80:0::1]"), "ip", "user", "u"))
                .hasSize(1);
        // Not an address, so it is text.
        assertThat(counters(rules, List.of("unknown", "010.2.3.4"), "ip", "user", "u"))
                .hasSize(2);
    }

    @Test
    void letterCaseCountsUnlessTheRuleIgnoresIt() {
        WeirRule login = WeirRules.rule("login", KeyBy.of("endpoint"), "endpoint", "POST /Login");
        RuleIndex ignoring = RuleIndex.of(WeirRules.rules(
                new WeirRule(login.rule(), login.match(), login.keyBy(), true),
                WeirRules.rule("x", KeyBy.of("endpoint"))));
        // One counter of the rule that ignores case, and one for each spelling of the other rule.
        assertThat(counters(ignoring, List.of("POST /login", "POST /LOGIN", "POST /%4cogin/"), "endpoint", "user", "u"))
                .hasSize(4);
        Matches none = new Matches();
        RuleIndex.of(WeirRules.rules(login)).match(ask("endpoint", "POST /login"), none);
        assertThat(none.size()).isZero();
    }

    @Test
    void theRawFormComparesTheTextAsItComes() {
        WrittenRules rules = WeirRules.rules(WeirRules.rule("a", KeyBy.of("endpoint"), "endpoint", "/log*"));
        RuleIndex raw = RuleIndex.of(rules, OverrideLookup.NONE, RuleSwitches.NONE, EndpointForm.RAW);
        assertThat(counters(raw, List.of("/login", "/login/", "/login?x"), "endpoint", "user", "u"))
                .hasSize(3);
    }

    @Test
    void anOverrideThatStandsAloneComparesTheNormalForm() {
        CallerOverrides quota =
                new CallerOverrides(null, List.of(new LimitOverride("endpoint:/login", 7, 1_000_000, null)));
        RuleIndex rules = RuleIndex.of(
                WeirRules.rules(WeirRules.rule("a", KeyBy.of("ip"), "tier", "none")), key -> quota, RuleSwitches.NONE);
        assertThat(counters(rules, LOGIN, "endpoint", "api_key", "k")).hasSize(1);
    }

    /** The counters of all requests that differ in {@code attribute} alone; each request must have as many. */
    static Set<Long> counters(RuleIndex rules, List<String> values, String attribute, String other, String value) {
        Set<Long> counters = new HashSet<>();
        int first = -1;
        for (String each : values) {
            Request request = ask(attribute, each, other, value);
            Matches matches = new Matches();
            rules.match(request, matches);
            first = first < 0 ? matches.size() : first;
            assertThat(matches.size()).as(each).isEqualTo(first).isPositive();
            for (int i = 0; i < matches.size(); i++) {
                counters.add(matches.get(i).key0);
            }
        }
        return counters;
    }
}
