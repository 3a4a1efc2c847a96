package dev.weir.server.conformance;

import static dev.weir.server.conformance.ConformanceScenario.scenario;
import static dev.weir.server.conformance.Expected.left;
import static dev.weir.server.conformance.Expected.noLimit;
import static dev.weir.server.conformance.Expected.over;
import static dev.weir.server.conformance.ProtocolCode.OK;
import static dev.weir.server.conformance.ProtocolCode.OVER_LIMIT;
import static dev.weir.server.conformance.ProtocolUnit.YEAR;
import static dev.weir.server.conformance.RlsRequest.ask;

import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Which rule a descriptor meets. Windows are a year long so that no scenario straddles the end of one. */
final class MatchingScenarios {
    private static final String USER = """
            - key: user
              rate_limit: {unit: year, requests_per_unit: 10}
            """;

    private MatchingScenarios() {}

    static Stream<ConformanceScenario> all() {
        return Stream.of(levels(), values(), depth(), text()).flatMap(s -> s);
    }

    private static Stream<ConformanceScenario> levels() {
        return Stream.of(
                scenario("an unknown domain has no limits")
                        .rules(USER)
                        .asks(ask("user", "alice").in("nowhere"), OK, noLimit()),
                scenario("an unknown key has no limit").rules(USER).asks(ask("colour", "red"), OK, noLimit()),
                scenario("the exact value goes before a wildcard, and a wildcard before the key alone")
                        .rules("""
                                - key: path
                                  rate_limit: {unit: year, requests_per_unit: 1}
                                - key: path
                                  value: /api*
                                  rate_limit: {unit: year, requests_per_unit: 2}
                                - key: path
                                  value: /api/orders
                                  rate_limit: {unit: year, requests_per_unit: 3}
                                """)
                        .asks(ask("path", "/api/orders"), OK, left(2, 3, YEAR))
                        .asks(ask("path", "/api/users"), OK, left(1, 2, YEAR))
                        .asks(ask("path", "/api"), OK, left(1, 2, YEAR))
                        .asks(ask("path", "/home"), OK, left(0, 1, YEAR)),
                scenario("of several wildcards the first in the file matches")
                        .rules("""
                                - key: path
                                  value: /a*
                                  rate_limit: {unit: year, requests_per_unit: 5}
                                - key: path
                                  value: /api*
                                  rate_limit: {unit: year, requests_per_unit: 6}
                                """)
                        .asks(ask("path", "/api/x"), OK, left(4, 5, YEAR)),
                scenario("who sends the text of a wildcard meets that wildcard, whichever else matches")
                        .rules("""
                                - key: path
                                  value: /a*
                                  rate_limit: {unit: year, requests_per_unit: 5}
                                - key: path
                                  value: /api*
                                  share_threshold: true
                                  rate_limit: {unit: year, requests_per_unit: 6}
                                """)
                        .asks(ask("path", "/api*"), OK, left(5, 6, YEAR))
                        .asks(ask("path", "/api*"), OK, left(4, 6, YEAR)),
                scenario("a wildcard stands for any value, the empty one too")
                        .rules("""
                                - key: user
                                  value: "*"
                                  rate_limit: {unit: year, requests_per_unit: 7}
                                """)
                        .asks(ask("user", "alice"), OK, left(6, 7, YEAR))
                        .asks(ask("user", ""), OK, left(6, 7, YEAR)),
                scenario("a wildcard belongs to its key").rules("""
                                - key: user
                                  value: a*
                                  rate_limit: {unit: year, requests_per_unit: 7}
                                """).asks(ask("group", "a1"), OK, noLimit()),
                scenario("a value that is looked for and not found falls to the key alone")
                        .rules("""
                                - key: user
                                  value: alice
                                  rate_limit: {unit: year, requests_per_unit: 2}
                                - key: user
                                  rate_limit: {unit: year, requests_per_unit: 9}
                                """)
                        .asks(ask("user", "alice"), OK, left(1, 2, YEAR))
                        .asks(ask("user", "bob"), OK, left(8, 9, YEAR))
                        .asks(ask("user", ""), OK, left(8, 9, YEAR)),
                scenario("an empty value in the file is no value")
                        .rules("""
                                - key: user
                                  value: ""
                                  rate_limit: {unit: year, requests_per_unit: 4}
                                """)
                        .asks(ask("user", "alice"), OK, left(3, 4, YEAR)),
                scenario("a value without a limit is a white list")
                        .rules("""
                                - key: ip
                                  rate_limit: {unit: year, requests_per_unit: 1}
                                - key: ip
                                  value: 10.0.0.1
                                """)
                        .asksTimes(3, ask("ip", "10.0.0.1"), OK, noLimit())
                        .asks(ask("ip", "10.0.0.2"), OK, left(0, 1, YEAR))
                        .asks(ask("ip", "10.0.0.2"), OVER_LIMIT, over(1, YEAR)),
                scenario("once the exact value is taken there is no way back to the key alone")
                        .rules("""
                                - key: tenant
                                  value: acme
                                  descriptors:
                                    - key: path
                                      value: /a
                                      rate_limit: {unit: year, requests_per_unit: 2}
                                - key: tenant
                                  descriptors:
                                    - key: path
                                      rate_limit: {unit: year, requests_per_unit: 8}
                                """)
                        .asks(ask("tenant", "acme", "path", "/a"), OK, left(1, 2, YEAR))
                        .asks(ask("tenant", "acme", "path", "/b"), OK, noLimit())
                        .asks(ask("tenant", "other", "path", "/b"), OK, left(7, 8, YEAR)),
                scenario("a wildcard that is taken is not left either")
                        .rules("""
                                - key: tenant
                                  value: a*
                                  descriptors:
                                    - key: path
                                      value: /a
                                      rate_limit: {unit: year, requests_per_unit: 2}
                                - key: tenant
                                  descriptors:
                                    - key: path
                                      rate_limit: {unit: year, requests_per_unit: 8}
                                """)
                        .asks(ask("tenant", "acme", "path", "/b"), OK, noLimit())
                        .asks(ask("tenant", "zoo", "path", "/b"), OK, left(7, 8, YEAR)));
    }

