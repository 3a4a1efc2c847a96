package dev.weir.server.conformance;

import static dev.weir.server.conformance.ConformanceScenario.scenario;
import static dev.weir.server.conformance.Expected.left;
import static dev.weir.server.conformance.Expected.noLimit;
import static dev.weir.server.conformance.Expected.over;
import static dev.weir.server.conformance.Expected.unlimited;
import static dev.weir.server.conformance.ProtocolCode.OK;
import static dev.weir.server.conformance.ProtocolCode.OVER_LIMIT;
import static dev.weir.server.conformance.ProtocolUnit.DAY;
import static dev.weir.server.conformance.ProtocolUnit.YEAR;
import static dev.weir.server.conformance.RlsRequest.ask;

import java.util.stream.Stream;

/** Modes that change the answer without changing the count, and the other way round. */
final class ModeScenarios {
    private static final String QUOTAS_SINCE =
            "as of January its quota descriptors never deny (since then: all of them over do)";

    private static final String QUOTA_SAYS_OK =
            "as of January a quota that is used up says OK, and leaves its reset out";

    private static final String TWO_QUOTAS = """
            - key: model
              quota_mode: true
              rate_limit: {unit: year, requests_per_unit: 1}
            - key: team
              quota_mode: true
              rate_limit: {unit: year, requests_per_unit: 2}
            - key: user
              rate_limit: {unit: year, requests_per_unit: 3}
            """;

    private ModeScenarios() {}

    static Stream<ConformanceScenario> all() {
        return Stream.of(shadow(), replaces(), quotas(), switches(), headers(), metadata(), merging())
                .flatMap(s -> s);
    }

    private static Stream<ConformanceScenario> shadow() {
        String rules = """
                - key: user
                  shadow_mode: true
                  rate_limit: {unit: year, requests_per_unit: 1}
                - key: path
                  rate_limit: {unit: year, requests_per_unit: 2}
                """;
        return Stream.of(
                scenario("a shadow rule counts and never denies")
                        .rules(rules)
                        .asks(ask("user", "alice"), OK, left(0, 1, YEAR))
                        .asksTimes(2, ask("user", "alice"), OK, left(0, 1, YEAR)),
                scenario("an ordinary rule denies beside a shadow rule")
                        .rules(rules)
                        .asks(ask("user", "alice").and("path", "/").hits(2), OK, left(0, 1, YEAR), left(0, 2, YEAR))
                        .asks(ask("user", "alice").and("path", "/"), OVER_LIMIT, left(0, 1, YEAR), over(2, YEAR)));
    }

    private static Stream<ConformanceScenario> replaces() {
        String rules = """
                - key: path
                  rate_limit: {name: a, unit: year, requests_per_unit: 1}
                - key: method
                  rate_limit: {name: b, unit: year, requests_per_unit: 5, replaces: [{name: a}]}
                - key: user
                  rate_limit: {name: c, unit: year, requests_per_unit: 9, replaces: [{name: b}]}
                - key: admin
                  rate_limit: {unlimited: true, replaces: [{name: a}, {name: b}]}
                """;
        return Stream.of(
                scenario("a rule drops the one it replaces, uncounted, wherever it stands in the request")
                        .rules(rules)
                        .asks(
                                ask("path", "/").and("method", "GET"),
                                OK,
                                noLimit(),
                                left(4, 5, YEAR).by("b"))
                        .asks(
                                ask("method", "GET").and("path", "/"),
                                OK,
                                left(3, 5, YEAR).by("b"),
                                noLimit())
                        .asks(ask("path", "/"), OK, left(0, 1, YEAR).by("a"))
                        .asks(ask("path", "/"), OVER_LIMIT, over(1, YEAR).by("a"))
                        .asks(
                                ask("path", "/").and("method", "GET"),
                                OK,
                                noLimit(),
                                left(2, 5, YEAR).by("b")),
                scenario("a rule that is itself replaced still replaces")
                        .rules(rules)
                        .asks(
                                ask("path", "/").and("method", "GET").and("user", "alice"),
                                OK,
                                noLimit(),
                                noLimit(),
                                left(8, 9, YEAR).by("c")),
                scenario("an unlimited rule replaces too")
                        .rules(rules)
                        .asks(
                                ask("path", "/").and("method", "GET").and("admin", "yes"),
                                OK,
                                noLimit(),
                                noLimit(),
                                unlimited()));
    }

