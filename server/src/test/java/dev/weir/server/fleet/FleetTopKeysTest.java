package dev.weir.server.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

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
    /** In 20 seconds: half a million requests a second. */
    private static final int PASSES = 9_500_000;

    private static final int DENIALS = 1_000_000;
    private static final int TOP = 20;
    /** Requests of all nodes in {@link #STEP_MILLIS}. */
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
        check(fleet.get(0).top(true, false, null, null, TOP), "user_id=", denied, 0.05);
        check(fleet.get(0).top(false, false, null, null, TOP), "api_key=", passed, 0.12);
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

    private static final String FEW = """
            domain: api
            rules:
              - { name: users, key_by: user_id, limit: { requests: 10, window: 1h, algorithm: fixed_window } }
            """;

    private static FleetTopKeys of(TapFixture tap, String name, SharedBoard board) {
        return new FleetTopKeys(tap.keys, () -> name, List.of(board), null, tap::millis);
    }

    private static void ask(TapFixture tap, String user, int times) {
        for (int i = 0; i < times; i++) {
            tap.ask("user_id", user);
        }
        tap.pass(20);
    }

    @Test
    void aCallerOfAnotherNodeIsSeenWithTheNextExchange() throws Exception {
        SharedBoard board = new SharedBoard();
        try (TapFixture here = new TapFixture(FEW, 1);
                TapFixture there = new TapFixture(FEW, 2)) {
            FleetTopKeys self = of(here, "here", board);
            FleetTopKeys other = of(there, "there", board);
            other.exchange();
            ask(there, "loud", 15);
            other.exchange();
            self.exchange();
            assertThat(self.top(true, false, null, null, 10))
                    .extracting(TopKey::text, TopKey::count)
                    .containsExactly(tuple("user_id=loud", 5.0));
            assertThat(self.total(true, false, null, null)).isEqualTo(5.0);
        }
    }

    @Test
    void callersNearestToTheirLimitAreThoseOfAllNodes() throws Exception {
        SharedBoard board = new SharedBoard();
        try (TapFixture here = new TapFixture(FEW, 1);
                TapFixture there = new TapFixture(FEW, 2)) {
            FleetTopKeys self = of(here, "here", board);
            FleetTopKeys other = of(there, "there", board);
            ask(here, "both", 4);
            ask(here, "far", 2);
            ask(there, "both", 7);
            ask(there, "near", 9);
            other.exchange();
            self.exchange();
            assertThat(self.nearest("api", "users", 10))
                    .extracting(TopKey::text, TopKey::used, TopKey::limit)
                    .containsExactly(
                            tuple("user_id=near", 9L, 10L),
                            tuple("user_id=both", 7L, 10L),
                            tuple("user_id=far", 2L, 10L));
            assertThat(self.nearest("api", "others", 10)).isEmpty();
        }
    }

    @Test
    void aNoteOfAnOlderServerHasNoNearestCallers() throws Exception {
        SharedBoard board = new SharedBoard();
        board.post("old", """
                {"lists":[[["api","users","user_id=loud","b1",5,0,null]],[],[],[]],"totals":[5,0,0,0]}""");
        try (TapFixture here = new TapFixture(FEW, 1)) {
            FleetTopKeys self = of(here, "here", board);
            self.exchange();
            assertThat(self.nodes()).isEqualTo(2);
            assertThat(self.top(true, false, null, null, 10)).hasSize(1);
            assertThat(self.nearest(null, null, 10)).isEmpty();
        }
    }

    @Test
    void callersWithLongNamesDoNotKeepOtherNodesFromReadingTheRest() throws Exception {
        SharedBoard board = new SharedBoard();
        try (TapFixture here = new TapFixture(FEW, 1);
                TapFixture there = new TapFixture(FEW, 2)) {
            FleetTopKeys self = of(here, "here", board);
            FleetTopKeys other = of(there, "there", board);
            for (int i = 0; i < 120; i++) {
                ask(there, "\u00e4".repeat(900) + i, i == 77 ? 40 : 12);
            }
            other.exchange();
            self.exchange();
            assertThat(self.nodes()).isEqualTo(2);
            assertThat(self.top(true, true, null, null, 1).get(0).count()).isEqualTo(30.0);
        }
    }
}