    private static Stream<ConformanceScenario> values() {
        return Stream.of(
                scenario("keys and values are case-sensitive")
                        .rules("""
                                - key: user
                                  value: Alice
                                  rate_limit: {unit: year, requests_per_unit: 2}
                                """)
                        .asks(ask("user", "Alice"), OK, left(1, 2, YEAR))
                        .asks(ask("user", "alice"), OK, noLimit())
                        .asks(ask("User", "Alice"), OK, noLimit()),
                scenario("a scalar is the text that stands there")
                        .rules("""
                                - key: status
                                  value: 404
                                  rate_limit: {unit: year, requests_per_unit: 2}
                                - key: flag
                                  value: true
                                  rate_limit: {unit: year, requests_per_unit: 3}
                                """)
                        .asks(ask("status", "404"), OK, left(1, 2, YEAR))
                        .asks(ask("flag", "true"), OK, left(2, 3, YEAR)),
                scenario("a fraction keeps its noughts")
                        .unlikeTheReference("it refuses a file with a fraction in it")
                        .rules("""
                                - key: version
                                  value: 1.50
                                  rate_limit: {unit: year, requests_per_unit: 4}
                                """)
                        .asks(ask("version", "1.50"), OK, left(3, 4, YEAR))
                        .asks(ask("version", "1.5"), OK, noLimit()),
                scenario("a star may stand anywhere and several times")
                        .unlikeTheReference("as of January it knows a star at the end alone")
                        .rules("""
                                - key: path
                                  value: /v*/users/*/orders
                                  rate_limit: {unit: year, requests_per_unit: 5}
                                - key: path
                                  value: "*.png"
                                  rate_limit: {unit: year, requests_per_unit: 6}
                                """)
                        .asks(ask("path", "/v1/users/42/orders"), OK, left(4, 5, YEAR))
                        .asks(ask("path", "/v/users//orders"), OK, left(4, 5, YEAR))
                        .asks(ask("path", "/v1/users/42/orders/7"), OK, noLimit())
                        .asks(ask("path", "a.png.png"), OK, left(5, 6, YEAR))
                        .asks(ask("path", ".png"), OK, left(5, 6, YEAR)),
                scenario("a star in a request is a character like any other")
                        .rules("""
                                - key: user
                                  value: alice
                                  rate_limit: {unit: year, requests_per_unit: 5}
                                """)
                        .asks(ask("user", "a*"), OK, noLimit())
                        .asks(ask("user", "*"), OK, noLimit()),
                scenario("underscores join nothing: key and value stay apart")
                        .unlikeTheReference("its keys collide, the underscore is not escaped")
                        .rules("""
                                - key: a
                                  rate_limit: {unit: year, requests_per_unit: 2}
                                - key: a_b
                                  rate_limit: {unit: year, requests_per_unit: 2}
                                """)
                        .asks(ask("a", "b_c"), OK, left(1, 2, YEAR))
                        .asks(ask("a_b", "c"), OK, left(1, 2, YEAR))
                        .asks(ask("a", "b_c"), OK, left(0, 2, YEAR)),
                scenario("values of any script, with any separator, are counted apart")
                        .rules(USER)
                        .asks(ask("user", "Zoë"), OK, left(9, 10, YEAR))
                        .asks(ask("user", "Zoe\u0308"), OK, left(9, 10, YEAR))
                        .asks(ask("user", "\u202Eevil"), OK, left(9, 10, YEAR))
                        .asks(ask("user", "\uD83E\uDD86"), OK, left(9, 10, YEAR))
                        .asks(ask("user", "a:b{c}|d\u0000e\r\nf"), OK, left(9, 10, YEAR))
                        .asks(ask("user", "a:b{c}|d\u0000e\r\nf"), OK, left(8, 10, YEAR)),
                scenario("a value of 16 KiB is ordinary")
                        .rules(USER)
                        .asks(ask("user", "x".repeat(16 * 1024)), OK, left(9, 10, YEAR))
                        .asks(ask("user", "x".repeat(16 * 1024)), OK, left(8, 10, YEAR))
                        .asks(ask("user", "x".repeat(16 * 1024 - 1) + "y"), OK, left(9, 10, YEAR)),
                scenario("a hundred descriptors are ordinary, and answered in their order")
                        .rules(USER)
                        .asks(
                                IntStream.range(0, 99)
                                        .boxed()
                                        .reduce(ask("colour", "red"), (a, i) -> a.and("user", "u" + i), (a, b) -> a),
                                OK,
                                Stream.concat(
                                                Stream.of(noLimit()),
                                                Stream.generate(() -> left(9, 10, YEAR))
                                                        .limit(99))
                                        .toArray(Expected[]::new)));
    }

