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
import static dev.weir.server.conformance.RlsRequest.askNothing;

import java.util.stream.Stream;

/** The hits that a request takes from the rules it meets. */
final class CountingScenarios {
    private static final long MAX_UINT32 = 0xFFFF_FFFFL;
    private static final String TODAY = "the reference as of January does not know negative hits";
    private static final String MUTE = "it answers UNKNOWN over gRPC, and over /json 400 without a word of why";
    private static final String POISON = "its counters can be poisoned: hits near 2^63 make every later call fail";

    private static final String FIVE = """
            - key: user
              rate_limit: {unit: year, requests_per_unit: 5}
            """;
    private static final String TWO_RULES = """
            - key: user
              rate_limit: {unit: year, requests_per_unit: 2}
            - key: path
              rate_limit: {unit: year, requests_per_unit: 9}
            """;

    private CountingScenarios() {}

    static Stream<ConformanceScenario> all() {
        return Stream.of(counters(), hits(), edges(), givingBack(), callersLimits(), refusals())
                .flatMap(s -> s);
    }

    private static Stream<ConformanceScenario> counters() {
        return Stream.of(
                scenario("a limit lets through what it says and then no more")
                        .rules(TWO_RULES)
                        .asks(ask("user", "alice"), OK, left(1, 2, YEAR))
                        .asks(ask("user", "alice"), OK, left(0, 2, YEAR))
                        .asksTimes(3, ask("user", "alice"), OVER_LIMIT, over(2, YEAR)),
                scenario("a rule without a value counts each value apart")
                        .rules(FIVE)
                        .asks(ask("user", "alice").hits(5), OK, left(0, 5, YEAR))
                        .asks(ask("user", "bob"), OK, left(4, 5, YEAR)),
                scenario("a wildcard counts each value apart")
                        .rules("""
                                - key: path
                                  value: /files/*
                                  rate_limit: {unit: year, requests_per_unit: 1}
                                """)
                        .asks(ask("path", "/files/a"), OK, left(0, 1, YEAR))
                        .asks(ask("path", "/files/b"), OK, left(0, 1, YEAR))
                        .asks(ask("path", "/files/a"), OVER_LIMIT, over(1, YEAR)),
                scenario("share_threshold makes all values of a wildcard share a counter")
                        .rules("""
                                - key: path
                                  value: /files/*
                                  share_threshold: true
                                  rate_limit: {unit: year, requests_per_unit: 2}
                                - key: path
                                  value: /docs/*
                                  share_threshold: true
                                  rate_limit: {unit: year, requests_per_unit: 2}
                                """)
                        .asks(ask("path", "/files/a"), OK, left(1, 2, YEAR))
                        .asks(ask("path", "/files/b"), OK, left(0, 2, YEAR))
                        .asks(ask("path", "/docs/a"), OK, left(1, 2, YEAR))
                        .asks(ask("path", "/files/c"), OVER_LIMIT, over(2, YEAR)),
                scenario("share_threshold shares below its level too, and only its own level")
                        .rules("""
                                - key: path
                                  value: /files/*
                                  share_threshold: true
                                  descriptors:
                                    - key: user
                                      rate_limit: {unit: year, requests_per_unit: 2}
                                """)
                        .asks(ask("path", "/files/a", "user", "alice"), OK, left(1, 2, YEAR))
                        .asks(ask("path", "/files/b", "user", "alice"), OK, left(0, 2, YEAR))
                        .asks(ask("path", "/files/c", "user", "bob"), OK, left(1, 2, YEAR)),
                scenario("descriptors are counted one by one, also when one of them is over")
                        .rules(TWO_RULES)
                        .asks(ask("user", "alice").hits(2), OK, left(0, 2, YEAR))
                        .asks(ask("user", "alice").and("path", "/"), OVER_LIMIT, over(2, YEAR), left(8, 9, YEAR))
                        .asks(ask("path", "/"), OK, left(7, 9, YEAR)),
                scenario("the same descriptor twice in a request counts twice")
                        .rules(FIVE)
                        .asks(ask("user", "alice").and("user", "alice"), OK, left(4, 5, YEAR), left(3, 5, YEAR))
                        .asks(ask("user", "alice"), OK, left(2, 5, YEAR)),
                scenario("the second of two equal descriptors may be the one over")
                        .rules("""
                                - key: user
                                  rate_limit: {unit: year, requests_per_unit: 1}
                                """)
                        .asks(ask("user", "alice").and("user", "alice"), OVER_LIMIT, left(0, 1, YEAR), over(1, YEAR)),
                scenario("descriptors without a limit stand between those with one")
                        .rules(TWO_RULES)
                        .asks(
                                ask("x", "y").and("user", "alice").and().and("path", "/"),
                                OK,
                                noLimit(),
                                left(1, 2, YEAR),
                                noLimit(),
                                left(8, 9, YEAR)),
                scenario("unlimited says so, and takes nothing")
                        .rules("""
                                - key: user
                                  rate_limit: {unlimited: true}
                                - key: path
                                  rate_limit: {unit: year, requests_per_unit: 2}
                                """)
                        .asks(ask("user", "alice").hits(1_000_000), OK, unlimited())
                        .asks(ask("user", "alice").and("path", "/"), OK, unlimited(), left(1, 2, YEAR)));
    }

