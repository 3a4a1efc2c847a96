package dev.weir.rules.internal.grammar;

import static dev.weir.rules.LoadedRules.rules;
import static dev.weir.rules.LoadedRules.said;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.LoadCurve.Point;
import dev.weir.internal.model.LoadQuery;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.RuleDocument;
import dev.weir.rules.internal.load.RuleLoader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class FollowsFieldTest {
    private static final String FILE = """
            domain: api
            services:
              payments: { load: { prometheus: "http://prometheus:9090", query: "max(cpu)" } }
              search:
            rules:
              - name: orders
                limit: { requests: 100, window: 1s }
                follows: { service: payments, at: { 0.8: 1.0, 0.9: 0.5 }, floor: 0.2 }
              - name: find
                limit: { requests: 100, window: 1s }
                follows: { service: search, at: { 0.5: 1, 0.75: 0.25, 1: 0 } }
              - { name: rest, limit: { requests: 100, window: 1s } }
            """;

    @Test
    void aRuleMayFollowTheLoadOfAService() {
        assertThat(rules(FILE))
                .extracting(Rule::follows)
                .containsExactly(
                        new LoadCurve("payments", List.of(new Point(800, 1_000), new Point(900, 500)), 200),
                        new LoadCurve(
                                "search",
                                List.of(new Point(500, 1_000), new Point(750, 250), new Point(1_000, 0)),
                                100),
                        null);
        WrittenRules written =
                Objects.requireNonNull(RuleLoader.parse("a.yaml", FILE).rules());
        assertThat(written.followedServices()).containsExactly("payments", "search");
        assertThat(written.loadQueries().values())
                .containsExactly(new LoadQuery("payments", "http://prometheus:9090", "max(cpu)"));
    }

    @Test
    void withoutServicesAnyNameMayBeFollowed() {
        assertThat(rules("""
                        rules:
                          - { name: a, follows: { service: any, at: { 0.9: 0.5 } }, limit: { requests: 1, window: 1s } }
                        """))
                .extracting(each -> Objects.requireNonNull(each.follows()).service())
                .containsExactly("any");
    }

    @Test
    void everyMistakeIsReportedAtItsPosition() {
        assertThat(said("""
                        services: { payments: }
                        rules:
                          - { name: a, follows: { service: paymets, at: { 0.9: 0.5 } }, limit: { requests: 1, window: 1s } }
                          - { name: b, follows: { service: payments }, limit: { requests: 1, window: 1s } }
                          - { name: c, follows: { at: { 0.9: 0.5 } }, limit: { requests: 1, window: 1s } }
                          - { name: d, follows: { service: payments, at: { 0.9: 2 } }, limit: { requests: 1, window: 1s } }
                          - { name: e, follows: { service: payments, at: { 90%: 0.5 } }, limit: { requests: 1, window: 1s } }
                          - { name: f, follows: { service: payments, at: { 0.9: 1, 0.8: 0.5 } }, limit: { requests: 1, window: 1s } }
                          - { name: g, follows: { service: payments, at: { 0.8: 0.5, 0.9: 1 } }, limit: { requests: 1, window: 1s } }
                          - { name: h, follows: { service: payments, at: { 0.9: 0.5 }, floor: 0 }, limit: { requests: 1, window: 1s } }
                          - { name: i, follows: { service: payments, at: { 0.9: 0.5 }, flor: 1 }, limit: { requests: 1, window: 1s } }
                          - { name: j, follows: payments, limit: { requests: 1, window: 1s } }
                          - { name: k, folows: { service: payments }, limit: { requests: 1, window: 1s } }
                        """))
                .containsExactly(
                        "3:36: no service 'paymets' (did you mean payments?)",
                        "4:25: at is missing (expected: shares of the limit, as in { service: payments, at: { 0.8: 1, 0.9: 0.5 } })",
                        "5:25: service is missing (expected: the name of a service, as in { service: payments, at: { 0.8: 1, 0.9: 0.5 } })",
                        "6:57: share: '2' (expected: a number from 0 to 1, like 0.9)",
                        "7:52: utilisation: '90%' (expected: a number from 0 to 1, like 0.9)",
                        "8:60: utilisation does not rise (expected: the points of at by rising utilisation)",
                        "9:62: share rises with the load (expected: shares that stay or fall as load rises)",
                        "10:71: floor: 0 (expected: above 0, or the limit would deny everything)",
                        "11:64: unknown field 'flor' (did you mean floor?)",
                        "12:25: follows: a text (expected: a mapping of names to values, like { service: payments, at: { 0.8: 1, 0.9: 0.5 } })",
                        "13:16: unknown field 'folows' (did you mean follows?)");
        assertThat(said("""
                        services:
                          "a b": {}
                          b: { load: { prometheus: "ftp://x", query: up } }
                          c: { load: { query: up } }
                          d: { load: { prometheus: "http://x:9090" } }
                          e: { prometheus: "http://x:9090" }
                          f: { load: { url: "http://x:9090", query: up } }
                          g: 7
                        rules: [{ limit: { requests: 1, window: 1s } }]
                        """))
                .containsExactly(
                        "2:3: service 'a b' (expected: up to 100 letters, digits, dots, - and _)",
                        "3:28: prometheus: 'ftp://x' (expected: http://host:port or https://host:port, with a path if it has one)",
                        "4:14: prometheus is missing (expected: the address of a Prometheus server, like http://prometheus:9090)",
                        "5:14: query is missing (expected: the PromQL of a utilisation from 0 to 1)",
                        "6:8: unknown field 'prometheus' (it belongs in load)",
                        "7:16: unknown field 'url' (did you mean prometheus?)",
                        "8:6: service 'g': a text (expected: a mapping of names to values, like { capacity: { requests: 5000, window: 1s, reserve: 0.2 } })");
    }

    @Test
    void aServiceHasOneLoad() {
        String other = """
                domain: other
                services:
                  payments: { load: { prometheus: "http://elsewhere:9090", query: "max(cpu)" } }
                rules: [{ limit: { requests: 1, window: 1s } }]
                """;
        assertThat(RuleLoader.load(List.of(document("a.yaml", FILE), document("b.yaml", other)), LoadOptions.DEFAULT)
                        .diagnostics())
                .extracting(Object::toString)
                .containsExactly("b.yaml:3:21: another load of service 'payments' (first at a.yaml:3:21)");
    }

    private static RuleDocument document(String name, String text) {
        return new RuleDocument(name, text.getBytes(StandardCharsets.UTF_8));
    }
}