    private static Stream<ConformanceScenario> depth() {
        return Stream.of(
                scenario("only the node of the last entry gives the limit")
                        .rules("""
                                - key: tenant
                                  rate_limit: {unit: year, requests_per_unit: 100}
                                  descriptors:
                                    - key: user
                                      rate_limit: {unit: year, requests_per_unit: 10}
                                """)
                        .asks(ask("tenant", "acme"), OK, left(99, 100, YEAR))
                        .asks(ask("tenant", "acme", "user", "alice"), OK, left(9, 10, YEAR))
                        .asks(ask("tenant", "acme", "user", "alice", "path", "/"), OK, noLimit())
                        .asks(ask("user", "alice"), OK, noLimit())
                        .asks(ask("tenant", "acme"), OK, left(98, 100, YEAR)),
                scenario("a level that has no limit of its own is only a way down")
                        .rules("""
                                - key: tenant
                                  descriptors:
                                    - key: user
                                      rate_limit: {unit: year, requests_per_unit: 10}
                                """)
                        .asks(ask("tenant", "acme"), OK, noLimit())
                        .asks(ask("tenant", "acme", "user", "alice"), OK, left(9, 10, YEAR)),
                scenario("the order of entries matters")
                        .rules("""
                                - key: tenant
                                  descriptors:
                                    - key: user
                                      rate_limit: {unit: year, requests_per_unit: 10}
                                """)
                        .asks(ask("user", "alice", "tenant", "acme"), OK, noLimit()),
                scenario("every level of the path is part of the counter")
                        .rules("""
                                - key: tenant
                                  descriptors:
                                    - key: user
                                      rate_limit: {unit: year, requests_per_unit: 10}
                                """)
                        .asks(ask("tenant", "acme", "user", "alice"), OK, left(9, 10, YEAR))
                        .asks(ask("tenant", "zoo", "user", "alice"), OK, left(9, 10, YEAR))
                        .asks(ask("tenant", "acme", "user", "alice"), OK, left(8, 10, YEAR)),
                scenario("rules nest as deep as anyone likes")
                        .rules(nested(12))
                        .asks(
                                ask(IntStream.range(0, 24)
                                        .mapToObj(i -> i % 2 == 0 ? "k" + i / 2 : "v")
                                        .toArray(String[]::new)),
                                OK,
                                left(2, 3, YEAR)),
                scenario("a descriptor without entries has no limit")
                        .rules(USER)
                        .asks(ask(), OK, noLimit()),
                scenario("a file with nothing but its domain limits nothing")
                        .rules("")
                        .asks(ask("user", "alice"), OK, noLimit())
                        .asks(ask("user", "alice").limitedTo(3, YEAR), OK, left(2, 3, YEAR)));
    }

