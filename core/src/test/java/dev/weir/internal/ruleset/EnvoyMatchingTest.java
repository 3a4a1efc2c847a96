package dev.weir.internal.ruleset;

import static dev.weir.internal.ruleset.EnvoyTrees.ask;
import static dev.weir.internal.ruleset.EnvoyTrees.counter;
import static dev.weir.internal.ruleset.EnvoyTrees.limited;
import static dev.weir.internal.ruleset.EnvoyTrees.met;
import static dev.weir.internal.ruleset.EnvoyTrees.open;
import static dev.weir.internal.ruleset.EnvoyTrees.rules;
import static dev.weir.internal.ruleset.EnvoyTrees.sharing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.model.Rule;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class EnvoyMatchingTest {

    @Test
    void anUnknownDomainMeetsNothingNotEvenTheCallersLimit() {
        Request request = Request.to("other").descriptor().with("k", "v").override(EnvoyTrees.PER_MINUTE);
        assertThat(met(rules(limited("k")), request)).isEmpty();
    }

    @Test
    void theExactValueComesBeforeWildcardsAndTheKeyAlone() {
        WrittenRules rules = rules(limited("k"), limited("k=f*"), limited("k=foo"));
        assertThat(met(rules, ask("k=foo", "k=far", "k=bar"))).containsExactly("0:k=foo", "1:k=f*", "2:k");
    }

    @Test
    void theFirstWildcardOfTheFileThatMatchesIsTaken() {
        assertThat(met(rules(limited("k=a*"), limited("k=ab*")), ask("k=abc"))).containsExactly("0:k=a*");
        assertThat(met(rules(limited("k=ab*"), limited("k=a*")), ask("k=abc"))).containsExactly("0:k=ab*");
        assertThat(met(rules(limited("k=*b*d"), limited("k")), ask("k=abcd", "k=abc")))
                .containsExactly("0:k=*b*d", "1:k");
    }

    @Test
    void thereIsNoWayBackOnceANodeIsTaken() {
        WrittenRules rules = rules(open("k=v", limited("x")), open("k", limited("y"), limited("x=1")));
        assertThat(met(rules, ask("k=v y=1"))).isEmpty();
        assertThat(met(rules, ask("k=other y=1"))).containsExactly("0:y");
        assertThat(met(rules, ask("k=v x=1"))).containsExactly("0:x");
    }

    @Test
    void onlyTheNodeOfTheLastEntrySuppliesALimit() {
        WrittenRules rules = rules(limited("a", limited("b", limited("c"))));
        assertThat(met(rules, ask("a=1", "a=1 b=2", "a=1 b=2 c=3", "a=1 b=2 c=3 d=4", "b=2", "a=1 c=3")))
                .containsExactly("0:a", "1:b", "2:c");
    }

    @Test
    void aNodeWithoutLimitAndChildrenIsAWhitelist() {
        assertThat(met(rules(limited("ip"), open("ip=10.0.0.1")), ask("ip=10.0.0.1", "ip=10.0.0.2")))
                .containsExactly("1:ip");
    }

    @Test
    void matchingIsCaseSensitive() {
        assertThat(met(rules(limited("k=Foo"), limited("K")), ask("k=foo", "K=Foo")))
                .containsExactly("1:K");
    }

    @Test
    void anEmptyValueMeetsWildcardsAndTheKeyAlone() {
        assertThat(met(rules(limited("k=v"), limited("k")), ask("k="))).containsExactly("0:k");
        assertThat(met(rules(limited("k=*"), limited("k")), ask("k="))).containsExactly("0:k=*");
    }

    @Test
    void aDescriptorWithoutEntriesMeetsNothing() {
        assertThat(met(rules(limited("k")), ask("", "k=1"))).containsExactly("1:k");
    }

    @Test
    void theCallersLimitStandsWhateverTheFileSays() {
        WrittenRules rules = rules(limited("k"), open("w=1"));
        Request request = ask("k=1")
                .override(EnvoyTrees.PER_MINUTE)
                .descriptor()
                .with("w", "1")
                .override(EnvoyTrees.PER_MINUTE);
        assertThat(met(rules, request.descriptor().with("z", "1"))).containsExactly("0:caller", "1:caller");
        assertThat(met(
                        WrittenRules.builder().envoy("d", List.of()).build(),
                        ask("k=1").override(EnvoyTrees.PER_MINUTE)))
                .containsExactly("0:caller");
    }

    @Test
    void keyOnlyAndWildcardRulesCountEachValueApart() {
        WrittenRules rules = rules(limited("k"), limited("w=a*"));
        assertThat(counter(rules, ask("k=1"))).isEqualTo(counter(rules, ask("k=1")));
        assertThat(counter(rules, ask("k=1"))).isNotEqualTo(counter(rules, ask("k=2")));
        assertThat(counter(rules, ask("w=a1"))).isNotEqualTo(counter(rules, ask("w=a2")));
    }

    @Test
    void valuesAboveTheLimitCountApartToo() {
        WrittenRules rules = rules(open("tenant", limited("path=/x")));
        assertThat(counter(rules, ask("tenant=a path=/x"))).isNotEqualTo(counter(rules, ask("tenant=b path=/x")));
    }

    @Test
    void shareThresholdGivesAllValuesOfTheWildcardOneCounter() {
        WrittenRules rules = rules(sharing(limited("k=a*")), sharing(open("n=a*", limited("deep"))), limited("o=a*"));
        assertThat(counter(rules, ask("k=a1"))).isEqualTo(counter(rules, ask("k=a2")));
        assertThat(counter(rules, ask("n=a1 deep=1"))).isEqualTo(counter(rules, ask("n=a2 deep=1")));
        assertThat(counter(rules, ask("n=a1 deep=1"))).isNotEqualTo(counter(rules, ask("n=a1 deep=2")));
    }

    @Test
    void aValueThatLooksLikeASharedWildcardIsNotIt() {
        String shared = counter(rules(sharing(limited("k=a*"))), ask("k=a*"));
        assertThat(counter(rules(limited("k")), ask("k=a*"))).isNotEqualTo(shared);
    }

    @Test
    void unitAndAlgorithmBelongToTheCounterAndNameAndNumbersDoNot() {
        String counter = counter(rules(limited("k")), ask("k=1"));
        assertThat(counter(with(Limit.fixedWindow(99, Duration.ofMinutes(1)), "other"), ask("k=1")))
                .isEqualTo(counter);
        assertThat(counter(with(Limit.fixedWindow(10, Duration.ofHours(1)), "k"), ask("k=1")))
                .isNotEqualTo(counter);
        assertThat(counter(with(Limit.of(Algorithm.GCRA, 10, Duration.ofMinutes(1)), "k"), ask("k=1")))
                .isNotEqualTo(counter);
    }

    private static WrittenRules with(Limit limit, String name) {
        return rules(limited("k", EnvoyTrees.rule(name, limit).build()));
    }

    @Test
    void theCallersLimitCountsByEntriesAndUnit() {
        WrittenRules rules = rules(limited("k"));
        Limit more = Limit.fixedWindow(1_000, Duration.ofMinutes(1));
        Limit hourly = Limit.fixedWindow(10, Duration.ofHours(1));
        String counter = counter(rules, ask("k=1").override(EnvoyTrees.PER_MINUTE));
        assertThat(counter(rules, ask("k=1").override(more))).isEqualTo(counter);
        assertThat(counter(rules, ask("k=1").override(hourly))).isNotEqualTo(counter);
        assertThat(counter(rules, ask("k=2").override(more))).isNotEqualTo(counter);
        assertThat(counter(rules, ask("k=1")))
                .as("the file's limit of the same unit, as in the reference")
                .isEqualTo(counter);
    }

    @Test
    void domainsCountApart() {
        WrittenRules rules = WrittenRules.builder()
                .envoy(
                        "a",
                        List.of(limited(
                                "k",
                                Rule.builder("a", "k")
                                        .limit(EnvoyTrees.PER_MINUTE)
                                        .build())))
                .envoy(
                        "b",
                        List.of(limited(
                                "k",
                                Rule.builder("b", "k")
                                        .limit(EnvoyTrees.PER_MINUTE)
                                        .build())))
                .build();
        assertThat(counter(rules, Request.to("a").with("k", "1")))
                .isNotEqualTo(counter(rules, Request.to("b").with("k", "1")));
    }

    @Test
    void underscoresAndBordersCannotMakeTwoDescriptorsOneCounter() {
        WrittenRules rules = rules(limited("a", limited("b")), limited("a_1", limited("b")));
        assertThat(counter(rules, ask("a=1_b"))).isNotEqualTo(counter(rules, ask("a_1=b")));
        assertThat(counter(rules, ask("a=1 b=23"))).isNotEqualTo(counter(rules, ask("a=12 b=3")));
    }

    @Test
    void replacedRulesAreDropped() {
        Rule special = EnvoyTrees.rule("special", EnvoyTrees.PER_MINUTE)
                .replaces(List.of("general"))
                .build();
        WrittenRules rules = rules(
                limited("a", special),
                limited("b", EnvoyTrees.rule("general")),
                limited("c", EnvoyTrees.rule("other")));
        assertThat(met(rules, ask("b=1", "a=1", "c=1", "b=2"))).containsExactly("1:special", "2:other");
        assertThat(met(rules, ask("b=1", "c=1"))).containsExactly("0:general", "1:other");
    }

    @Test
    void aRuleThatIsRollingOutReplacesForWhomItDenies() {
        Rule half = EnvoyTrees.rule("new", EnvoyTrees.PER_MINUTE)
                .replaces(List.of("old"))
                .rollout(Rule.EVERYONE / 2)
                .build();
        WrittenRules rules = rules(limited("user", half), limited("path", EnvoyTrees.rule("old")));
        int denied = 0;
        for (int i = 0; i < 100; i++) {
            Matches matches = EnvoyTrees.match(rules, ask("user=" + i, "path=/"));
            boolean spared = matches.get(0).isSpared();
            assertThat(matches.size()).isEqualTo(spared ? 2 : 1);
            denied += spared ? 0 : 1;
        }
        assertThat(denied).isBetween(20, 80);
    }

    @Test
    void anAgreedTierIsAddedToTheAttributesOfACaller() {
        WrittenRules files =
                rules(limited("tier=pro"), open("api_key", limited("tier=pro", EnvoyTrees.rule("nested"))));
        RuleIndex rules = RuleIndex.of(files, key -> new CallerOverrides("pro", List.of()), RuleSwitches.NONE);
        assertThat(EnvoyTrees.met(rules, ask("api_key=k").asAttributes())).containsExactly("0:nested", "0:tier=pro");
        assertThat(EnvoyTrees.met(rules, ask("api_key=k tier=free").asAttributes()))
                .containsExactlyInAnyOrder("0:nested", "0:tier=pro");
        assertThat(EnvoyTrees.met(rules, ask("api_key=k"))).isEmpty();
    }

    @Test
    void aReplacedRuleStillReplaces() {
        Rule first = EnvoyTrees.rule("first", EnvoyTrees.PER_MINUTE)
                .replaces(List.of("second"))
                .build();
        Rule second = EnvoyTrees.rule("second", EnvoyTrees.PER_MINUTE)
                .replaces(List.of("third"))
                .build();
        WrittenRules rules = rules(limited("a", first), limited("b", second), limited("c", EnvoyTrees.rule("third")));
        assertThat(met(rules, ask("c=1", "b=1", "a=1"))).containsExactly("2:first");
        Rule mutual = EnvoyTrees.rule("third", EnvoyTrees.PER_MINUTE)
                .replaces(List.of("second"))
                .build();
        assertThat(met(rules(limited("b", second), limited("c", mutual)), ask("b=1", "c=1")))
                .isEmpty();
    }

    @Test
    void theCallersLimitNeitherReplacesNorIsReplaced() {
        Rule special = EnvoyTrees.rule("special", EnvoyTrees.PER_MINUTE)
                .replaces(List.of("general"))
                .build();
        WrittenRules rules = rules(limited("a", special), limited("b", EnvoyTrees.rule("general")));
        assertThat(met(
                        rules,
                        ask("a=1").override(EnvoyTrees.PER_MINUTE).descriptor().with("b", "1")))
                .containsExactly("0:caller", "1:general");
        assertThat(met(
                        rules,
                        ask("b=1").override(EnvoyTrees.PER_MINUTE).descriptor().with("a", "1")))
                .containsExactly("0:caller", "1:special");
    }

    @Test
    void anUnlimitedRuleReplacesAndIsNotReplaced() {
        Rule free = Rule.builder("d", "free")
                .name("free")
                .replaces(List.of("general"))
                .build();
        Rule wins = EnvoyTrees.rule("wins", EnvoyTrees.PER_MINUTE)
                .replaces(List.of("free"))
                .build();
        WrittenRules rules = rules(limited("a", free), limited("b", EnvoyTrees.rule("general")), limited("c", wins));
        assertThat(met(rules, ask("a=1", "b=1", "c=1"))).containsExactly("0:free", "2:wins");
    }

    @Test
    void attributesTakeEveryPathWhoseKeysTheyHold() {
        WrittenRules rules = rules(
                limited("api_key", limited("endpoint=POST /orders", EnvoyTrees.rule("orders"))),
                limited("remote_address"),
                limited("global=aggregate"),
                open("user", limited("api_key", EnvoyTrees.rule("key of user"))));
        assertThat(met(rules, attributes("api_key", "k", "endpoint", "POST /orders")))
                .containsExactly("0:api_key", "0:orders");
        assertThat(met(rules, attributes("endpoint", "/orders", "api_key", "k", "method", "POST", "ip", "1.2.3.4")))
                .containsExactlyInAnyOrder("0:api_key", "0:orders", "0:remote_address");
        assertThat(met(rules, attributes("endpoint", "/orders", "api_key", "k", "method", "GET")))
                .containsExactly("0:api_key");
        assertThat(met(rules, attributes("api_key", "k", "user", "u")))
                .containsExactlyInAnyOrder("0:api_key", "0:key of user");
        assertThat(met(rules, attributes("other", "x"))).isEmpty();
    }

    @Test
    void attributesAndEntriesShareCounters() {
        WrittenRules rules = rules(open("user", limited("path")));
        assertThat(counter(rules, attributes("path", "/x", "user", "u")))
                .isEqualTo(counter(rules, ask("user=u path=/x")));
        WrittenRules address = rules(limited("remote_address"));
        assertThat(counter(address, attributes("ip", "::1"))).isEqualTo(counter(address, ask("remote_address=::1")));
    }

    @Test
    void anAttributeGivenTwiceCountsOnce() {
        assertThat(met(rules(limited("k")), attributes("k", "1", "k", "2"))).containsExactly("0:k");
    }

    @Test
    void theSameNodeTwiceIsRefused() {
        assertThatThrownBy(() -> rules(limited("k=a"), limited("k=a"))).hasMessageContaining("k=a");
        assertThatThrownBy(() -> rules(limited("k"), limited("k"))).hasMessageContaining("k");
        assertThatThrownBy(() -> rules(limited("k=a*"), limited("k=a*"))).hasMessageContaining("k=a*");
    }

    private static Request attributes(String... pairs) {
        Request request = Request.to("d").asAttributes();
        for (int i = 0; i < pairs.length; i += 2) {
            request.with(pairs[i], pairs[i + 1]);
        }
        return request;
    }
}
