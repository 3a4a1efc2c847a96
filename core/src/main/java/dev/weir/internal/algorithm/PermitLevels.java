package dev.weir.internal.algorithm;

import dev.weir.Limit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The permits in flight as levels: each node tells how many it may have in flight, and counts its permits by itself.
 *
 * <pre>
 *   used  = sum of the levels that have not expired
 *   level = max(min(requests - levels of others, wanted), min(level before, kept), in flight)
 *   an ask fits iff level &gt;= needed
 * </pre>
 *
 * <p><b>Asks.</b> A node numbers its asks; one that is not newer than the last one changes nothing. Each tells absolute
 * numbers, so a lost answer is corrected by the next ask. A level is never taken below what is in flight, nor below what
 * the node keeps: all of it while other asks are on their way, or what it counts if it lowers its level.
 *
 * <p><b>Mail.</b> A permit that is released or renewed at another node goes into the mailbox of its owner. The owner reads
 * it entry by entry, and its next ask tells how many it has read, which removes them.
 *
 * <p><b>State.</b> Word 0 holds the number of nodes. Each node has its id, its level, its expiry in microseconds, the
 * number of its last ask, the number of entries in its mailbox, and these entries.
 */
public final class PermitLevels extends BlockMeter {
    /** Node ids and permit ids are positive and below this. */
    public static final long LAST_ID = 1L << 52;

    /** Added to the id of a permit in a mailbox that is to be renewed rather than released. */
    public static final long RENEWS = 1L << 52;

    /** The most entries that one step puts into mailboxes, and the most that it reads. */
    public static final int MOST_MAIL_OF_A_STEP = 32;

    /** The most entries of a mailbox; the script has the same number. */
    static final int MOST_MAIL = 4_096;

    private static final long RETRY_MICROS = 1_000_000;
    /** An answer has a level, and above it the number of entries in the mailbox. */
    private static final long MAIL_UNIT = 1L << 16;

    private static final int NODE_WORDS = 5;

    private static final long USUAL_USE_MICROS = 1_000_000;
    /** A short time to live has at least so many use times, a long one at most. */
    private static final int LEAST_USES_PER_TTL = 10;

    private static final int MOST_USES_PER_TTL = 64;

    private final long requests;
    private final Ask ask;
    /** The permits that this meter takes, if it belongs to a request. */
    private final long firstId;

    private final long permits;

    /** An operation on the state. */
    private enum Mode {
        /** Whether hits would fit; nothing changes. */
        PROBE(0),
        /** A node tells its level. */
        TELL(1),
        /** A node puts an entry into the mailbox of another. */
        MAIL(2),
        /** A node reads an entry of its mailbox. */
        READ(3);

        /** The script's number of it. */
        final int code;

        Mode(int code) {
            this.code = code;
        }
    }

    /**
     * One ask.
     *
     * @param number of the ask of a node; the entry for a mailbox; or the index of the entry to read
     * @param kept the level stays above this, as far as it was before
     * @param inFlight the permits that are in flight for certain
     * @param needed the level without which the ask is denied
     * @param read how many entries of the mailbox were read
     */
    private record Ask(
            Mode mode, long node, long number, long kept, long inFlight, long wanted, long needed, long read) {
        static final Ask PROBE = new Ask(Mode.PROBE, 0, 0, 0, 0, 0, 0, 0);
    }

    /** The entry of a node in the state. */
    private static final class Node {
        final long id;
        long level;
        long expiry;
        long number;
        final List<Long> mail = new ArrayList<>();

        Node(long id) {
            this.id = id;
        }
    }

    private PermitLevels(Limit limit, Ask ask, long firstId, long permits) {
        super(limit);
        this.requests = limit.requests();
        this.ask = ask;
        this.firstId = firstId;
        this.permits = permits;
    }

    /** The meter of a check that only looks. */
    public static PermitLevels of(Limit limit) {
        return new PermitLevels(limit, Ask.PROBE, 0, 0);
    }

    /** The meter of a request that takes {@code permits} permits, known by {@code id}; it has no node yet. */
    public PermitLevels holding(long id, long permits) {
        return new PermitLevels(limit(), ask, id, permits);
    }

    /** The same permits, counted by {@code node}. */
    public PermitLevels ownedBy(long node) {
        return new PermitLevels(limit(), new Ask(Mode.PROBE, node, 0, 0, 0, 0, 0, 0), firstId, permits);
    }

