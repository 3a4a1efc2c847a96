package dev.weir.internal.ruleset;

import static dev.weir.internal.ruleset.EnvoyTrees.counter;
import static dev.weir.internal.ruleset.EnvoyTrees.met;
import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.OnMissing;
import dev.weir.Request;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.ValuePattern;
import dev.weir.internal.match.weir.WeirRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WeirMatchingTest {
    private static final KeyBy ALL = KeyBy.global();

    @Test
    void everyRuleWhoseConditionsHoldApplies() {
        WrittenRules rules = rules(
                rule("writes", ALL, "tier", "free", "endpoint", "POST /api/*"),
                rule("hourly", ALL, "tier", "free", "endpoint", "*"),
                rule("paid", ALL, "tier", "paid"),
                rule("everyone", ALL));
        assertThat(met(rules, ask("tier", "free", "endpoint", "POST /api/x")))
                .containsExactly("0:writes", "0:hourly", "0:everyone");
        assertThat(met(rules, ask("tier", "free", "endpoint", "/api/x", "method", "GET")))
                .containsExactly("0:hourly", "0:everyone");
        assertThat(met(rules, ask("tier", "free"))).containsExactly("0:hourly", "0:everyone");
        assertThat(met(rules, ask("tier", "paid", "other", "x"))).containsExactly("0:paid", "0:everyone");
        assertThat(met(rules, ask())).containsExactly("0:everyone");
    }

    @Test
    void aConditionNeedsItsAttributeAlsoWhenAnyValueWillDo() {
        WrittenRules rules = rules(rule("any tier", ALL, "tier", "*"), rule("any endpoint", ALL, "endpoint", "*"));
        assertThat(met(rules, ask("tier", ""))).containsExactly("0:any tier", "0:any endpoint");
        assertThat(met(rules, ask())).containsExactly("0:any endpoint");
    }

    @ParameterizedTest
    @CsvSource({
        "POST /login,    POST /login, ,     true",
        "POST /login,    /login,      POST, true",
        "POST /login,    /login,      GET,  false",
        "POST /login,    /login,      ,     true",
        "POST /login,    GET /login,  ,     false",
        "POST /login,    POST /logi,  ,     false",
        "/login,         POST /login, ,     true",
        "GET /a|POST /a, POST /a,     ,     true",
        "GET /a|POST /a, PUT /a,      ,     false",
        "GET /a|POST /b, POST /b,     ,     true",
        "GET /a|POST /b, GET /b,      ,     false",
        "GET /a|/b/*,    POST /b/c,   ,     true",
    })
    void endpointsAreFoundByPathAndCheckedByMethod(String pattern, String endpoint, String method, boolean meets) {
        WrittenRules rules = rules(rule("r", ALL, "endpoint", pattern));
        Request request = method == null ? ask("endpoint", endpoint) : ask("method", method, "endpoint", endpoint);
        assertThat(met(rules, request)).hasSize(meets ? 1 : 0);
    }

    @Test
    void theMethodOfAnEndpointIsTheMethod() {
        WrittenRules rules = rules(rule("posts", ALL, "method", "POST"));
        assertThat(met(rules, ask("endpoint", "POST /x"))).hasSize(1);
        assertThat(met(rules, ask("endpoint", "/x", "method", "POST"))).hasSize(1);
        assertThat(met(rules, ask("endpoint", "GET /x"))).isEmpty();
    }

    @Test
    void listsMeetAnyOfTheirValues() {
        WrittenRules rules = rules(rule("r", ALL, "tier", "free|pro", "region", "eu|us|a*"));
        assertThat(met(rules, ask("tier", "pro", "region", "us"))).hasSize(1);
        assertThat(met(rules, ask("tier", "free", "region", "asia"))).hasSize(1);
        assertThat(met(rules, ask("tier", "pro", "region", "oceania"))).isEmpty();
        assertThat(met(rules, ask("tier", "gold", "region", "us"))).isEmpty();
    }

    @Test
    void longListsBeyondTheIndexStillMatch() {
        String hundred =
                String.join("|", IntStream.range(0, 100).mapToObj(i -> "v" + i).toList());
        WrittenRules rules = rules(rule("r", ALL, "a", hundred, "b", hundred, "c", hundred));
        assertThat(met(rules, ask("a", "v1", "b", "v99", "c", "v50"))).hasSize(1);
        assertThat(met(rules, ask("a", "v1", "b", "v99", "c", "v100"))).isEmpty();
    }

    @Test
    void twoConditionsOnOneAttributeMustBothHold() {
        WrittenRules rules = rules(rule("r", ALL, "k", "ab|cb", "k", "ab|ax"));
        assertThat(met(rules, ask("k", "ab"))).hasSize(1);
        assertThat(met(rules, ask("k", "cb"))).isEmpty();
        assertThat(met(rules, ask("k", "ax"))).isEmpty();
    }

    @Test
    void regularExpressionsAndAddressBlocksAreConditionsLikeAnyOther() {
        Condition regex = new Condition("agent", List.of(ValuePattern.regex("~bot", value -> value.contains("bot"))));
        WrittenRules rules = rules(
                new WeirRule(WeirRules.rule("bots").build(), List.of(regex), ALL),
                rule("inside", ALL, "ip", "10.0.0.0/8"));
        assertThat(met(rules, ask("agent", "a bot", "ip", "::ffff:10.1.1.1"))).containsExactly("0:bots", "0:inside");
        assertThat(met(rules, ask("agent", "human", "ip", "11.1.1.1"))).isEmpty();
        assertThat(met(rules, ask("remote_address", "10.1.1.1"))).containsExactly("0:inside");
    }

    @Test
    void eachDescriptorIsASetOfAttributesOfItsOwn() {
        WrittenRules rules = rules(rule("a", ALL, "k", "a"), rule("both", ALL, "k", "a", "j", "b"));
        Request request = ask("k", "a")
                .descriptor()
                .with("j", "b")
                .descriptor()
                .with("j", "b")
                .with("k", "a");
        assertThat(met(rules, request)).containsExactly("0:a", "2:a", "2:both");
    }

    @Test
    void theKeySaysWhatSharesACounter() {
        WrittenRules rules = rules(rule("r", KeyBy.of("user", "path")));
        String counter = counter(rules, ask("user", "u", "path", "/x", "other", "1"));
        assertThat(counter(rules, ask("path", "/x", "user", "u", "other", "2"))).isEqualTo(counter);
        assertThat(counter(rules, ask("user", "u", "path", "/y"))).isNotEqualTo(counter);
        assertThat(counter(rules, ask("user", "/x", "path", "u"))).isNotEqualTo(counter);
    }

    @Test
    void alternativesCountApart() {
        WrittenRules rules = rules(rule("r", KeyBy.parse("api_key | user")));
        String counter = counter(rules, ask("api_key", "x"));
        assertThat(counter(rules, ask("api_key", "x", "user", "y"))).isEqualTo(counter);
        assertThat(counter(rules, ask("api_key", "", "user", "y"))).isEqualTo(counter(rules, ask("user", "y")));
        assertThat(counter(rules, ask("user", "x"))).isNotEqualTo(counter);
    }

    @Test
    void oneAddressIsOneCounterHoweverItIsWritten() {
        WrittenRules rules = rules(rule("r", KeyBy.of("ip")));
        assertThat(counter(rules, ask("ip", "2001:db8::1"))).isEqualTo(counter(rules, ask("ip", "2001:DB8:0::1")));
        assertThat(counter(rules, ask("ip", "1.2.3.4"))).isEqualTo(counter(rules, ask("ip", "::ffff:102:304")));
        assertThat(counter(rules, ask("ip", "1.2.3.4"))).isNotEqualTo(counter(rules, ask("ip", "1.2.3.5")));
        assertThat(counter(rules, ask("remote_address", "1.2.3.4"))).isEqualTo(counter(rules, ask("ip", "1.2.3.4")));
        assertThat(counter(rules, ask("ip", "not an address"))).isNotEqualTo(counter(rules, ask("ip", "nor this")));
    }

    @Test
    void ipv6CountsByItsPrefix() {
        WrittenRules by64 = rules(rule("r", KeyBy.of("ip")));
        assertThat(counter(by64, ask("ip", "2001:db8::1"))).isEqualTo(counter(by64, ask("ip", "2001:db8::ffff:1")));
        assertThat(counter(by64, ask("ip", "2001:db8:0:1::1"))).isNotEqualTo(counter(by64, ask("ip", "2001:db8::1")));
        WrittenRules whole = rules(rule("r", KeyBy.of("ip").withIpv6Prefix(128)));
        assertThat(counter(whole, ask("ip", "2001:db8::1"))).isNotEqualTo(counter(whole, ask("ip", "2001:db8::2")));
    }

    @Test
    void clientIdStandsForWhatTheRuleKeysBy() {
        WrittenRules rules = rules(rule("r", KeyBy.of("user_id")));
        assertThat(counter(rules, ask("client_id", "u"))).isEqualTo(counter(rules, ask("user_id", "u")));
        assertThat(counter(rules, ask("client_id", "c", "user_id", "u")))
                .isEqualTo(counter(rules, ask("user_id", "u")));
        WrittenRules either = rules(rule("r", KeyBy.parse("api_key | ip")));
        assertThat(counter(either, ask("client_id", "c"))).isEqualTo(counter(either, ask("api_key", "c")));
        assertThat(counter(either, ask("client_id", "c", "ip", "::1"))).isEqualTo(counter(either, ask("ip", "::1")));
        WrittenRules other = rules(rule("r", KeyBy.of("tenant")));
        assertThat(EnvoyTrees.match(other, ask("client_id", "c")).get(0).keyMissing())
                .isTrue();
    }

    @Test
    void aMissingKeyIsToldAndSharedCallersAreNobodyElse() {
        WrittenRules rules =
                rules(rule(WeirRules.rule("r").onMissing(OnMissing.SHARE).build(), KeyBy.of("user_id", "path")));
        Match missing = EnvoyTrees.match(rules, ask("path", "/x")).get(0);
        assertThat(missing.keyMissing()).isTrue();
        String shared = counter(rules, ask("path", "/x"));
        assertThat(counter(rules, ask("path", "/x", "user_id", ""))).isEqualTo(shared);
        assertThat(counter(rules, ask("path", "/y"))).isNotEqualTo(shared);
        assertThat(counter(rules, ask("path", "/x", "user_id", "missing"))).isNotEqualTo(shared);
        assertThat(EnvoyTrees.match(rules, ask("path", "/x", "user_id", "u"))
                        .get(0)
                        .keyMissing())
                .isFalse();
    }

    @Test
    void aRuleKeepsItsCountersWhenItsNumbersAndItsPlaceChange() {
        String counter = counter(rules(rule("r", KeyBy.of("k"))), ask("k", "1"));
        Limit raised = Limit.slidingWindow(99, Duration.ofMinutes(1));
        WrittenRules moved = rules(
                rule("other", ALL, "x", "y"), rule(WeirRules.rule("r", raised).build(), KeyBy.of("k")));
        assertThat(counter(moved, ask("k", "1"))).isEqualTo(counter);
        assertThat(counter(rules(rule("s", KeyBy.of("k"))), ask("k", "1"))).isNotEqualTo(counter);
        Limit gcra = Limit.of(Algorithm.GCRA, 10, Duration.ofMinutes(1));
        assertThat(counter(rules(rule(WeirRules.rule("r", gcra).build(), KeyBy.of("k"))), ask("k", "1")))
                .isNotEqualTo(counter);
    }

    @Test
    void partsOfAWindowAreANumberThatMayChangeToo() {
        String counter = counter(parts(10), ask("k", "1"));
        assertThat(counter(parts(20), ask("k", "1"))).isEqualTo(counter);
        assertThat(counter(parts(1), ask("k", "1")))
                .as("one part is the plain counter, whose state is another")
                .isNotEqualTo(counter);
    }

    private static WrittenRules parts(int parts) {
        Limit limit = Limit.slidingWindow(10, Duration.ofMinutes(1)).withSubWindows(parts);
        return rules(rule(WeirRules.rule("r", limit).build(), KeyBy.of("k")));
    }

    @Test
    void theCallersLimitStandsInPlaceOfTheRules() {
        WrittenRules rules = rules(rule("r", ALL));
        assertThat(met(rules, ask("k", "1").override(WeirRules.PER_MINUTE))).containsExactly("0:caller");
    }

    @Property(tries = 2000)
    void differentTuplesOfValuesAreDifferentCounters(
            @ForAll("tuples") List<String> one, @ForAll("tuples") List<String> other) {
        WrittenRules rules =
                rules(rule(WeirRules.rule("r").onMissing(OnMissing.SHARE).build(), KeyBy.parse("a|ip : b|ip : c")));
        boolean same = present(one).equals(present(other));
        assertThat(counter(rules, tuple(one)).equals(counter(rules, tuple(other))))
                .isEqualTo(same);
    }

    /** Few letters and short, so that the same text is often cut at different places. */
    @Provide
    Arbitrary<List<String>> tuples() {
        return Arbitraries.strings()
                .withChars('a', ':', '\0')
                .ofMaxLength(3)
                .list()
                .ofMinSize(1)
                .ofMaxSize(3);
    }

    private static List<String> present(List<String> values) {
        List<String> present = new ArrayList<>(values);
        while (present.size() < 3) {
            present.add("");
        }
        return present;
    }

    private static Request tuple(List<String> values) {
        Request request = Request.to("d").descriptor();
        for (int i = 0; i < values.size(); i++) {
            request.with(String.valueOf((char) ('a' + i)), values.get(i));
        }
        return request;
    }

    @Property(tries = 200)
    void theIndexFindsWhatTryingEveryRuleWouldFind(@ForAll long seed) {
        Random random = new Random(seed);
        List<WeirRule> all = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            List<String> conditions = new ArrayList<>();
            for (String attribute : List.of("a", "b", "c")) {
                if (random.nextBoolean()) {
                    conditions.add(attribute);
                    conditions.add(random.nextInt(4) == 0 ? "x*" : random.nextInt(3) == 0 ? "x|y" : pick(random));
                }
            }
            all.add(rule("r" + i, ALL, conditions.toArray(String[]::new)));
        }
        Request request = Request.to("d").descriptor();
        for (String attribute : List.of("c", "a", "b")) {
            if (random.nextInt(4) > 0) {
                request.with(attribute, pick(random));
            }
        }
        List<String> expected = all.stream()
                .filter(each -> holds(each, request))
                .map(each -> "0:" + each.rule().label())
                .toList();
        assertThat(met(rules(all.toArray(WeirRule[]::new)), request)).isEqualTo(expected);
        List<WeirRule> shuffled = new ArrayList<>(all);
        Collections.shuffle(shuffled, random);
        assertThat(met(rules(shuffled.toArray(WeirRule[]::new)), request))
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    private static String pick(Random random) {
        return List.of("x", "y", "z", "xx").get(random.nextInt(4));
    }

    private static boolean holds(WeirRule rule, Request request) {
        return rule.match().stream().allMatch(condition -> {
            String value = request.value(0, condition.attribute());
            return value != null && condition.anyOf().stream().anyMatch(each -> each.matches(value));
        });
    }

    @Test
    void tenThousandRulesToldApartByExactValuesAreTriedOneByOneByNobody() {
        Set<String> tried = new HashSet<>();
        List<WeirRule> many = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            String name = "r" + i;
            ValuePattern watched = ValuePattern.regex("~", value -> tried.add(name));
            Condition exact = Condition.of(i % 2 == 0 ? "tenant" : "endpoint", i % 2 == 0 ? "t" + i : "POST /p" + i);
            many.add(new WeirRule(
                    WeirRules.rule(name).build(),
                    List.of(new Condition("agent", List.of(watched)), exact),
                    KeyBy.of("user")));
        }
        WrittenRules rules = rules(many.toArray(WeirRule[]::new));
        Request request = ask("agent", "x", "user", "u", "tenant", "t42", "endpoint", "POST /p77");
        assertThat(met(rules, request)).containsExactly("0:r42", "0:r77");
        assertThat(tried).containsExactlyInAnyOrder("r42", "r77");
    }

    @Test
    void tenThousandRulesToldApartByAddressesAreTriedOneByOneByNobody() {
        Set<String> tried = new HashSet<>();
        List<WeirRule> many = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            String name = "r" + i;
            ValuePattern watched = ValuePattern.regex("~", value -> tried.add(name));
            String address = i % 2 == 0 ? "10.0." + i / 256 + "." + i % 256 : "2001:db8::" + Integer.toHexString(i);
            many.add(new WeirRule(
                    WeirRules.rule(name).build(),
                    List.of(
                            new Condition("agent", List.of(watched)),
                            Condition.of(i % 3 == 0 ? "peer_ip" : "ip", address)),
                    ALL));
        }
        WrittenRules rules = rules(many.toArray(WeirRule[]::new));
        assertThat(met(rules, ask("agent", "x", "ip", "10.0.0.2"))).containsExactly("0:r2");
        assertThat(met(rules, ask("agent", "x", "ip", "::ffff:10.0.0.4"))).containsExactly("0:r4");
        assertThat(met(rules, ask("agent", "x", "remote_address", "2001:DB8:0::5")))
                .containsExactly("0:r5");
        assertThat(met(rules, ask("agent", "x", "peer_ip", "10.0.0.6"))).containsExactly("0:r6");
        assertThat(met(rules, ask("agent", "x", "ip", "10.0.0.6", "peer_ip", "nobody")))
                .isEmpty();
        assertThat(tried).containsExactlyInAnyOrder("r2", "r4", "r5", "r6");
    }

    @Test
    void addressesMeetRulesByNameAndByBlockBesideThoseByAddress() {
        WrittenRules rules = rules(
                rule("one", ALL, "ip", "10.0.0.1"),
                rule("either", ALL, "ip", "10.0.0.1|10.0.0.2"),
                rule("block or one", ALL, "ip", "10.0.0.0/30|::1"),
                rule("name", ALL, "ip", "localhost"));
        assertThat(met(rules, ask("ip", "10.0.0.1"))).containsExactly("0:one", "0:either", "0:block or one");
        assertThat(met(rules, ask("ip", "10.0.0.2"))).containsExactly("0:either", "0:block or one");
        assertThat(met(rules, ask("ip", "0:0::1"))).containsExactly("0:block or one");
        assertThat(met(rules, ask("ip", "localhost"))).containsExactly("0:name");
        assertThat(met(rules, ask("ip", ""))).isEmpty();
    }
}
