package dev.weir.internal.ruleset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.OnMissing;
import dev.weir.RateAlgorithms;
import dev.weir.Request;
import dev.weir.internal.counter.CounterName;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.match.override.LimitOverride;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.statistics.Statistics;
import org.junit.jupiter.api.Test;

class CounterNamingTest {
    /** A buffer that keeps the names of earlier requests, as those of servers do. */
    private static final Matches REUSED = Matches.named();

    /** A counter: its name in shared stores, and its identity in this process. */
    private record Named(String name, long subject, long key0, long key1) {}

    private static Named only(WrittenRules rules, Request request) {
        return only(RuleIndex.of(rules), request);
    }

    private static Named only(RuleIndex rules, Request request) {
        List<Named> all = all(rules, request);
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    private static List<Named> all(WrittenRules rules, Request request) {
        return all(RuleIndex.of(rules), request);
    }

    private static List<Named> all(RuleIndex rules, Request request) {
        List<Named> named = all(rules, request, Matches.named());
        assertThat(all(rules, request, REUSED)).as("after another request").isEqualTo(named);
        assertThat(all(rules, request, REUSED)).as("after the same request").isEqualTo(named);
        return named;
    }

    private static List<Named> all(RuleIndex rules, Request request, Matches matches) {
        rules.match(request, matches);
        List<Named> named = new ArrayList<>();
        for (int i = 0; i < matches.size(); i++) {
            Match match = matches.get(i);
            CounterName name = match.name();
            named.add(new Named(name.toString(), name.subject(), match.key0(), match.key1()));
        }
        return named;
    }

    private static WrittenRules weir(String domain, String id, Limit limit, KeyBy key) {
        Rule rule =
                Rule.builder(domain, id).limit(limit).onMissing(OnMissing.SHARE).build();
        return WrittenRules.builder()
                .weir(domain, List.of(new WeirRule(rule, List.of(), key)))
                .build();
    }

    private static String name(KeyBy key, String... pairs) {
        return only(weir("api", "writes", Limit.tokenBucket(5, Duration.ofMinutes(1)), key), request("api", pairs))
                .name();
    }

    private static Request request(String domain, String... pairs) {
        Request request = Request.to(domain).descriptor();
        for (int i = 0; i < pairs.length; i += 2) {
            request.with(pairs[i], pairs[i + 1]);
        }
        return request;
    }

    @Test
    void aLimitAgreedForAnotherWindowHasACounterOfItsOwn() {
        LimitOverride hourly = new LimitOverride("writes", 500, 3_600_000_000L, null);
        LimitOverride more = new LimitOverride("writes", 500, 60_000_000L, null);
        Request request = request("api", "api_key", "k", "path", "/");
        for (Limit limit :
                List.of(Limit.fixedWindow(5, Duration.ofMinutes(1)), Limit.tokenBucket(5, Duration.ofMinutes(1)))) {
            Rule rule =
                    Rule.builder("api", "writes").name("writes").limit(limit).build();
            WrittenRules rules = by(KeyBy.of("path"), rule);
            Named own = only(rules, request);
            Named apart = only(agreed(rules, hourly), request);
            boolean bucket = limit.algorithm().isBucket();
            assertThat(apart.name()).isEqualTo(own.name() + (bucket ? ":!w500/3600s!" : ":!w3600s!"));
            assertThat(apart.subject()).isEqualTo(own.subject());
            assertThat(apart.key0()).isNotEqualTo(own.key0());
            assertThat(only(agreed(rules, more), request).key0() == own.key0()).isNotEqualTo(bucket);
            WrittenRules ofCaller = by(KeyBy.of("api_key"), rule);
            assertThat(only(agreed(ofCaller, hourly), request).equals(only(ofCaller, request)))
                    .isEqualTo(bucket);
        }
    }

    private static WrittenRules by(KeyBy key, Rule rule) {
        return WrittenRules.builder()
                .weir(rule.domain(), List.of(new WeirRule(rule, List.of(), key)))
                .build();
    }

    private static RuleIndex agreed(WrittenRules rules, LimitOverride override) {
        return RuleIndex.of(rules, key -> new CallerOverrides(null, List.of(override)), RuleSwitches.NONE);
    }

    @Test
    void aNameTellsAlgorithmDomainRuleAndValues() {
        assertThat(name(KeyBy.global())).isEqualTo("tb:api:writes");
        assertThat(name(KeyBy.of("user"), "user", "u_42")).isEqualTo("tb:api:writes:u_42");
        assertThat(name(KeyBy.of("user", "path"), "user", "a@b.c", "path", "/x?y={1}:%"))
                .isEqualTo("tb:api:writes:a@b.c:/x?y%3D%7B1%7D%3A%25");
        assertThat(name(KeyBy.of("user"), "user", "\u00e9\ud83d\ude00\ud83d \u0000"))
                .isEqualTo("tb:api:writes:%C3%A9%F0%9F%98%80%ED%A0%BD%20%00");
        assertThat(name(KeyBy.parse("key | ip"), "key", "k", "ip", "10.0.0.1")).isEqualTo("tb:api:writes:!1!k");
        assertThat(name(KeyBy.parse("key | ip"), "ip", "::ffff:10.0.0.1")).isEqualTo("tb:api:writes:!2a!10.0.0.1");
        assertThat(name(KeyBy.of("ip"), "ip", "2001:db8::1:2"))
                .isEqualTo("tb:api:writes:!a!20010DB8000000000000000000000000");
        assertThat(name(KeyBy.of("user"), "other", "x")).isEqualTo("tb:api:writes:!m!");
        assertThat(name(KeyBy.of("user"), "user", "x".repeat(81))).matches("tb:api:writes:~[A-Za-z0-9_-]{43}");
    }

    @Test
    void inEnvoysSpellingItTellsWindowDomainKeysAndValues() {
        WrittenRules rules = EnvoyTrees.rules(
                EnvoyTrees.limited("a", EnvoyTrees.limited("b=x")),
                EnvoyTrees.sharing(EnvoyTrees.limited("c=img-*")),
                EnvoyTrees.limited("d"));
        assertThat(only(rules, EnvoyTrees.ask("a=1 b=x")).name()).isEqualTo("fw60s:d:a=1:b=x");
        assertThat(only(rules, EnvoyTrees.ask("c=img-7")).name()).isEqualTo("fw60s:d:c=!s!img-*");
        Request own = EnvoyTrees.ask("d=1").override(new Limit(Algorithm.TOKEN_BUCKET, 5, 1_500, 5, 1));
        assertThat(only(rules, own).name()).isEqualTo("tb1500us:d:d=1");
        assertThat(only(rules, EnvoyTrees.ask("d=1").override(EnvoyTrees.PER_MINUTE)))
                .as("a caller's limit counts where the file's would")
                .isEqualTo(only(rules, EnvoyTrees.ask("d=1")));
    }

    @Test
    void everyProcessWritesTheSame() {
        Limit limit = Limit.tokenBucket(5, Duration.ofMinutes(1));
        assertThat(only(weir("api", "writes", limit, KeyBy.of("user")), request("api", "user", "u_42"))
                        .subject())
                .isEqualTo(-3736392859177472169L);
        assertThat(name(KeyBy.of("user"), "user", "x".repeat(200)))
                .isEqualTo("tb:api:writes:~Sh407i8y-l79q-MKpFI8MuuYaHF86AMRVLsiRGJBDso");
    }

    @Test
    void theAlgorithmIsPartOfItAndTheNumbersAreNot() {
        List<String> names = new ArrayList<>();
        for (Algorithm algorithm : RateAlgorithms.ALL) {
            names.add(only(weir("d", "r", Limit.of(algorithm, 5, Duration.ofMinutes(1)), KeyBy.global()), request("d"))
                    .name());
        }
        Limit parts = Limit.slidingWindow(5, Duration.ofMinutes(1)).withSubWindows(6);
        names.add(only(weir("d", "r", parts, KeyBy.global()), request("d")).name());
        assertThat(names).doesNotHaveDuplicates();
        Limit raised = Limit.slidingWindow(500, Duration.ofHours(1)).withSubWindows(12);
        assertThat(only(weir("d", "r", raised, KeyBy.global()), request("d")).name())
                .isEqualTo(names.get(names.size() - 1));
    }

    @Test
    void countersOfOneSubjectAreKeptSideBySide() {
        WrittenRules rules = WeirRules.rules(
                WeirRules.rule("one", KeyBy.of("api_key")),
                WeirRules.rule("two", KeyBy.parse("api_key | ip")),
                WeirRules.rule("three", KeyBy.of("api_key", "endpoint")));
        List<Named> all = all(rules, WeirRules.ask("api_key", "k", "ip", "10.0.0.1", "endpoint", "/x"));
        assertThat(all)
                .hasSize(3)
                .extracting(Named::subject)
                .containsOnly(all.get(0).subject());
        assertThat(all(rules, WeirRules.ask("api_key", "k2", "endpoint", "/x"))
                        .get(0)
                        .subject())
                .isNotEqualTo(all.get(0).subject());

        WrittenRules byAddress = WeirRules.rules(
                WeirRules.rule("ip", KeyBy.of("ip")), WeirRules.rule("remote", KeyBy.of("remote_address")));
        List<Named> addresses = all(byAddress, WeirRules.ask("ip", "2001:db8::1"));
        assertThat(addresses.get(0).subject()).isEqualTo(addresses.get(1).subject());
        assertThat(all(byAddress, WeirRules.ask("ip", "2001:DB8:0:0::2")).get(0).subject())
                .isEqualTo(addresses.get(0).subject());

        WrittenRules entries = EnvoyTrees.rules(EnvoyTrees.limited("user", EnvoyTrees.limited("path")));
        assertThat(only(entries, EnvoyTrees.ask("user=u")).subject())
                .isEqualTo(only(entries, EnvoyTrees.ask("user=u path=/x")).subject());

        WrittenRules ceilings =
                WeirRules.rules(WeirRules.rule("x", KeyBy.global()), WeirRules.rule("y", KeyBy.global()));
        assertThat(all(ceilings, WeirRules.ask())).extracting(Named::subject).doesNotHaveDuplicates();
    }

    @Test
    void hostileValuesSpreadEvenly() {
        int[] slots = new int[64];
        WrittenRules rules = WeirRules.rules(WeirRules.rule("r", KeyBy.of("user")));
        for (int i = 0; i < 6_400; i++) {
            String value = List.of("{a}" + i, "_".repeat(i), i + "\u0000", "x".repeat(5_000) + i)
                    .get(i % 4);
            slots[(int) (only(rules, WeirRules.ask("user", value)).subject() & 63)]++;
        }
        assertThat(Arrays.stream(slots).min().orElse(0)).isGreaterThan(50);
        assertThat(Arrays.stream(slots).max().orElse(0)).isLessThan(160);
    }

    /** Text from few and troublesome pieces, so that it often comes out the same by other ways. */
    @Provide
    Arbitrary<String> text() {
        Arbitrary<String> piece = Arbitraries.of(
                "a",
                "b",
                ":",
                "%",
                "%3A",
                "!",
                "!1!",
                "~",
                "=",
                "{",
                "}",
                "\u0000",
                "\u00e9",
                "\ud83d",
                "\ude00",
                "10.0.0.1",
                "::ffff:10.0.0.1",
                "2001:db8::1",
                " ",
                "*",
                "x".repeat(79),
                "x".repeat(81),
                "y".repeat(10_000));
        return piece.array(String[].class).ofMinSize(0).ofMaxSize(3).map(pieces -> String.join("", pieces));
    }

    @Property(tries = 1_000)
    void twoCountersHaveOneNameIfTheyAreOne(@ForAll("text") String a, @ForAll("text") String b, @ForAll long seed) {
        List<String> texts = List.of(a, b, "a");
        Named one = some(new Random(seed), texts);
        Named other = some(new Random(seed * 31 + 7), texts);
        boolean same = one.key0() == other.key0() && one.key1() == other.key1();
        assertThat(one.name().equals(other.name())).as("%s and %s", one, other).isEqualTo(same);
        Statistics.collect(same ? "the same" : "different");
        for (Named each : List.of(one, other)) {
            assertThat(each.name()).matches("[!-~]{2,560}").doesNotContain("{", "}");
        }
    }

    /** A counter of either spelling, of these texts. */
    private static Named some(Random random, List<String> texts) {
        Algorithm algorithm = random.nextBoolean() ? Algorithm.TOKEN_BUCKET : Algorithm.FIXED_WINDOW;
        Limit limit = Limit.of(algorithm, 5, Duration.ofSeconds(1 + random.nextInt(2)));
        String domain = pick(random, texts);
        int parts = random.nextInt(3);
        if (random.nextBoolean()) {
            Request request = Request.to(domain).descriptor();
            for (int i = 0; i < parts; i++) {
                request.with(pick(random, texts), pick(random, texts));
            }
            WrittenRules empty = WrittenRules.builder().envoy(domain, List.of()).build();
            return only(empty, request.override(limit));
        }
        List<List<String>> key = new ArrayList<>();
        Request request = Request.to(domain).descriptor();
        for (int i = 0; i < parts; i++) {
            key.add(random.nextBoolean() ? List.of("k" + i) : List.of("k" + i, "x" + i + "_ip"));
            if (random.nextInt(4) > 0) {
                request.with(random.nextBoolean() ? "k" + i : "x" + i + "_ip", pick(random, texts));
            }
        }
        return only(weir(domain, pick(random, texts), limit, new KeyBy(key)), request);
    }

    private static String pick(Random random, List<String> texts) {
        return texts.get(random.nextInt(texts.size()));
    }

    @Test
    void aNameIsBoundedHoweverManyEntriesACallerSends() {
        WrittenRules empty = WrittenRules.builder().envoy("d", List.of()).build();
        Request many = Request.to("d").descriptor();
        Request other = Request.to("d").descriptor();
        for (int i = 0; i < 1_000; i++) {
            many.with("key" + i, "value");
            other.with("key" + i, i == 999 ? "another" : "value");
        }
        String name = only(empty, many.override(EnvoyTrees.PER_MINUTE)).name();
        assertThat(name).matches("~~[A-Za-z0-9_-]{43}");
        assertThat(only(empty, other.override(EnvoyTrees.PER_MINUTE)).name()).isNotEqualTo(name);
        assertThat(only(empty, many).name()).as("and is written again the same").isEqualTo(name);
    }
}