    private static Stream<ConformanceScenario> hits() {
        return Stream.of(
                scenario("a request takes one hit unless it says more")
                        .rules(FIVE)
                        .asks(ask("user", "alice"), OK, left(4, 5, YEAR))
                        .asks(ask("user", "alice").hits(3), OK, left(1, 5, YEAR)),
                scenario("hits that are denied count all the same")
                        .rules(FIVE)
                        .asks(ask("user", "alice").hits(3), OK, left(2, 5, YEAR))
                        .asks(ask("user", "alice").hits(3), OVER_LIMIT, over(5, YEAR))
                        .asks(ask("user", "alice"), OVER_LIMIT, over(5, YEAR)),
                scenario("a descriptor's own hits go before the request's")
                        .rules(TWO_RULES)
                        .asks(
                                ask("user", "alice").ownHits(1).and("path", "/").hits(4),
                                OK,
                                left(1, 2, YEAR),
                                left(5, 9, YEAR)),
                scenario("an explicit 0 of a descriptor asks and takes nothing")
                        .rules(FIVE)
                        .asks(ask("user", "alice").ownHits(0), OK, left(5, 5, YEAR))
                        .asks(ask("user", "alice").hits(2), OK, left(3, 5, YEAR))
                        .asksTimes(3, ask("user", "alice").ownHits(0).hits(7), OK, left(3, 5, YEAR)),
                scenario("asking with 0 is still OK when the limit is just used up, and over beyond it")
                        .rules(FIVE)
                        .asks(ask("user", "alice").hits(5), OK, left(0, 5, YEAR))
                        .asks(ask("user", "alice").ownHits(0), OK, left(0, 5, YEAR))
                        .asks(ask("user", "alice"), OVER_LIMIT, over(5, YEAR))
                        .asks(ask("user", "alice").ownHits(0), OVER_LIMIT, over(5, YEAR)));
    }

