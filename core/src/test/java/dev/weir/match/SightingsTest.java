package dev.weir.match;

import static dev.weir.match.Envoy.limited;
import static dev.weir.match.Envoy.open;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.OnMissing;
import dev.weir.model.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SightingsTest {
    private static final KeyBy ALL = KeyBy.global();

    private static List<String> told(RuleSet rules, Request request) {
        return rules.look(request).stream()
                .map(each -> (each.met() ? "+ " : "- ") + each.rule().label() + ": " + each.why())
                .toList();
    }

    @Test
    void everyRuleSaysWhatTheRequestHasOrLacks() {
        RuleSet rules = Weir.rules(
                Weir.rule("writes", ALL, "tier", "free", "endpoint", "POST /api/*"),
                Weir.rule("paid", ALL, "tier", "paid|pro"),
                Weir.rule("by user", KeyBy.of("user_id")),
                Weir.rule("block", ALL, "ip", "10.0.0.0/8"),
                Weir.rule("everyone", ALL));

        assertThat(told(rules, Weir.ask("tier", "free", "endpoint", "GET /api/x", "ip", "192.0.2.1")))
                .containsExactly(
                        "- writes: endpoint is \"GET /api/x\" (expected: POST /api/*)",
                        "- paid: tier is \"free\" (expected: paid or pro)",
                        "- by user: it lacks what the rule counts by (user_id), and on_missing says skip",
                        "- block: ip is \"192.0.2.1\" (expected: 10.0.0.0/8)",
                        "+ everyone: it asks for nothing");
        assertThat(told(rules, Weir.ask("endpoint", "/api/x", "user_id", "u", "ip", "10.1.2.3")))
                .containsExactly(
                        "- writes: tier is missing (expected: free)",
                        "- paid: tier is missing (expected: paid or pro)",
                        "+ by user: it asks for nothing",
                        "+ block: ip is 10.0.0.0/8",
                        "+ everyone: it asks for nothing");
    }

    @Test
    void aMissingKeyThatIsDeniedAppliesAndSaysSo() {
        RuleSet rules = Weir.rules(
                Weir.rule(Weir.rule("login").onMissing(OnMissing.DENY).build(), KeyBy.parse("user_id | ip")));

        assertThat(told(rules, Weir.ask("endpoint", "/login")))
                .containsExactly("+ login: it lacks what the rule counts by (user_id | ip), and on_missing says deny");
    }

    @Test
    void aTreeSaysWhereTheDescriptorLeftIt() {
        RuleSet rules = Envoy.rules(
                limited("remote_address"),
                open("path=/login", limited("user"), limited("user=root")),
                limited("tier=free*"),
                limited("tier"));

        assertThat(told(rules, Envoy.ask("path=/login user=root")))
                .containsExactly(
                        "- remote_address: entry 1 is \"path\" (expected: remote_address)",
                        "- user: another entry of the same key is closer",
                        "+ user=root: path is /login, user is root",
                        "- tier=free*: entry 1 is \"path\" (expected: tier)",
                        "- tier: entry 1 is \"path\" (expected: tier)");
        assertThat(told(rules, Envoy.ask("tier=paid more=x")))
                .contains(
                        "- tier=free*: tier is \"paid\" (expected: free*)",
                        "- tier: the descriptor goes on with \"more\"");
        assertThat(told(rules, Envoy.ask("path=/login"))).contains("- user: the descriptor ends before user");
    }

    @Test
    void attributesAreSeenAsTheyAreMatched() {
        EnvoyDescriptor general = limited("path");
        RuleSet rules = Envoy.rules(
                        limited(
                                "user",
                                Envoy.rule("special", Envoy.PER_MINUTE)
                                        .replaces(List.of("path"))
                                        .build()),
                        general,
                        limited("remote_address=10.*"),
                        limited("tier=free"))
                .toBuilder()
                .quotas(key -> new Quota("pro", List.of()))
                .build();

        assertThat(told(rules, Envoy.ask("user=u").asAttributes())).contains("- path: path is missing");
        assertThat(told(rules, Envoy.ask("user=u path=/").asAttributes()))
                .contains("- path: another rule of this request replaces it");
        assertThat(told(rules, Envoy.ask("ip=192.0.2.1").asAttributes()))
                .contains("- remote_address=10.*: remote_address is \"192.0.2.1\" (expected: 10.*)");
        assertThat(told(rules, Envoy.ask("api_key=k tier=free").asAttributes()))
                .contains("- tier=free: tier is \"pro\" (expected: free)");
    }

    @Test
    void aDomainThatDoesNotExistHasNothingToSay() {
        assertThat(Weir.rules(Weir.rule("r", ALL)).look(Request.to("other").with("a", "b")))
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
                list.add(Weir.rule("r" + i, ALL, pick(values, random, true)));
            }
            RuleSet rules = Weir.rules(list.toArray(WeirRule[]::new));
            Request request = Weir.ask(pick(sent, random, false));
            List<Sighting> seen = rules.look(request);
            assertThat(seen).hasSize(8);
            assertThat(seen.stream()
                            .filter(Sighting::met)
                            .map(each -> "0:" + each.rule().label()))
                    .containsExactlyElementsOf(Envoy.met(rules, request));
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
