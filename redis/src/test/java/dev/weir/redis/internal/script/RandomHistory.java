package dev.weir.redis.internal.script;

import dev.weir.Algorithm;
import dev.weir.CalendarWindow;
import dev.weir.Limit;
import dev.weir.RateAlgorithms;
import dev.weir.internal.algorithm.BlockMeter;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.MeterKind;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** A random life of a few counters: limits that change live, a clock that also steps back, requests with a check or several. */
final class RandomHistory {
    private static final long LAST_MOMENT = (1L << 52) - 1;
    private static final List<Algorithm> ALGORITHMS = RateAlgorithms.ALL;
    private static final List<Check.Role> ROLES = List.of(Check.Role.values());
    private static final long[] EDGES = {
        Long.MIN_VALUE,
        Long.MIN_VALUE + 1,
        -(1L << 53),
        -(1L << 32),
        -1,
        0,
        1,
        (1L << 32) - 1,
        1L << 32,
        (1L << 52) - 1,
        1L << 52,
        (1L << 53) - 2,
        (1L << 53) - 1,
        1L << 53,
        Long.MAX_VALUE - 1,
        Long.MAX_VALUE
    };
    private static final long[] WINDOWS = {
        1_000, 999_983, 1_000_000, 11_000_000, 60_000_000, 3_600_000_000L, 86_400_000_000L, 31_536_000_000_000L
    };

    private final Random random;
    private final boolean edges;
    private final Meter[][] meters = new Meter[4][];
    private long now;

    RandomHistory(Random random, boolean edges) {
        this.random = random;
        this.edges = edges;
        this.now = 1_700_000_123_456_789L + random.nextInt(1_000_000);
        for (int key = 0; key < meters.length; key++) {
            meters[key] = meters();
        }
    }

    /** A limit and its later versions, all of the same kind. */
    private Meter[] meters() {
        Meter first = Meters.of(limit());
        List<Meter> alike = new ArrayList<>(List.of(first));
        for (int i = 0; i < 200 && alike.size() < 3; i++) {
            Meter other = Meters.of(limit());
            if (other.counting() == first.counting()) {
                alike.add(other);
            }
        }
        return alike.toArray(Meter[]::new);
    }

    private Limit limit() {
        while (true) {
            Algorithm algorithm = ALGORITHMS.get(random.nextInt(ALGORITHMS.size()));
            boolean parts = algorithm == Algorithm.SLIDING_WINDOW && random.nextBoolean();
            boolean calendar = algorithm == Algorithm.FIXED_WINDOW && random.nextBoolean();
            CalendarWindow[] windows = CalendarWindow.values();
            Limit limit = calendar
                    ? Limit.calendarWindow(count(), windows[random.nextInt(windows.length)])
                    : new Limit(
                            algorithm,
                            count(),
                            window(),
                            count(),
                            parts ? new int[] {2, 3, 10, edges ? 1_000 : 4}[random.nextInt(4)] : 1);
            if (algorithm.lendsCredit() && random.nextBoolean()) {
                limit = limit.withCredit(Math.min(count(), Long.MAX_VALUE - limit.burst()));
            }
            if (Meters.refusal(limit) == null) {
                return limit;
            }
        }
    }

    private long count() {
        int shape = random.nextInt(edges ? 4 : 2);
        return switch (shape) {
            case 0 -> random.nextInt(13);
            case 1 -> new long[] {7, 60, 100, 997, 1_000, 9_999}[random.nextInt(6)];
            case 2 -> random.nextLong() & ((1L << 33) - 1);
            default -> random.nextLong() >>> (1 + random.nextInt(60));
        };
    }

    private long window() {
        int shape = random.nextInt(edges ? 4 : 2);
        return switch (shape) {
            case 0 -> WINDOWS[random.nextInt(WINDOWS.length)];
            case 1 -> 1 + random.nextInt(40);
            case 2 -> LAST_MOMENT / 2 - random.nextInt(2);
            default -> 1 + (random.nextLong() >>> (12 + random.nextInt(50)));
        };
    }

    /** Returns the time of the next batch. */
    long next() {
        Meter[] some = meters[random.nextInt(meters.length)];
        long window = some[0].limit().windowMicros();
        long step = switch (random.nextInt(12)) {
            case 0 -> 0;
            case 1 -> window;
            case 2 -> 2 * window - 1;
            case 3 -> -random.nextInt(1_000);
            case 4 -> -window / 2;
            case 5 -> -3 * window;
            case 6 -> edges ? random.nextLong() >> 12 : 1;
            default -> (long) (random.nextDouble() * window / 5);
        };
        now = Math.max(0, Math.min(now + step, LAST_MOMENT));
        return now;
    }