    private static Stream<ConformanceScenario> quotas() {
        return Stream.of(
                scenario("one quota over beside another with room passes, and says that it is over")
                        .unlikeTheReference(QUOTA_SAYS_OK)
                        .rules(TWO_QUOTAS)
                        .asks(ask("model", "m").and("team", "t"), OK, left(0, 1, YEAR), left(1, 2, YEAR))
                        .asks(ask("model", "m").and("team", "t"), OK, over(1, YEAR), left(0, 2, YEAR)),
                scenario("all quotas over deny")
                        .unlikeTheReference(QUOTAS_SINCE)
                        .rules(TWO_QUOTAS)
                        .asks(ask("model", "m"), OK, left(0, 1, YEAR))
                        .asks(ask("model", "m"), OVER_LIMIT, over(1, YEAR))
                        .asks(ask("team", "t").hits(2), OK, left(0, 2, YEAR))
                        .asks(ask("model", "m").and("team", "t"), OVER_LIMIT, over(1, YEAR), over(2, YEAR)),
                scenario("an ordinary rule over denies whatever the quotas say")
                        .rules(TWO_QUOTAS)
                        .asks(ask("user", "alice").hits(3), OK, left(0, 3, YEAR))
                        .asks(ask("model", "m").and("user", "alice"), OVER_LIMIT, left(0, 1, YEAR), over(3, YEAR)),
                scenario("quotas over deny also where an ordinary rule has room")
                        .unlikeTheReference(QUOTAS_SINCE)
                        .rules(TWO_QUOTAS)
                        .asks(ask("model", "m").and("user", "alice"), OK, left(0, 1, YEAR), left(2, 3, YEAR))
                        .asks(ask("model", "m").and("user", "alice"), OVER_LIMIT, over(1, YEAR), left(1, 3, YEAR)),
                scenario("what is unlimited is no quota that lets others pass")
                        .unlikeTheReference(QUOTAS_SINCE)
                        .rules(TWO_QUOTAS + """
                                - key: free
                                  quota_mode: true
                                  rate_limit: {unlimited: true}
                                """)
                        .asks(ask("model", "m").and("free", "x"), OK, left(0, 1, YEAR), unlimited())
                        .asks(ask("model", "m").and("free", "x"), OVER_LIMIT, over(1, YEAR), unlimited()));
    }

    private static Stream<ConformanceScenario> switches() {
        String two = """
                - key: user
                  rate_limit: {unit: year, requests_per_unit: 2}
                - key: path
                  rate_limit: {unit: year, requests_per_unit: 9}
                """;
        return Stream.of(
                scenario("SHADOW_MODE changes the overall code alone")
                        .under(Surroundings.SHADOW_MODE)
                        .rules(two)
                        .asks(ask("user", "alice").hits(2), OK, left(0, 2, YEAR))
                        .asks(ask("user", "alice"), OK, over(2, YEAR)),
                scenario("QUOTA_MODE makes every rule a quota: one with room lets the request pass")
                        .unlikeTheReference(QUOTA_SAYS_OK)
                        .under(Surroundings.QUOTA_MODE)
                        .rules(two)
                        .asks(ask("user", "alice").hits(2), OK, left(0, 2, YEAR))
                        .asks(ask("user", "alice").and("path", "/"), OK, over(2, YEAR), left(8, 9, YEAR)),
                scenario("under QUOTA_MODE all over deny")
                        .unlikeTheReference(QUOTAS_SINCE)
                        .under(Surroundings.QUOTA_MODE)
                        .rules(two)
                        .asks(ask("user", "alice").hits(2), OK, left(0, 2, YEAR))
                        .asks(ask("user", "alice"), OVER_LIMIT, over(2, YEAR)),
                scenario("under QUOTA_MODE a descriptor without a limit is a quota that passed")
                        .unlikeTheReference(QUOTA_SAYS_OK)
                        .under(Surroundings.QUOTA_MODE)
                        .rules(two)
                        .asks(ask("user", "alice").hits(2), OK, left(0, 2, YEAR))
                        .asks(ask("user", "alice").and("what", "ever"), OK, over(2, YEAR), noLimit()),
                scenario(
                                "with STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT a denied request charges none of its descriptors")
                        .under(Surroundings.NO_CHARGE_WHEN_DENIED)
                        .rules(two)
                        .asks(ask("user", "alice").hits(2), OK, left(0, 2, YEAR))
                        .asks(ask("user", "alice").and("path", "/"), OVER_LIMIT, over(2, YEAR), left(9, 9, YEAR))
                        .asks(ask("path", "/"), OK, left(8, 9, YEAR)),
                scenario("with STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT the room that is left stays")
                        .under(Surroundings.NO_CHARGE_WHEN_DENIED)
                        .unlikeTheReference("it charges the descriptor that is over, and spares the others alone")
                        .rules(two)
                        .asks(ask("user", "alice"), OK, left(1, 2, YEAR))
                        .asks(ask("user", "alice").hits(2), OVER_LIMIT, over(2, YEAR))
                        .asks(ask("user", "alice"), OK, left(0, 2, YEAR)));
    }

