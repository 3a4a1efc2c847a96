package dev.weir.internal.explain;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Request;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.ruleset.RuleIndex;
import java.util.List;
import org.junit.jupiter.api.Test;

class RuleCompleterTest {
    private static final RuleIndex INDEX = RuleIndex.of(rules(
            rule("orders", KeyBy.of("api_key"), "endpoint", "POST /orders"),
            rule("exports", KeyBy.of("api_key"), "endpoint", "/v1/*", "zone", "eu*"),
            rule("office", KeyBy.of("api_key"), "ip", "10.0.0.0/8"),
            rule("users", KeyBy.of("user_id"), "endpoint", "/users"),
            rule("paths", KeyBy.of("api_key", "endpoint"), "endpoint", "/paths/*"),
            rule("kinds", KeyBy.of("api_key", "kind"), "kind", "big"),
            rule("either", KeyBy.parse("api_key | zone"), "zone", "us*"),
            rule("all", KeyBy.of("api_key"))));

    private static List<String> names(Request request) {
        return INDEX.completions(request, 100).stream()
                .map(each -> each.rule().name() + " if " + each.appliesTo())
                .toList();
    }

    @Test
    void rulesThatCountByWhatIsGivenAreCompleted() {
        assertThat(names(ask("api_key", "k")))
                .containsExactly(
                        "orders if endpoint is POST /orders",
                        "exports if endpoint is /v1/*, zone is eu*",
                        "office if ip is 10.0.0.0/8",
                        "kinds if kind is big");
        assertThat(INDEX.completions(ask("api_key", "k"), 2)).hasSize(2);
    }

    @Test
    void everyCompletedRequestMeetsItsRule() {
        for (RuleCompletion each : INDEX.completions(ask("api_key", "k"), 100)) {
            Matches matches = new Matches();
            INDEX.match(each.request(), matches);
            boolean met = false;
            for (int i = 0; i < matches.size(); i++) {
                met |= matches.get(i).rule() == each.rule();
            }
            assertThat(met).as("%s", each.request()).isTrue();
        }
    }
}