    /** The same permits in an ask of {@code node} for its level. */
    public PermitLevels telling(long node, long number, long kept, long inFlight, long wanted, long needed, long read) {
        Ask telling = new Ask(Mode.TELL, node, number, kept, inFlight, wanted, needed, read);
        return new PermitLevels(limit(), telling, firstId, permits);
    }

    /** The meter of a check that puts {@code entry} into the mailbox of {@code node}. */
    public PermitLevels mailing(long node, long entry) {
        return new PermitLevels(limit(), new Ask(Mode.MAIL, node, entry, 0, 0, 0, 0, 0), 0, 0);
    }

    /** The meter of a check that reads the entry at {@code index} of the mailbox of {@code node}. */
    public PermitLevels reading(long node, long index) {
        return new PermitLevels(limit(), new Ask(Mode.READ, node, index, 0, 0, 0, 0, 0), 0, 0);
    }

    /** The id of the permits that the request of this meter takes; 0 if it takes none. */
    public long firstId() {
        return firstId;
    }

    /** The number of permits that the request takes. */
    public long permits() {
        return permits;
    }

    /** The node that asks; 0 if none does. */
    public long node() {
        return ask.node;
    }

    /** The number of this ask. */
    public long number() {
        return ask.number;
    }

    /**
     * How long a node may take permits after it asked for its level, microseconds. A second; of a long time to live a
     * larger part, because clocks drift.
     */
    public static long useMicros(Limit limit) {
        long ttl = limit.windowMicros();
        return Math.max(Math.min(USUAL_USE_MICROS, ttl / LEAST_USES_PER_TTL), ttl / MOST_USES_PER_TTL);
    }

    /**
     * How long a level lasts, microseconds: half a use time less than the time to live, so that other nodes have taken it
     * over by then.
     */
    private static long levelMicros(Limit limit) {
        return limit.windowMicros() - useMicros(limit) / 2;
    }

    /**
     * How long a permit lasts, microseconds: a use time less than its level. So it ends before that, whatever becomes of
     * the node.
     */
    public static long permitMicros(Limit limit) {
        return levelMicros(limit) - useMicros(limit);
    }

    @Override
    long mostOwed() {
        return 0;
    }

    @Override
    public MeterKind counting() {
        return MeterKind.PERMIT_LEVELS;
    }

    @Override
    public long[] numbers() {
        return new long[] {
            requests,
            levelMicros(limit()),
            ask.mode.code,
            ask.node,
            ask.number,
            ask.kept,
            ask.inFlight,
            ask.wanted,
            ask.needed,
            ask.read
        };
    }

    @Override
    public long tickMicros() {
        return 1;
    }

    @Override
    public void ask(long[] memory, int at, int words, long now, long hits, Outcome out) {
        List<Node> nodes = live(memory, at, words, ExactMath.moment(now));
        Node own = find(nodes, ask.node);
        long used = used(nodes);
        long level = own == null ? 0 : own.level;
        long mail = own == null ? 0 : own.mail.size();
        long told = level + MAIL_UNIT * mail;
        long retry = 0;
        if (hits > 0 && ask.mode == Mode.TELL) {
            long after = level(own, used);
            if (after < ask.needed) {
                retry = hits > requests ? Outcome.NEVER : RETRY_MICROS;
            } else {
                used += after - level;
                told = after == 0 ? 0 : after + MAIL_UNIT * Math.max(0, isNew(own) ? mail - ask.read : mail);
            }
        } else if (hits > 0 && ask.mode == Mode.MAIL) {
            retry = own == null ? Outcome.NEVER : mail >= MOST_MAIL ? RETRY_MICROS : 0;
            told = 0;
        } else if (hits > 0 && ask.mode == Mode.READ) {
            told = own == null || ask.number >= mail ? 0 : own.mail.get((int) ask.number);
            retry = told == 0 ? Outcome.NEVER : 0;
        } else if (hits >= 0 && used + hits > requests) {
            retry = hits > requests ? Outcome.NEVER : RETRY_MICROS;
        }
        told(used, told, retry, out);
    }

