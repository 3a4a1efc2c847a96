package dev.weir.server.rlqs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.model.HeldHits;
import java.util.List;
import org.junit.jupiter.api.Test;

class GrantLedgerTest {
    private static final long SECOND = 1_000_000;
    private static final GrantLedger.Payment PAID =
            new GrantLedger.Payment(true, Long.MAX_VALUE, List.of(new HeldHits("rule", 0, 10, 0, 1_000 * SECOND)));

    private final GrantLedger ledger = new GrantLedger();

    private void granted(int times, int most) {
        for (int i = 0; i < times; i++) {
            ledger.granted(10, 0, PAID, most, 0);
        }
    }

    @Test
    void aGrantIsSettledAWholeIntervalAfterItWasReplaced() {
        granted(2, GrantLedger.MOST);
        assertThat(ledger.reported(0, 0, 0)).isEmpty();
        assertThat(ledger.reported(3, SECOND, SECOND)).as("too early").isEmpty();
        assertThat(ledger.reported(0, 5 * SECOND, 5 * SECOND)).singleElement().satisfies(each -> {
            assertThat(each.spent()).isEqualTo(3);
            assertThat(each.returned()).isEqualTo(7);
        });
        assertThat(ledger.open()).as("the newest may still be spent").isEqualTo(10);
    }

    @Test
    void withoutMemoryForMoreTheOldestGrantsStaySpent() {
        granted(100, 4);
        assertThat(ledger.size()).isEqualTo(4);
        ledger.reported(0, 0, 0);
        assertThat(ledger.reported(0, 5 * SECOND, 5 * SECOND)).hasSize(3);
    }

    @Test
    void aGrantThatItsLimitHasForgottenIsNotSettled() {
        granted(2, GrantLedger.MOST);
        ledger.reported(0, 0, 0);
        assertThat(ledger.reported(0, 5 * SECOND, 1_001 * SECOND)).isEmpty();
        assertThat(ledger.size()).isZero();
    }
}
