package dev.weir.server.grpc;

import static dev.weir.server.grpc.RawPeer.DATA;
import static dev.weir.server.grpc.RawPeer.END_HEADERS;
import static dev.weir.server.grpc.RawPeer.END_STREAM;
import static dev.weir.server.grpc.RawPeer.GOAWAY;
import static dev.weir.server.grpc.RawPeer.HEADERS;
import static dev.weir.server.grpc.RawPeer.WINDOW_UPDATE;
import static dev.weir.server.grpc.RawPeer.frame;
import static dev.weir.server.grpc.RawPeer.join;
import static dev.weir.server.grpc.RawPeer.number;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Request;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.OutlinedRules;
import dev.weir.internal.ruleset.RuleOutline;
import dev.weir.internal.ruleset.ServedRules;
import dev.weir.server.grpc.RawPeer.Frame;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class RuleCatalogTest {
    private static final String DESCRIBE = "/weir.v1.RuleCatalog/Describe";

    /** Decides nothing, and tells so many rules. */
    private static Decider telling(int count) {
        RuleOutline outline = new RuleOutline("d", "r".repeat(90), "1/s", true, List.of("endpoint"), KeyBy.global());
        OutlinedRules rules = new ServedRules(List.of("d"), Collections.nCopies(count, outline));
        return new Decider() {
            @Override
            public boolean decide(Request request, long nowMicros, MutableDecision into, WaiterSupplier later) {
                throw new UnsupportedOperationException();
            }

            @Override
            public OutlinedRules rules() {
                return rules;
            }
        };
    }

    @Test
    void aReadThatAsksHundredsOfTimesGetsAnAnswerOrTwo() {
        try (RawPeer peer = RawPeer.introduced(telling(1_000))) {
            peer.send(number(WINDOW_UPDATE, 0, Integer.MAX_VALUE >> 1));
            byte[][] asks = new byte[300][];
            for (int i = 0; i < asks.length; i++) {
                asks[i] = ask(2 * i + 1);
            }
            peer.send(join(asks));
            List<Frame> answered = peer.frames();
            long bytes = answered.stream()
                    .filter(each -> each.type() == DATA)
                    .mapToLong(each -> each.payload().length)
                    .sum();
            assertThat(bytes).isBetween(50_000L, 300_000L);
            assertThat(answered).noneMatch(each -> each.type() == GOAWAY);
            assertThat(answered).anyMatch(each -> each.text().contains("unsent answers"));
        }
    }

    @Test
    void anOutlineThatIsTooLongIsNotToldAndTheConnectionStays() {
        try (RawPeer peer = RawPeer.introduced(telling(50_000))) {
            peer.send(ask(1));
            List<Frame> answered = peer.frames();
            assertThat(answered).noneMatch(each -> each.type() == GOAWAY || each.type() == DATA);
            assertThat(answered).anyMatch(each -> each.text().contains("the outline of the rules"));
        }
    }

    private static byte[] ask(int stream) {
        return join(
                frame(HEADERS, END_HEADERS, stream, RawPeer.head(DESCRIBE)),
                frame(DATA, END_STREAM, stream, new byte[5]));
    }
}
