package dev.weir.control.bans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.control.audit.Author;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.change.Precondition;
import dev.weir.control.relay.NoteRelay;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.runtime.FleetSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bans in a fleet without a database, on virtual time. People and rules ban and unban at random nodes, whose clocks differ.
 * Nodes are killed and start again, lose their Redis for a while or do not hear its answers; Redis forgets everything.
 * {@code -Dweir.ban.seeds} is how many runs.
 */
class BanSpreadTest {
    private static final int SEEDS = Integer.getInteger("weir.ban.seeds", 5);
    private static final int MOST_UNTIL_CAUGHT = 40;
    private static final int NODES = 4;
    private static final int CALLERS = 5;
    private static final long STEP = 50;
    private static final long CHANGES = 60_000;
    private static final long END = CHANGES + 10_000;
    /** A change is in force on every node that reaches Redis within this time, as the documentation says. */
    private static final long SPREAD = 2_000;

    private static final long MOST_SKEW = 3_000;
    private static final long START = 1_800_000_000_000L;

    @TempDir
    Path folder;

    /** A mistake in a node or in the relay. */
    private enum Mistake {
        NONE,
        HEARS_NOTHING,
        KEEPS_NO_FILE,
        RELAY_KEEPS_THE_FIRST_OF_ONE_STAMP
    }

