package dev.weir.server.topkeys;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TopKeysTest {
    private static final String RULES = """
            domain: api
            rules:
              - { name: users, key_by: user_id, limit: { requests: 10, window: 1h, algorithm: fixed_window } }
              - { name: total, match: { endpoint: GET /all }, limit: { requests: 5, window: 1h } }
            """;

    private final TapFixture tap = new TapFixture(RULES, 42);

    private void ask(String user, int times) {
        for (int i = 0; i < times; i++) {
            tap.ask("user_id", user);
        }
        tap.pass(20);
    }

    @Test
    void tellsWhoIsDeniedMostAndSinceWhen() {
        ask("calm", 5);
        ask("loud", 30);
        long since = tap.millis() - 20;
        ask("louder", 60);
        List<TopKey> top = tap.keys.top(true, false, "api", "users", 10);
        assertThat(top).extracting(TopKey::text).containsExactly("user_id=louder", "user_id=loud");
        assertThat(top).extracting(TopKey::count).containsExactly(50.0, 20.0);
        assertThat(top.get(1).attributes()).isEqualTo(Map.of("user_id", "loud"));
        assertThat(top.get(1).deniedSince()).isEqualTo(since + 20);
        tap.pass(61_000);
        assertThat(tap.keys.top(true, true, null, null, 10).get(1).deniedSince())
                .isZero();
    }

    @Test
    void tellsWhoPassesMost() {
        ask("a", 3);
        ask("b", 9);
        assertThat(tap.keys.top(false, false, null, null, 1))
                .extracting(TopKey::text, TopKey::count)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("user_id=b", 9.0));
        assertThat(tap.keys.total(false, false, "api", "users")).isEqualTo(12.0);
    }

    @Test
    void tellsWhoIsNearestToItsLimitAndNotYetDenied() {
        ask("near", 9);
        ask("far", 2);
        ask("over", 12);
        List<TopKey> nearest = tap.keys.nearest("api", "users", 10);
        assertThat(nearest).extracting(TopKey::text).containsExactly("user_id=near", "user_id=far");
        assertThat(nearest.get(0).utilisation()).isEqualTo(0.9);
        assertThat(tap.keys.highestUse("api", "users")).isEqualTo(1.1);
        tap.pass(61_000);
        assertThat(tap.keys.nearest(null, null, 10)).isEmpty();
        assertThat(tap.keys.highestUse("api", "users")).isNaN();
    }

    @Test
    void aWindowSlides() {
        tap.nextMinute();
        ask("loud", 110);
        tap.nextMinute();
        tap.pass(30_000);
        assertThat(tap.keys.top(true, false, null, null, 1).get(0).count()).isEqualTo(50.0);
        tap.nextMinute();
        assertThat(tap.keys.top(true, false, null, null, 1)).isEmpty();
        assertThat(tap.keys.top(true, true, null, null, 1)).hasSize(1);
    }

    @Test
    void aRuleWithOneCounterHasOneCallerWithoutAName() {
        for (int i = 0; i < 7; i++) {
            tap.ask("endpoint", "GET /all");
        }
        tap.pass(20);
        assertThat(tap.keys.top(true, false, "api", "total", 10))
                .extracting(TopKey::text, TopKey::count)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("", 2.0));
    }

    @Test
    void keepsTheLastDenialsWithTheirExplanation() {
        ask("loud", 12);
        List<Denial> denials = tap.keys.denials(each -> each.has(Map.of("user_id", "loud")), 5);
        assertThat(denials).hasSize(2);
        assertThat(denials.get(0).sentence()).startsWith("denied by users (10 per 1h, fixed_window) for user_id=loud");
        assertThat(denials.get(0).used()).isEqualTo(10);
        assertThat(tap.keys.denials(each -> each.has(Map.of("user_id", "calm")), 5))
                .isEmpty();
    }

    @Test
    void aFloodOfRandomCallersPushesNoHeavyOneOutOfTheTopNorOutOfTheDenials() {
        Random random = new Random(5);
        for (int i = 0; i < 300; i++) {
            ask("heavy", 1);
            for (int each = 0; each < 100; each++) {
                tap.ask("user_id", "random-" + random.nextLong());
            }
        }
        assertThat(tap.keys.top(true, false, null, null, 3))
                .extracting(TopKey::text)
                .containsExactly("user_id=heavy");
        assertThat(tap.keys.denials(each -> each.has(Map.of("user_id", "heavy")), 9))
                .hasSize(5);
        assertThat(tap.keys.bytes()).isLessThan(1 << 20);
    }

    @Test
    void aFloodOfRandomCallersPushesNoneOutOfThoseThatPassMostOrAreNearestToTheirLimit() {
        String rules = """
                domain: api
                rules:
                  - { name: users, key_by: user_id, limit: { requests: 100, window: 1h, algorithm: fixed_window } }
                """;
        Random random = new Random(6);
        try (TapFixture flooded = new TapFixture(rules, 42)) {
            for (int i = 0; i < 200; i++) {
                for (int each = 0; each < 100; each++) {
                    flooded.ask("user_id", "random-" + random.nextLong(), 100); // all of its limit at once
                }
                if (i >= 10 && i < 100) {
                    flooded.ask("user_id", "heavy", 1);
                }
                flooded.pass(20);
            }
            assertThat(flooded.keys.top(false, false, null, null, 1))
                    .extracting(TopKey::text)
                    .containsExactly("user_id=heavy");
            assertThat(flooded.keys.nearest("api", "users", 10))
                    .hasSize(10)
                    .filteredOn(each -> each.text().equals("user_id=heavy"))
                    .extracting(TopKey::used)
                    .containsExactly(90L);
        }
    }

    @Test
    void withinTheBudgetTheIdlestRulesAreForgotten() {
        StringBuilder rules = new StringBuilder("domain: api\nrules:\n");
        for (int i = 0; i < 40; i++) {
            rules.append("  - { name: r" + i + ", match: { endpoint: GET /" + i
                    + " }, key_by: user_id, limit: { requests: 1, window: 1h } }\n");
        }
        try (TapFixture small = new TapFixture(rules.toString(), 42, 200_000)) {
            for (int rule = 0; rule < 40; rule++) {
                for (int user = 0; user < 60; user++) {
                    small.askBoth("GET /" + rule, "u" + user);
                    small.askBoth("GET /" + rule, "u" + user);
                }
                small.pass(1_100);
            }
            assertThat(small.keys.bytes()).isLessThanOrEqualTo(200_000);
            assertThat(small.keys.dropped()).singleElement().asString().contains("top_keys_memory");
            assertThat(small.keys.top(true, false, "api", "r39", 100)).hasSize(60);
            assertThat(small.keys.top(true, true, "api", "r0", 100)).isEmpty();
        }
    }
}