    /** The requests of a batch. */
    List<CheckGroup> groups() {
        List<CheckGroup> groups = new ArrayList<>();
        int size = 1 + random.nextInt(12);
        while (groups.size() < size) {
            int kind = random.nextInt(10);
            if (kind < 3) {
                Check check = check();
                int times = 1 + random.nextInt(6);
                for (int i = 0; i < times; i++) {
                    groups.add(new CheckGroup().add(copy(check)));
                }
                continue;
            }
            CheckGroup group = new CheckGroup();
            int checks = kind < 6 ? 1 : random.nextInt(5);
            for (int i = 0; i < checks; i++) {
                Check check = check();
                if (comparable(group, check)) {
                    group.add(check);
                }
            }
            group.quotaPassed = random.nextInt(8) == 0;
            group.askOnly = random.nextInt(8) == 0;
            groups.add(group);
        }
        return groups;
    }

    /**
     * In one request a counter has one limit. And memory asks a block that one request checks twice as if both were one, so that what
     * the first gave back, or took before a shadow that is over, does not show in the second.
     */
    private static boolean comparable(CheckGroup group, Check check) {
        for (int i = 0; i < group.size(); i++) {
            Check other = group.get(i);
            if (other.key0 == check.key0
                    && (check.meter != other.meter
                            || (check.meter instanceof BlockMeter
                                    && (check.hits < 0 || other.hits < 0 || check.role != Check.Role.ENFORCE)))) {
                return false;
            }
        }
        return true;
    }

    private Check check() {
        int key = random.nextInt(meters.length);
        Check check = new Check();
        check.key0 = key + 1L;
        check.key1 = 77L * key;
        Meter meter = meters[key][random.nextInt(4) > 0 ? 0 : random.nextInt(meters[key].length)];
        check.meter = meter;
        check.hits = hits(meter.limit().capacity());
        check.countsDenied = random.nextInt(4) == 0;
        check.role = random.nextBoolean() ? Check.Role.ENFORCE : ROLES.get(random.nextInt(ROLES.size()));
        check.ahead = random.nextInt(5) == 0 ? ahead(meter.limit().capacity()) : 0;
        if (check.hits < 0 && meter.counting() == MeterKind.FIXED_WINDOW && random.nextBoolean()) {
            long window = meter.limit().windowMicros();
            check.window = Math.max(0, now - now % window - random.nextInt(3) * window);
            check.role = Check.Role.SHADOW;
            check.countsDenied = false;
            check.ahead = 0;
        }
        boolean slot = !(meter instanceof BlockMeter);
        if (slot && check.hits > 0 && check.window == 0 && random.nextInt(6) == 0) {
            check.owed = true;
            check.role = Check.Role.SHADOW;
            check.countsDenied = false;
            check.ahead = 0;
        }
        check.lessee = check.ahead > 0 && random.nextBoolean() ? 1 + random.nextInt(3) : 0;
        check.grant = check.lessee;
        ScriptStore.name(check);
        return check;
    }

    private long hits(long capacity) {
        return switch (random.nextInt(edges ? 12 : 10)) {
            case 0 -> 0;
            case 1 -> -1 - random.nextInt(6);
            case 2 -> Math.max(1, capacity / 3);
            case 3 -> capacity;
            case 4 -> random.nextInt(40);
            case 10, 11 -> EDGES[random.nextInt(EDGES.length)];
            default -> 1 + random.nextInt(4);
        };
    }

    private long ahead(long capacity) {
        return capacity <= 10_000 && random.nextInt(3) == 0 ? capacity : 1 + random.nextInt(60);
    }

    private static Check copy(Check from) {
        Check check = new Check();
        check.key0 = from.key0;
        check.key1 = from.key1;
        check.meter = from.meter;
        check.hits = from.hits;
        check.ahead = from.ahead;
        check.window = from.window;
        check.owed = from.owed;
        check.lessee = from.lessee;
        check.grant = from.grant;
        check.countsDenied = from.countsDenied;
        check.role = from.role;
        check.name.set(from.name);
        return check;
    }

    /** A check of its own counter that always denies. */
    static void alwaysOver(Check check) {
        check.key0 = -1;
        check.key1 = -1;
        check.meter = Meters.of(new Limit(Algorithm.FIXED_WINDOW, 0, 1, 0, 1));
        check.hits = 1;
        check.countsDenied = false;
        check.role = Check.Role.ENFORCE;
    }

    String describe(CheckGroup group) {
        StringBuilder text = new StringBuilder(group.askOnly ? "ask" : "take");
        for (int i = 0; i < group.size(); i++) {
            Check check = group.get(i);
            text.append(' ').append(check.role).append(' ').append(check.hits);
            text.append(check.ahead > 0 ? " + " + check.ahead : "");
            text.append(check.owed ? " owed" : "");
            text.append(check.window > 0 ? " to " + check.window : "");
            text.append(check.countsDenied ? " counted of " : " of ").append(check.key0);
            text.append(' ').append(meter(check).limit());
        }
        return text.toString();
    }

    static Meter meter(Check check) {
        return Objects.requireNonNull(check.meter);
    }
}
