package dev.weir.server.topkeys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.model.MutableDecision;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Busy servers, which record only some of the requests, of callers that ask in turn. */
class SamplingTest {
    private static final String RULES = """
            domain: api
            rules:
              - name: all
                match: { api_key: "*" }
                key_by: api_key
                limit: { requests: 100000000, window: 1h, algorithm: fixed_window }
              - name: none
                match: { user_id: "*" }
                key_by: user_id
                limit: { requests: 0, window: 1h, algorithm: fixed_window }
            """;
    /** Requests in 20 ms: 400,000 a second, of which one in 16 is recorded. */
    private static final int STEP = 8_000;

    private static final int STEPS = 250;
    private static final int REQUESTS = STEPS * STEP;

    private final TapFixture tap = new TapFixture(RULES, 42);
    /** Tells the counters of callers that {@link #tap} does not know yet. */
    private final TapFixture other = new TapFixture(RULES, 43);

    @AfterEach
    void close() {
        tap.close();
        other.close();
    }

    /** Lets {@code callers} ask in turn; their names are {@code prefix} and a number from 0. */
    private void askInTurn(String attribute, String prefix, int callers) {
        String[] names = new String[callers];
        long[] counters = new long[callers];
        for (int i = 0; i < callers; i++) {
            names[i] = prefix + i;
            counters[i] = other.decision(attribute, names[i]).verdict(0).counter();
        }
        MutableDecision decision = tap.decision(attribute, "any");
        for (int i = 0; i < REQUESTS; i++) {
            int caller = i % callers;
            tap.tell(decision, attribute, names[caller], counters[caller]);
            if (i % STEP == 0) {
                tap.pass(20);
            }
        }
        tap.pass(20);
    }

    @Test
    void callersThatPassInTurnAreAllCounted() {
        askInTurn("api_key", "k", 16);
        List<TopKey> top = tap.keys.top(false, true, null, null, 16);
        assertThat(top)
                .hasSize(16)
                .allSatisfy(each -> assertThat(each.count()).isCloseTo(REQUESTS / 16.0, Percentage.withPercentage(8)));
    }

    @Test
    void noneOfAThousandCallersThatPassInTurnLooksHeavy() {
        askInTurn("api_key", "k", 1_000);
        assertThat(tap.keys.total(false, true, null, null)).isCloseTo(REQUESTS, Percentage.withPercentage(3));
        assertThat(tap.keys.top(false, true, null, null, 128))
                .isNotEmpty()
                .allSatisfy(each -> assertThat(each.count()).isLessThan(2.0 * REQUESTS / 1_000));
    }

    @Test
    void callersThatAreDeniedInTurnAllGetTheirNames() {
        askInTurn("user_id", "k", 16);
        askInTurn("user_id", "late", 32);
        assertThat(tap.keys.top(true, true, null, null, 128))
                .extracting(TopKey::text)
                .containsAll(
                        IntStream.range(0, 32).mapToObj(i -> "user_id=late" + i).toList());
    }

    @Test
    void afterABusyTimeEveryRequestIsRecordedAgain() {
        askInTurn("api_key", "k", 16);
        tap.nextMinute();
        for (int i = 0; i < 10; i++) {
            tap.ask("api_key", "quiet");
        }
        tap.pass(1_000);
        assertThat(tap.keys.top(false, true, null, null, 128))
                .filteredOn(each -> each.text().equals("api_key=quiet"))
                .extracting(TopKey::count)
                .containsExactly(10.0);
    }
}
