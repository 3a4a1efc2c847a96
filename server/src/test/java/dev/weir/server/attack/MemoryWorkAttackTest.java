package dev.weir.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests that cost the memory store much, to a server that allows them: its work is linear in what they hold. */
class MemoryWorkAttackTest extends UnderAttack {
    MemoryWorkAttackTest() {
        super("256m", 1);
    }

    @Override
    List<String> flags() {
        return List.of("--max-request-cost=1000000");
    }

    @Test
    void manyChecksOnOneLogThatTakeAndGiveBackInTurn() throws Exception {
        attack(CostlyRequests.inTurn(1_000, 5_000));
    }

    private void attack(byte[] message) throws Exception {
        underAttack(false, () -> {
            try (CostlyRequests costly = CostlyRequests.to(server.grpc)) {
                costly.send(8, message);
                assertThat(costly.refused()).isZero();
            }
            return List.of();
        });
    }
}