    private static Stream<ConformanceScenario> edges() {
        return Stream.of(
                scenario("a limit of 0 is always over, but may be asked with 0")
                        .rules("""
                                - key: user
                                  rate_limit: {unit: year, requests_per_unit: 0}
                                """)
                        .asks(ask("user", "alice").ownHits(0), OK, left(0, 0, YEAR))
                        .asks(ask("user", "alice"), OVER_LIMIT, over(0, YEAR))
                        .asks(ask("user", "alice").ownHits(0), OVER_LIMIT, over(0, YEAR)),
                scenario("the greatest limit holds exactly its number")
                        .rules("""
                                - key: user
                                  rate_limit: {unit: year, requests_per_unit: 4294967295}
                                """)
                        .asks(ask("user", "alice").hits(MAX_UINT32), OK, left(0, MAX_UINT32, YEAR))
                        .asks(ask("user", "alice"), OVER_LIMIT, over(MAX_UINT32, YEAR)),
                scenario("hits of 2^32-1 on a small limit are over")
                        .rules(FIVE)
                        .asks(ask("user", "alice").hits(MAX_UINT32), OVER_LIMIT, over(5, YEAR))
                        .asks(ask("user", "alice"), OVER_LIMIT, over(5, YEAR)),
                scenario("hits of 2^53 are over and count")
                        .rules(FIVE)
                        .asks(ask("user", "alice").ownHits(1L << 53), OVER_LIMIT, over(5, YEAR))
                        .asks(ask("user", "alice").ownHits(0), OVER_LIMIT, over(5, YEAR)),
                scenario("hits of 2^63-1 saturate and the counter stays usable")
                        .unlikeTheReference(POISON)
                        .rules(FIVE)
                        .asksTimes(3, ask("user", "alice").ownHits(Long.MAX_VALUE), OVER_LIMIT, over(5, YEAR))
                        .asks(ask("user", "alice"), OVER_LIMIT, over(5, YEAR))
                        .asks(ask("user", "bob"), OK, left(4, 5, YEAR)),
                scenario("hits of 2^64-1 saturate and the counter stays usable")
                        .unlikeTheReference(POISON)
                        .rules(FIVE)
                        .asksTimes(3, ask("user", "alice").ownHits(-1), OVER_LIMIT, over(5, YEAR))
                        .asks(ask("user", "alice").ownHits(0), OVER_LIMIT, over(5, YEAR))
                        .asks(ask("user", "bob"), OK, left(4, 5, YEAR)));
    }

    private static Stream<ConformanceScenario> givingBack() {
        return Stream.of(
                scenario("negative hits give back")
                        .unlikeTheReference(TODAY)
                        .rules(FIVE)
                        .asks(ask("user", "alice").hits(4), OK, left(1, 5, YEAR))
                        .asks(ask("user", "alice").ownHits(3).givingBack(), OK, left(4, 5, YEAR))
                        .asks(ask("user", "alice"), OK, left(3, 5, YEAR)),
                scenario("giving back ends at a counter of 0")
                        .unlikeTheReference(TODAY)
                        .rules(FIVE)
                        .asks(ask("user", "alice").hits(2), OK, left(3, 5, YEAR))
                        .asks(ask("user", "alice").ownHits(100).givingBack(), OK, left(5, 5, YEAR))
                        .asks(ask("user", "alice").ownHits(-1).givingBack(), OK, left(5, 5, YEAR))
                        .asks(ask("user", "alice").hits(5), OK, left(0, 5, YEAR)),
                scenario("giving back to a counter nobody used is OK")
                        .unlikeTheReference(TODAY)
                        .rules(FIVE)
                        .asks(ask("user", "alice").ownHits(2).givingBack(), OK, left(5, 5, YEAR)),
                scenario("giving back is OK also where the limit stays exceeded")
                        .unlikeTheReference(TODAY)
                        .rules(FIVE)
                        .asks(ask("user", "alice").hits(10), OVER_LIMIT, over(5, YEAR))
                        .asks(ask("user", "alice").ownHits(2).givingBack(), OK, left(0, 5, YEAR))
                        .asks(ask("user", "alice").ownHits(0), OVER_LIMIT, over(5, YEAR))
                        .asks(ask("user", "alice").ownHits(4).givingBack(), OK, left(1, 5, YEAR)),
                scenario("a descriptor that gives back without a number gives the request's hits")
                        .unlikeTheReference(TODAY)
                        .rules(FIVE)
                        .asks(ask("user", "alice").hits(4), OK, left(1, 5, YEAR))
                        .asks(ask("user", "alice").givingBack(), OK, left(2, 5, YEAR))
                        .asks(ask("user", "alice").givingBack().hits(2), OK, left(4, 5, YEAR)),
                scenario("one descriptor gives back while another takes")
                        .unlikeTheReference(TODAY)
                        .rules(TWO_RULES)
                        .asks(ask("user", "alice").and("path", "/").hits(2), OK, left(0, 2, YEAR), left(7, 9, YEAR))
                        .asks(
                                ask("user", "alice").ownHits(1).givingBack().and("path", "/"),
                                OK,
                                left(1, 2, YEAR),
                                left(6, 9, YEAR)));
    }