    private static String nested(int depth) {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < depth; i++) {
            yaml.append("  ".repeat(2 * i)).append("- key: k").append(i).append('\n');
            if (i < depth - 1) {
                yaml.append("  ".repeat(2 * i + 1)).append("descriptors:\n");
            }
        }
        return yaml.append("  ".repeat(2 * depth - 1))
                .append("rate_limit: {unit: year, requests_per_unit: 3}\n")
                .toString();
    }

    private static Stream<ConformanceScenario> text() {
        Stream<ConformanceScenario> units = Stream.of(ProtocolUnit.values())
                .filter(unit -> unit != ProtocolUnit.UNKNOWN)
                .map(unit -> scenario("a unit of " + unit.name().toLowerCase(Locale.ROOT) + ", written as anyone likes")
                        .rules("""
                                - key: lower
                                  rate_limit: {unit: %s, requests_per_unit: 5}
                                - key: mixed
                                  rate_limit: {unit: %s, requests_per_unit: 6}
                                """.formatted(
                                unit.name().toLowerCase(Locale.ROOT),
                                unit.name().charAt(0) + unit.name().substring(1).toLowerCase(Locale.ROOT)))
                        .asks(ask("lower", "a"), OK, left(4, 5, unit))
                        .asks(ask("mixed", "a"), OK, left(5, 6, unit)));
        return Stream.concat(
                units,
                Stream.of(
                        scenario("the rule's name comes back with its limit")
                                .rules("""
                                        - key: user
                                          rate_limit: {name: per-user, unit: year, requests_per_unit: 2}
                                        """)
                                .asks(ask("user", "alice"), OK, left(1, 2, YEAR).by("per-user")),
                        scenario("two rules may bear one name")
                                .rules("""
                                        - key: user
                                          rate_limit: {name: same, unit: year, requests_per_unit: 2}
                                        - key: path
                                          rate_limit: {name: same, unit: year, requests_per_unit: 3}
                                        """)
                                .asks(
                                        ask("user", "alice").and("path", "/"),
                                        OK,
                                        left(1, 2, YEAR).by("same"),
                                        left(2, 3, YEAR).by("same"))));
    }
}