    @Test
    void theNewestChangeOfEachEntryHoldsOnEveryNodeSoon() throws IOException {
        long changes = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            Run run = new Run(seed, Mistake.NONE);
            assertThat(run.play()).as("seed %d", seed).isEmpty();
            changes += run.changes;
        }
        assertThat(changes).as("else nothing was tried").isGreaterThan(50L * SEEDS);
    }

    @Test
    void plantedMistakesAreCaught() throws IOException {
        for (Mistake each : Mistake.values()) {
            assertThat(each == Mistake.NONE || isCaught(each)).as("%s", each).isTrue();
        }
    }

    private boolean isCaught(Mistake mistake) throws IOException {
        for (long seed = 1; seed <= MOST_UNTIL_CAUGHT; seed++) {
            if (!new Run(seed, mistake).play().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** One run of the fleet. */
    private final class Run {
        private final FleetSecret secret = new FleetSecret(List.of("a secret of at least 32 characters"));
        private final SplittableRandom random;
        private final Mistake mistake;
        private final List<Node> nodes = new ArrayList<>();
        private final List<BanName> names = new ArrayList<>();
        /** The newest change of each entry that anybody made, and when it was made. */
        private final Map<String, BanChange> newest = new HashMap<>();

        private final Map<String, Long> madeAt = new HashMap<>();
        private final List<String> violations = new ArrayList<>();
        private final Redis redis = new Redis();
        private long now;
        private boolean racing;
        int changes;

        Run(long seed, Mistake mistake) throws IOException {
            this.random = new SplittableRandom(seed);
            this.mistake = mistake;
            for (int i = 0; i < CALLERS; i++) {
                names.add(BanName.of("", "user_id", "u" + i, false));
                names.add(BanName.of("", "user_id", "u" + i, true));
            }
            for (int i = 0; i < NODES; i++) {
                nodes.add(new Node(i, Files.createTempDirectory(folder, "node")));
            }
        }

        List<String> play() {
            for (; now < END; now += STEP) {
                if (now < CHANGES) {
                    strike();
                    change();
                }
                for (Node each : nodes) {
                    each.step();
                }
                for (Node each : nodes) {
                    each.check();
                }
            }
            now += Duration.ofDays(400).toMillis();
            nodes.forEach(Node::round);
            for (BanName each : names) {
                if (redis.texts.containsKey(each.id()) && nodes.get(0).bans.get(each) == null) {
                    violations.add("Redis still has " + redis.texts.get(each.id()));
                }
            }
            nodes.forEach(each -> each.bans.close());
            return violations;
        }

        private void strike() {
            Node node = nodes.get(random.nextInt(NODES));
            switch (random.nextInt(150)) {
                case 0 -> node.restart();
                case 1 -> node.awayUntil = now + random.nextLong(6_000);
                case 2 -> node.deafUntil = now + random.nextLong(3_000);
                case 3 -> {
                    for (Node each : nodes) {
                        each.awayUntil = now + random.nextLong(4_000);
                    }
                }
                case 4 -> redis.forget();
                default -> {}
            }
        }

        private void change() {
            if (random.nextInt(15) == 0) {
                Node node = nodes.get(random.nextInt(NODES));
                BanName name = names.get(random.nextInt(names.size()));
                node.change(name);
                if (random.nextInt(4) == 0) { // another person, at the same moment
                    nodes.get(random.nextInt(NODES)).change(name);
                }
            }
        }

        private void made(@Nullable BanChange change) {
            if (change != null && change.isAfter(newest.get(change.name().id()))) {
                newest.put(change.name().id(), change);
                madeAt.put(change.name().id(), now);
                changes++;
            }
        }

        /** The notes in Redis. */
        private final class Redis {
            private final Map<String, String> texts = new HashMap<>();
            private final Map<String, Long> stamps = new HashMap<>();
            private long posts;
            private long forgotAt = Long.MIN_VALUE / 2;

            void forget() {
                texts.clear();
                stamps.clear();
                posts++; // it follows the time
                forgotAt = now;
            }

            void post(String id, long stamp, String text, boolean replace) {
                long last = stamps.getOrDefault(id, Long.MIN_VALUE);
                if (stamp > last || replace) {
                    stamps.put(id, stamp);
                    texts.put(id, text);
                    posts++;
                }
            }

            void delete(String id, long stamp) {
                if (stamps.getOrDefault(id, Long.MAX_VALUE) <= stamp) {
                    stamps.remove(id);
                    texts.remove(id);
                    posts++;
                }
            }
        }

        /** A node of the fleet, with the real code. */
        private final class Node implements NoteRelay {
            private final int number;
            private final Path home;
            private final long skew = random.nextInt(2) == 0 ? 0 : random.nextLong(-MOST_SKEW, MOST_SKEW);
            private final long phase = random.nextLong(1_000 / STEP) * STEP;
            private final Map<String, BanChange> last = new HashMap<>();
            private Bans bans;
            private long startedAt;
            private long awayUntil;
            private long deafUntil;
            private long seen = -1;
            private boolean woken;

            Node(int number, Path home) {
                this.number = number;
                this.home = home;
                this.bans = started();
            }

            private Bans started() {
                startedAt = now;
                seen = -1;
                Bans started = new Bans(null, mistake == Mistake.KEEPS_NO_FILE ? null : home, this::millis);
                started.connect(this, secret);
                return started;
            }

            private long millis() {
                return START + now + skew;
            }

            /** Kills the node, which gets no chance to write anything, and starts it again. */
            void restart() {
                bans = started();
                round();
            }

            void change(BanName name) {
                BanKind kind = random.nextInt(3) == 0 ? null : random.nextBoolean() ? BanKind.BAN : BanKind.SHADOW;
                long until = random.nextInt(4) == 0 ? Ban.FOREVER : 1_000 * (millis() + random.nextLong(20_000));
                if (name.automatic()) {
                    Ban ban = new Ban(
                            BanKind.BAN, name.attribute(), name.value(), name.domain(), until, "often", "rule", true);
                    bans.escalate(ban);
                    round(); // its thread is woken
                    made(bans.known(name));
                    return;
                }
                try {
                    Author author = new Author("p" + number, "", "");
                    made(bans.change(author, name, kind, until, new Precondition.None(), false)
                            .done());
                    woken = true;
                } catch (ChangeRefusedException e) {
                    assertThat(kind)
                            .as("only what is not there cannot be removed")
                            .isNull();
                }
            }

            void step() {
                if (woken || (now + phase) % 1_000 == 0) {
                    woken = false;
                    round();
                }
            }

            void round() {
                bans.synchronize();
            }

            /** Nothing older than before is known; the newest is known in time, and holds if it has not ended. */
            void check() {
                for (BanName name : names) {
                    BanChange known = bans.known(name);
                    BanChange before = last.get(name.id());
                    if (before != null && !isForgotten(before) && (known == null || before.isAfter(known))) {
                        violations.add(at() + known + " after " + before);
                    }
                    if (known != null) {
                        last.put(name.id(), known);
                    }
                    BanChange expected = newest.get(name.id());
                    if (expected == null || !isDue(name) || mayBeForgotten(expected)) {
                        continue;
                    }
                    BanChange held = bans.get(name);
                    boolean holds = expected.holdsAt(millis());
                    if (holds ? !expected.equals(held) : held != null) {
                        violations.add(at() + held + " holds, not " + expected);
                    }
                }
            }

            private boolean isForgotten(BanChange change) {
                return change.forgottenMillis() <= millis();
            }

            /** Whether a node whose clock runs ahead has forgotten an entry that has ended. */
            private boolean mayBeForgotten(BanChange change) {
                return change.forgottenMillis() <= START + now + MOST_SKEW;
            }

            /** Whether there was time to hear of the newest change: Redis had it, and was there since. */
            private boolean isDue(BanName name) {
                long since = madeAt.getOrDefault(name.id(), 0L);
                long calm = Math.max(redis.forgotAt, startedAt);
                for (Node each : nodes) {
                    calm = Math.max(calm, Math.max(each.awayUntil, Math.max(each.deafUntil, each.startedAt)));
                }
                return now - Math.max(since, calm) > SPREAD;
            }

            private String at() {
                return "node " + number + " at " + now + " ms: ";
            }

            private void reach() throws IOException {
                if (now < awayUntil) {
                    throw new IOException("Redis is away");
                }
            }

            /** The answer does not arrive, though Redis did as it was told. */
            private void hear() throws IOException {
                if (now < deafUntil) {
                    throw new IOException("no answer");
                }
            }

            @Override
            public @Nullable Map<String, String> read() throws IOException {
                reach();
                hear();
                if (redis.posts == seen) {
                    return null;
                }
                seen = redis.posts;
                return mistake == Mistake.HEARS_NOTHING ? Map.of() : Map.copyOf(redis.texts);
            }

            @Override
            public void post(String id, long stamp, String text, boolean replace) throws IOException {
                reach();
                if (!racing && random.nextInt(8) == 0) { // another node is faster
                    racing = true;
                    nodes.get((number + 1 + random.nextInt(NODES - 1)) % NODES).round();
                    racing = false;
                }
                boolean first = mistake == Mistake.RELAY_KEEPS_THE_FIRST_OF_ONE_STAMP;
                redis.post(id, stamp, text, replace && !first && redis.posts == seen);
                hear();
            }

            @Override
            public void delete(String id, long stamp) throws IOException {
                reach();
                redis.delete(id, stamp);
                hear();
            }
        }
    }
}