    private static Stream<ConformanceScenario> headers() {
        String rules = """
                - key: user
                  rate_limit: {unit: year, requests_per_unit: 2}
                - key: path
                  rate_limit: {unit: day, requests_per_unit: 9}
                - key: tie
                  rate_limit: {unit: day, requests_per_unit: 2}
                - key: free
                  rate_limit: {unlimited: true}
                """;
        return Stream.of(
                scenario("no headers unless they are switched on")
                        .rules(rules)
                        .asks(ask("user", "alice"), OK, left(1, 2, YEAR))
                        .withoutHeaders(),
                scenario("headers speak of the descriptor with the least remaining")
                        .under(Surroundings.RESPONSE_HEADERS)
                        .rules(rules)
                        .asks(ask("path", "/").and("user", "alice"), OK, left(8, 9, DAY), left(1, 2, YEAR))
                        .withHeaders(2, 1, YEAR)
                        .asks(ask("path", "/"), OK, left(7, 9, DAY))
                        .withHeaders(9, 7, DAY),
                scenario("on a tie the first speaks")
                        .under(Surroundings.RESPONSE_HEADERS)
                        .rules(rules)
                        .asks(ask("tie", "t").and("user", "alice"), OK, left(1, 2, DAY), left(1, 2, YEAR))
                        .withHeaders(2, 1, DAY),
                scenario("if any is over the last of these speaks")
                        .under(Surroundings.RESPONSE_HEADERS)
                        .rules(rules)
                        .asks(
                                ask("tie", "t")
                                        .and("user", "alice")
                                        .and("path", "/")
                                        .hits(3),
                                OVER_LIMIT,
                                over(2, DAY),
                                over(2, YEAR),
                                left(6, 9, DAY))
                        .withHeaders(2, 0, YEAR),
                scenario("without a limit there are no headers")
                        .under(Surroundings.RESPONSE_HEADERS)
                        .rules(rules)
                        .asks(ask("what", "ever").and("free", "x"), OK, noLimit(), unlimited())
                        .withoutHeaders(),
                scenario("the headers bear the names they are given")
                        .under(Surroundings.RENAMED_HEADERS)
                        .rules(rules)
                        .asks(ask("user", "alice"), OK, left(1, 2, YEAR))
                        .withHeaders("X-Limit", "X-Left", "X-Reset", 2, 1, YEAR));
    }

    private static Stream<ConformanceScenario> metadata() {
        String newer = "as of January it has quotaModeEnabled there, and no metadata of rules";
        return Stream.of(
                scenario("dynamic metadata repeats what was asked")
                        .under(Surroundings.DYNAMIC_METADATA)
                        .unlikeTheReference(newer)
                        .rules("""
                                - key: user
                                  rate_limit: {unit: year, requests_per_unit: 5}
                                """)
                        .asks(
                                ask("user", "alice", "path", "/")
                                        .and("user", "bob")
                                        .hits(2),
                                OK,
                                noLimit(),
                                left(3, 5, YEAR))
                        .withMetadata("""
                                {"domain": "$domain", "hitsAddend": 2, "descriptors":
                                  [{"entries": ["user=alice", "path=/"]}, {"entries": ["user=bob"]}]}
                                """)
                        .asks(ask("user", "bob").ownHits(0), OK, left(3, 5, YEAR))
                        .withMetadata("""
                                {"domain": "$domain", "descriptors": [{"entries": ["user=bob"], "hitsAddend": 0}]}
                                """),
                scenario("dynamic metadata carries that of the rules that passed, the first writer of a key winning")
                        .under(Surroundings.DYNAMIC_METADATA)
                        .unlikeTheReference(newer)
                        .rules("""
                                - key: user
                                  rate_limit: {unit: year, requests_per_unit: 5}
                                  metadata: {owner: users, nested: {a: 1, b: true}}
                                - key: path
                                  rate_limit: {unit: year, requests_per_unit: 5}
                                  metadata: {owner: paths, nested: {a: 2, c: [x, y]}, extra: more}
                                - key: closed
                                  rate_limit: {unit: year, requests_per_unit: 0}
                                  metadata: {closed: true}
                                - key: watched
                                  shadow_mode: true
                                  rate_limit: {unit: year, requests_per_unit: 0}
                                  metadata: {watched: true}
                                - key: free
                                  rate_limit: {unlimited: true}
                                  metadata: {free: true}
                                """)
                        .asks(
                                ask("user", "alice").and("path", "/").and("closed", "x"),
                                OVER_LIMIT,
                                left(4, 5, YEAR),
                                left(4, 5, YEAR),
                                over(0, YEAR))
                        .withMetadata("""
                                {"domain": "$domain",
                                 "descriptors": [{"entries": ["user=alice"]}, {"entries": ["path=/"]}, {"entries": ["closed=x"]}],
                                 "metadata": {"owner": "users", "nested": {"a": 1, "b": true, "c": ["x", "y"]}, "extra": "more"}}
                                """)
                        .asks(ask("watched", "x").and("free", "x"), OK, left(0, 0, YEAR), unlimited())
                        .withMetadata("""
                                {"domain": "$domain",
                                 "descriptors": [{"entries": ["watched=x"]}, {"entries": ["free=x"]}],
                                 "metadata": {"watched": true}}
                                """));
    }

    private static Stream<ConformanceScenario> merging() {
        return Stream.of(scenario("with MERGE_DOMAIN_CONFIG one domain may be spread over files")
                .under(Surroundings.MERGED_DOMAINS)
                .rules("""
                        - key: user
                          rate_limit: {unit: year, requests_per_unit: 2}
                        """)
                .rules("""
                        - key: path
                          rate_limit: {unit: year, requests_per_unit: 3}
                        """)
                .asks(ask("user", "alice").and("path", "/"), OK, left(1, 2, YEAR), left(2, 3, YEAR)));
    }
}