    private static Stream<ConformanceScenario> callersLimits() {
        return Stream.of(
                scenario("a caller's limit goes before the file's, and has no name")
                        .rules("""
                                - key: user
                                  rate_limit: {name: per-user, unit: day, requests_per_unit: 5}
                                """)
                        .asks(ask("user", "alice").limitedTo(1, YEAR), OK, left(0, 1, YEAR))
                        .asks(ask("user", "alice").limitedTo(1, YEAR), OVER_LIMIT, over(1, YEAR)),
                scenario("a caller's limit needs no rule, but it needs the domain")
                        .rules(FIVE)
                        .asks(ask("what", "ever").limitedTo(3, YEAR), OK, left(2, 3, YEAR))
                        .asks(ask("what", "ever").limitedTo(3, YEAR).in("nowhere"), OK, noLimit()),
                scenario("a caller's limit keeps its count when its number changes")
                        .rules(FIVE)
                        .asks(ask("what", "ever").limitedTo(3, YEAR), OK, left(2, 3, YEAR))
                        .asks(ask("what", "ever").limitedTo(10, YEAR), OK, left(8, 10, YEAR))
                        .asks(ask("what", "ever").limitedTo(2, YEAR), OVER_LIMIT, over(2, YEAR)),
                scenario("a caller's limit of another unit is another counter")
                        .rules(FIVE)
                        .asks(ask("what", "ever").limitedTo(3, YEAR), OK, left(2, 3, YEAR))
                        .asks(ask("what", "ever").limitedTo(3, DAY), OK, left(2, 3, DAY)),
                scenario("a caller's limit counts with the rule of the same path and unit")
                        .rules(FIVE)
                        .asks(ask("user", "alice").hits(2), OK, left(3, 5, YEAR))
                        .asks(ask("user", "alice").limitedTo(10, YEAR), OK, left(7, 10, YEAR))
                        .asks(ask("user", "alice"), OK, left(1, 5, YEAR)),
                scenario("a caller's limit of 0 is over")
                        .rules(FIVE)
                        .asks(ask("user", "alice").limitedTo(0, YEAR), OVER_LIMIT, over(0, YEAR)),
                scenario("a caller's limit is neither shadowed nor replaced by what the file says")
                        .rules("""
                                - key: user
                                  shadow_mode: true
                                  rate_limit: {name: per-user, unit: day, requests_per_unit: 1}
                                - key: path
                                  rate_limit:
                                    unit: year
                                    requests_per_unit: 9
                                    replaces: [{name: per-user}]
                                """)
                        .asks(
                                ask("user", "alice").limitedTo(0, YEAR).and("path", "/"),
                                OVER_LIMIT,
                                over(0, YEAR),
                                left(8, 9, YEAR)));
    }

    private static Stream<ConformanceScenario> refusals() {
        return Stream.of(
                scenario("a request without a domain is refused")
                        .unlikeTheReference(MUTE)
                        .rules(FIVE)
                        .isRefused(ask("user", "alice").in(""), "rate limit domain must not be empty"),
                scenario("a request without descriptors is refused")
                        .unlikeTheReference(MUTE)
                        .rules(FIVE)
                        .isRefused(askNothing(), "rate limit descriptor list must not be empty"));
    }
}