    @Override
    public void told(long used, long reset, long retryAfter, Outcome out) {
        super.told(used, used > 0 ? levelMicros(limit()) : 0, retryAfter, out);
        boolean isEntry = ask.mode == Mode.READ;
        out.state0 = isEntry ? reset : reset % MAIL_UNIT;
        out.state1 = isEntry ? 0 : reset / MAIL_UNIT;
    }

    /** The level of the asking node, as {@code out} tells it. */
    public static long levelIn(Outcome out) {
        return out.state0;
    }

    /** The number of entries in its mailbox, as {@code out} tells it. */
    public static long mailIn(Outcome out) {
        return out.state1;
    }

    /** The entry that was {@linkplain #reading read}, as {@code out} tells it. */
    public static long entryIn(Outcome out) {
        return out.state0;
    }

    private boolean isNew(@Nullable Node own) {
        return own == null || ask.number > own.number;
    }

    /** The level of the asking node after this ask, if that is not denied; {@code used} is the sum of all levels. */
    private long level(@Nullable Node own, long used) {
        long before = own == null ? 0 : own.level;
        if (!isNew(own)) {
            return before;
        }
        long room = Math.max(0, requests - (used - before));
        long floor = Math.max(Math.min(before, ask.kept), ask.inFlight);
        return Math.max(Math.min(room, ask.wanted), floor);
    }

    @Override
    public int wordsToTake(long[] memory, int at, int words, long now, long hits) {
        int used = 1;
        for (Node each : live(memory, at, words, ExactMath.moment(now))) {
            used += NODE_WORDS + each.mail.size();
        }
        return Math.max(words, used + NODE_WORDS + MOST_MAIL_OF_A_STEP);
    }

    @Override
    public void take(long[] memory, int at, int words, long now, long hits) {
        if (hits <= 0 || words == 0) {
            return;
        }
        long moment = ExactMath.moment(now);
        List<Node> nodes = live(memory, at, words, moment);
        Node own = find(nodes, ask.node);
        if (ask.mode == Mode.TELL && isNew(own)) {
            long level = level(own, used(nodes));
            if (own == null) {
                own = new Node(ask.node);
                nodes.add(own);
            }
            own.level = level;
            own.expiry = moment + levelMicros(limit());
            own.number = ask.number;
            own.mail.subList(0, (int) Math.min(ask.read, own.mail.size())).clear();
            if (level == 0) {
                nodes.remove(own);
            }
        } else if (ask.mode == Mode.MAIL && own != null && !own.mail.contains(ask.number)) {
            own.mail.add(ask.number);
        }
        write(nodes, memory, at, words);
    }

    @Override
    public long lasts(long[] memory, int at, int words, long now, long reset) {
        long moment = ExactMath.moment(now);
        long longest = reset;
        for (Node each : live(memory, at, words, moment)) {
            longest = Math.max(longest, each.expiry - moment);
        }
        return longest;
    }

    private static @Nullable Node find(List<Node> nodes, long id) {
        for (Node each : nodes) {
            if (each.id == id) {
                return each;
            }
        }
        return null;
    }

    private static long used(List<Node> nodes) {
        return nodes.stream().mapToLong(each -> each.level).sum();
    }

    /** Reads the nodes whose level has not expired. */
    private static List<Node> live(long[] memory, int at, int words, long moment) {
        List<Node> nodes = new ArrayList<>();
        int next = at + 1;
        for (long i = words == 0 ? 0 : memory[at]; i > 0; i--) {
            Node node = new Node(memory[next]);
            node.level = memory[next + 1];
            node.expiry = memory[next + 2];
            node.number = memory[next + 3];
            int mail = (int) memory[next + 4];
            next += NODE_WORDS;
            for (int j = 0; j < mail; j++) {
                node.mail.add(memory[next++]);
            }
            if (node.expiry > moment) {
                nodes.add(node);
            }
        }
        return nodes;
    }

    private static void write(List<Node> nodes, long[] memory, int at, int words) {
        int next = at;
        memory[next++] = nodes.size();
        for (Node each : nodes) {
            memory[next++] = each.id;
            memory[next++] = each.level;
            memory[next++] = each.expiry;
            memory[next++] = each.number;
            memory[next++] = each.mail.size();
            for (long entry : each.mail) {
                memory[next++] = entry;
            }
        }
        Arrays.fill(memory, next, at + words, 0);
    }
}
