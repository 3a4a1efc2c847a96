package dev.weir.coalesce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.store.Check;
import dev.weir.store.Idempotency;
import dev.weir.store.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In which order parts go, and which of them keeps the idempotency key. */
class SplitAskTest {
    private static final byte[] HASH = new byte[Idempotency.HASH];

    /** Answers every part at once: all is allowed but where a slot fails. */
    private static final class Straight implements Way {
        final List<String> sent = new ArrayList<>();
        final List<Integer> givenBack = new ArrayList<>();
        int failing = -1;

        @Override
        public void send(Pending part) {
            sent.add(part.slot
                    + (part.group.idempotency == null ? "" : part.group.lookOnly ? " looks" : " keeps")
                    + (part.group.askOnly ? " asks" : ""));
            part.group.allowed = true;
            for (int i = 0; i < part.group.size(); i++) {
                part.group.get(i).outcome.allowed = true;
            }
            if (part.slot == failing) {
                part.fail(StoreFailure.OPEN);
            }
            part.answer();
        }

        @Override
        public int slot(Check check) {
            return 0;
        }

        @Override
        public long nanos() {
            return 0;
        }

        @Override
        public void giveBack(Pending taken) {
            givenBack.add(taken.slot);
        }
    }

    private final Straight way = new Straight();

    /** Four checks in the slots 1, 2, 3 and 2. */
    private Asking split(boolean denied) {
        Asking asking = new Asking();
        asking.idempotency = new Idempotency(HASH, HASH, HASH, 1, 1);
        asking.denied = denied;
        SplitAsk split = new SplitAsk(asking, way);
        int[] slots = {1, 2, 3, 2};
        for (int slot : slots) {
            split.add(asking.on(slot, 1), slot);
        }
        split.start();
        return asking;
    }

    @Test
    void thePartOfTheLastCheckGoesLastAndKeeps() {
        assertThat(split(false).allowed()).isTrue();
        assertThat(way.sent).containsExactly("1", "3", "2 keeps");
        assertThat(way.givenBack).isEmpty();
    }

    @Test
    void withoutAnAnswerOfAnotherPartItKeepsNothing() {
        way.failing = 3;
        assertThat(split(false).failure()).isEqualTo(StoreFailure.OPEN);
        assertThat(way.sent).containsExactly("1", "3", "2 looks");
    }

    @Test
    void ofARequestThatIsDeniedElsewhereItOnlyLooks() {
        split(true);
        assertThat(way.sent).containsExactly("1 asks", "3 asks", "2 looks asks");
    }
}
