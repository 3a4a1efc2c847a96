package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class OpenHoldsTest {
    private final OpenHolds open = new OpenHolds();
    private long ids;
    private long now = 1_000_000_000;

    private void reserveFor(long ttl, String user, String peer) {
        OpenHolds.Owner owner = OpenHolds.Owner.of(ask("user_id", user), peer);
        open.requireRoom(owner, now);
        open.add(new OpenHolds.Id(0, ids++), now + ttl, owner);
    }

    private void reserve(String user, String peer, int times) {
        for (int i = 0; i < times; i++) {
            reserveFor(600_000_000L, user, peer);
        }
    }

    @Test
    void aCallerHasAShare() {
        reserve("greedy", "", OpenHolds.MOST_OF_CALLER);
        assertThatThrownBy(() -> reserve("greedy", "", 1))
                .isInstanceOf(Holds.TooManyHoldsException.class)
                .hasMessageContaining("open holds: 10000 of this caller (expected: fewer");
        reserve("another", "", 1);
    }

    @Test
    void aPeerHasAShareWhateverCallersItNames() {
        for (int i = 0; i < OpenHolds.MOST_OF_PEER; i++) {
            reserve("user" + i, "10.0.0.1", 1);
        }
        assertThatThrownBy(() -> reserve("new", "10.0.0.1", 1)).hasMessageContaining("50000 of this address");
        reserve("new", "10.0.0.2", 1);
    }

    @Test
    void requestsThatNameNoCallerHaveNoShare() {
        for (int i = 0; i < OpenHolds.MOST; i++) {
            OpenHolds.Owner owner = OpenHolds.Owner.of(ask("color", "red"), "");
            open.requireRoom(owner, now);
            open.add(new OpenHolds.Id(1, i), now + 1, owner);
        }
        assertThatThrownBy(() -> reserve("anybody", "", 1)).hasMessageContaining("open holds: 100000 (");
    }

    @Test
    void settledAndExpiredHoldsMakeRoom() {
        reserve("greedy", "peer", OpenHolds.MOST_OF_CALLER - 1);
        reserveFor(5_000_000L, "greedy", "peer");
        assertThat(open.remove(new OpenHolds.Id(0, 7))).isTrue();
        assertThat(open.remove(new OpenHolds.Id(0, 7))).isFalse();
        reserve("greedy", "peer", 1);
        assertThatThrownBy(() -> reserve("greedy", "peer", 1)).isInstanceOf(Holds.TooManyHoldsException.class);
        now += 5_000_000;
        reserve("greedy", "peer", 1);
        assertThat(open.size()).isEqualTo(OpenHolds.MOST_OF_CALLER);
    }
}
