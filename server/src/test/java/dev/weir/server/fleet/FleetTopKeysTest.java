package dev.weir.server.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.model.MutableDecision;
import dev.weir.server.topkeys.TapFixture;
import dev.weir.server.topkeys.TopKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FleetTopKeysTest {
    private static final int KEYS = 1_000_000;
    private static final int NODES = 3;
    /** In a minute: half a million requests a second. */
    private static final int PASSES = 29_000_000;

    private static final int DENIALS = 1_000_000;
    private static final int TOP = 20;
    /** Requests of all nodes in {@link #STEP_MILLIS}, which leave the minute a little time. */
    private static final int STEP = 10_000;

    private static final int STEP_MILLIS = 19;

    private static final String RULES = """
            domain: api
            rules:
              - name: none
                match: { user_id: "*" }
                key_by: user_id
                limit: { requests: 0, window: 365d, algorithm: fixed_window }
              - name: all
                match: { api_key: "*" }
                key_by: api_key
                limit: { requests: 100000000, window: 1m, algorithm: fixed_window }
            """;

    /** A board in memory. */
    private static final class SharedBoard implements NodeBoard {
        private final Map<String, String> notes = new TreeMap<>();

        @Override
        public String name() {
            return "memory";
        }

        @Override
        public boolean isOpenToOthers() {
            return false;
        }

        @Override
        public void post(String node, String text) {
            notes.put(node, text);
        }

        @Override
        public void remove(String node) {
            notes.remove(node);
        }

        @Override
        public List<Note> read() {
            return notes.entrySet().stream()
                    .map(each -> new Note(each.getKey(), 1_000, each.getValue()))
                    .toList();
        }
    }

    /**
     * The callers of one rule of a node. Of the heaviest, the counter is that of a real decision, by which the node knows
     * their names; of the others it is made up.
     */
    private static final class Callers {
        private static final int NAMED = 500;

        private final TapFixture tap;
        private final String attribute;
        private final String[] names;
        private final int[] asked;
        private final long[] counters = new long[NAMED];
        private final MutableDecision decision;

        Callers(TapFixture tap, String attribute, String[] names, int[] asked) {
            this.tap = tap;
            this.attribute = attribute;
            this.names = names;
            this.asked = asked;
            for (int rank = 0; rank < NAMED; rank++) {
                counters[rank] = tap.decision(attribute, names[rank]).verdict(0).counter();
                asked[rank]++;
            }
            decision = tap.decision(attribute, names[0]);
            asked[0]++;
        }

        void ask(int rank) {
            asked[rank]++;
            tap.tell(decision, attribute, names[rank], rank < NAMED ? counters[rank] : (1L << 40) + rank);
        }
    }

    /** Zipf with the exponent 1, by Vose's alias method: one of two ranks, by a share. */
    private static final class Zipf {
        private final double[] shares = new double[KEYS];
        private final int[] others = new int[KEYS];

        Zipf() {
            double sum = 0;
            for (int i = 0; i < KEYS; i++) {
                sum += 1.0 / (i + 1);
            }
            int[] small = new int[KEYS];
            int[] large = new int[KEYS];
            int smalls = 0;
            int larges = 0;
            for (int i = 0; i < KEYS; i++) {
                shares[i] = KEYS / sum / (i + 1);
                if (shares[i] < 1) {
                    small[smalls++] = i;
                } else {
                    large[larges++] = i;
                }
            }
            while (smalls > 0 && larges > 0) {
                int poor = small[--smalls];
                int rich = large[larges - 1];
                others[poor] = rich;
                shares[rich] -= 1 - shares[poor];
                if (shares[rich] < 1) {
                    larges--;
                    small[smalls++] = rich;
                }
            }
            while (smalls > 0) {
                shares[small[--smalls]] = 1;
            }
            while (larges > 0) {
                shares[large[--larges]] = 1;
            }
        }

        int rank(SplittableRandom random) {
            int slot = random.nextInt(KEYS);
            return random.nextDouble() < shares[slot] ? slot : others[slot];
        }
    }

    @Test
    void theTopTwentyOfAMillionKeysOnThreeNodesAreFoundAndCountedWell() throws Exception {
        Zipf zipf = new Zipf();
        String[] names = new String[KEYS];
        for (int i = 0; i < KEYS; i++) {
            names[i] = "k" + i;
        }
        SharedBoard board = new SharedBoard();
        List<TapFixture> nodes = new ArrayList<>();
        List<FleetTopKeys> fleet = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            TapFixture tap = new TapFixture(RULES, 1_000 + node);
            tap.nextMinute();
            nodes.add(tap);
            String name = "node" + node;
            fleet.add(new FleetTopKeys(tap.keys, () -> name, List.of(board), null, tap::millis));
        }
        SplittableRandom random = new SplittableRandom(11);
        int[] denied = new int[KEYS];
        int[] passed = new int[KEYS];
        List<Callers> passes = new ArrayList<>();
        List<Callers> denials = new ArrayList<>();
        for (TapFixture each : nodes) {
            passes.add(new Callers(each, "api_key", names, passed));
            denials.add(new Callers(each, "user_id", names, denied));
        }
        for (int i = 0; i < PASSES + DENIALS; i++) {
            int node = random.nextInt(NODES);
            int rank = zipf.rank(random);
            boolean passing = random.nextInt(PASSES + DENIALS) < PASSES;
            (passing ? passes : denials).get(node).ask(rank);
            if (i % STEP == 0) {
                nodes.forEach(each -> each.pass(STEP_MILLIS));
            }
        }
        for (int node = 0; node < NODES; node++) {
            nodes.get(node).nextMinute();
            fleet.get(node).exchange();
        }
        fleet.get(0).exchange();
        assertThat(fleet.get(0).nodes()).isEqualTo(NODES);
        assertThat(fleet.get(0).dropped()).isEmpty();
        check(fleet.get(0).closed(true, false, TOP), "user_id=", denied, 0.05);
        check(fleet.get(0).closed(false, false, TOP), "api_key=", passed, 0.12);
        long bytes = nodes.get(0).keys.bytes();
        assertThat(bytes).isLessThan(1 << 20);
        nodes.forEach(TapFixture::close);
    }

    private static void check(List<TopKey> found, String prefix, int[] exact, double within) {
        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            expected.add(i);
        }
        expected.sort(Comparator.comparingInt((Integer rank) -> exact[rank]).reversed());
        Map<String, Double> counts = new HashMap<>();
        found.forEach(each -> counts.put(each.text(), each.count()));
        for (int rank : expected.subList(0, TOP)) {
            assertThat(counts).containsKey(prefix + "k" + rank);
            double error = Objects.requireNonNull(counts.get(prefix + "k" + rank)) / exact[rank] - 1;
            assertThat(error).as(prefix + "k" + rank).isBetween(-within, within);
        }
    }
}
