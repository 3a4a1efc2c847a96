package dev.weir.internal.explain;

import static dev.weir.internal.ruleset.EnvoyTrees.limited;
import static dev.weir.internal.ruleset.EnvoyTrees.open;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.OnMissing;
import dev.weir.Request;
import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.ruleset.EnvoyTrees;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RuleExplainerTest {
    private static final KeyBy ALL = KeyBy.global();

    private static List<String> told(WrittenRules rules, Request request) {
        return told(RuleIndex.of(rules), request);
    }

    private static List<String> told(RuleIndex rules, Request request) {
        return rules.look(request).stream()
                .map(each -> (each.met() ? "+ " : "- ") + each.rule().label() + ": " + each.why())
                .toList();
    }

    @Test
    void everyRuleSaysWhatTheRequestHasOrLacks() {
        WrittenRules rules = WeirRules.rules(
                WeirRules.rule("writes", ALL, "tier", "free", "endpoint", "POST /api/*"),
                WeirRules.rule("paid", ALL, "tier", "paid|pro"),
                WeirRules.rule("by user", KeyBy.of("user_id")),
                WeirRules.rule("block", ALL, "ip", "10.0.0.0/8"),
                WeirRules.rule("everyone", ALL));

        assertThat(told(rules, WeirRules.ask("tier", "free", "endpoint", "GET /api/x", "ip", "192.0.2.1")))
                .containsExactly(
                        "- writes: endpoint is \"GET /api/x\" (expected: POST /api/*)",
                        "- paid: tier is \"free\" (expected: paid or pro)",
                        "- by user: it lacks what the rule counts by (user_id), and on_missing says skip",
                        "- block: ip is \"192.0.2.1\" (expected: 10.0.0.0/8)",
                        "+ everyone: it asks for nothing");
        assertThat(told(rules, WeirRules.ask("endpoint", "/api/x", "user_id", "u", "ip", "10.1.2.3")))
                .containsExactly(
                        "- writes: tier is missing (expected: free)",
                        "- paid: tier is missing (expected: paid or pro)",
                        "+ by user: it asks for nothing",
                        "+ block: ip is 10.0.0.0/8",
                        "+ everyone: it asks for nothing");
    }

    @Test
    void aMissingKeyThatIsDeniedAppliesAndSaysSo() {
        WrittenRules rules = WeirRules.rules(
                WeirRules.rule(WeirRules.rule("login").onMissing(OnMissing.DENY).build(), KeyBy.parse("user_id | ip")));

        assertThat(told(rules, WeirRules.ask("endpoint", "/login")))
                .containsExactly("+ login: it lacks what the rule counts by (user_id | ip), and on_missing says deny");
    }

    @Test
    void aTreeSaysWhereTheDescriptorLeftIt() {
        WrittenRules rules = EnvoyTrees.rules(
                limited("remote_address"),
                open("path=/login", limited("user"), limited("user=root")),
                limited("tier=free*"),
                limited("tier"));

        assertThat(told(rules, EnvoyTrees.ask("path=/login user=root")))
                .containsExactly(
                        "- remote_address: entry 1 is \"path\" (expected: remote_address)",
                        "- user: another entry of the same key is closer",
                        "+ user=root: path is /login, user is root",
                        "- tier=free*: entry 1 is \"path\" (expected: tier)",
                        "- tier: entry 1 is \"path\" (expected: tier)");
        assertThat(told(rules, EnvoyTrees.ask("tier=paid more=x")))
                .contains(
                        "- tier=free*: tier is \"paid\" (expected: free*)",
                        "- tier: the descriptor goes on with \"more\"");
        assertThat(told(rules, EnvoyTrees.ask("path=/login"))).contains("- user: the descriptor ends before user");
    }

    @Test
    void attributesAreSeenAsTheyAreMatched() {
        EnvoyDescriptor general = limited("path");
        WrittenRules files = EnvoyTrees.rules(
                limited(
                        "user",
                        EnvoyTrees.rule("special", EnvoyTrees.PER_MINUTE)
                                .replaces(List.of("path"))
                                .build()),
                general,
                limited("remote_address=10.*"),
                limited("tier=free"));
        RuleIndex rules = RuleIndex.of(files, key -> new CallerOverrides("pro", List.of()), RuleSwitches.NONE);

        assertThat(told(rules, EnvoyTrees.ask("user=u").asAttributes())).contains("- path: path is missing");
        assertThat(told(rules, EnvoyTrees.ask("user=u path=/").asAttributes()))
                .contains("- path: another rule of this request replaces it");
        assertThat(told(rules, EnvoyTrees.ask("ip=192.0.2.1").asAttributes()))
                .contains("- remote_address=10.*: remote_address is \"192.0.2.1\" (expected: 10.*)");
        assertThat(told(rules, EnvoyTrees.ask("api_key=k tier=free").asAttributes()))
                .contains("- tier=free: tier is \"pro\" (expected: free)");
    }

    @Test
    void aDomainThatDoesNotExistHasNothingToSay() {
        assertThat(RuleIndex.of(WeirRules.rules(WeirRules.rule("r", ALL)))
                        .look(Request.to("other").with("a", "b")))
                .isEmpty();
    }

    /** The words are found without the index that decides: they must never be at a loss, nor contradict it. */
    @Test
    void overRandomRulesAndRequestsWhatDoesNotApplyAlwaysHasAReason() {
        String[][] values = {
            {"tier", "free", "pro", "p*"},
            {"endpoint", "POST /a", "/a", "GET /b/*", "*", "/b/c"},
            {"method", "GET", "POST"},
            {"ip", "10.0.0.0/8", "10.1.2.3", "::1"},
            {"region", "eu", "eu-*"}
        };
        String[][] sent = {
            {"tier", "free", "pro", "x"},
            {"endpoint", "POST /a", "/a", "GET /b/c", "/b/c", "PUT /a"},
            {"method", "GET", "POST"},
            {"ip", "10.1.2.3", "192.0.2.1", "::1", "nonsense"},
            {"region", "eu", "eu-west", "us"}
        };
        Random random = new Random(42);
        for (int round = 0; round < 300; round++) {
            List<WeirRule> list = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                list.add(WeirRules.rule("r" + i, ALL, pick(values, random, true)));
            }
            RuleIndex rules = RuleIndex.of(WeirRules.rules(list.toArray(WeirRule[]::new)));
            Request request = WeirRules.ask(pick(sent, random, false));
            List<RuleExplanation> seen = rules.look(request);
            assertThat(seen).hasSize(8);
            assertThat(seen.stream()
                            .filter(RuleExplanation::met)
                            .map(each -> "0:" + each.rule().label()))
                    .containsExactlyElementsOf(EnvoyTrees.met(rules, request));
            assertThat(seen)
                    .filteredOn(each -> !each.met())
                    .allMatch(each -> each.why().contains("(expected: "));
        }
    }

    private static String[] pick(String[][] from, Random random, boolean several) {
        List<String> pairs = new ArrayList<>();
        for (String[] each : from) {
            if (random.nextInt(3) == 0) {
                String first = each[1 + random.nextInt(each.length - 1)];
                String second = each[1 + random.nextInt(each.length - 1)];
                pairs.add(each[0]);
                pairs.add(several && !first.equals(second) ? first + "|" + second : first);
            }
        }
        return pairs.toArray(String[]::new);
    }
}
