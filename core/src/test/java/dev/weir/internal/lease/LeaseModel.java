package dev.weir.internal.lease;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.algorithm.SlotMeter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lease protocol with all that can go wrong, one step at a time: a store that counts with a real meter, and nodes that hold real
 * {@link Lease}s. Asks and replies take as long as they like or are lost; nodes stop and go on, shut down and die; what is sent back
 * arrives within its travel time or not at all. A node's machine may be suspended for a second: then its monotonic clock stands
 * still, and so do the deadlines of what is on its way back.
 */
final class LeaseModel {
    /** The mistakes that a test plants in a node, to see that the exploration finds them. */
    enum Bug {
        NONE,
        /** Spends what has expired. */
        NO_EXPIRY,
        /** Gives back whatever the window. */
        LATE_RETURN,
        /** Gives back and keeps. */
        DOUBLE_RETURN,
        /** Starts a lease's clock when the answer comes. */
        CLOCK_FROM_ANSWER,
        /** Does not look at the wall clock. */
        NO_WALL_CLOCK,
        /** Does not say which window hits go back to. */
        UNNAMED_WINDOW,
        /** Gets a grant again whatever its window. */
        STALE_GRANT,
        /** Gets a grant again though its answer was heard. */
        SECOND_GRANT
    }

    static final long SECOND = 1_000_000_000;
    private static final long TRAVEL = SECOND;
    private static final long TTL = 2 * SECOND;
    private static final long SIZE = 2;

    /** A lease as plain numbers. */
    record Held(long hits, long left, long expires, long returnable, long expiresWall, long window) {
        static Held of(Lease lease, boolean closed) {
            return new Held(
                    lease.hits(),
                    closed ? Lease.CLOSED : lease.left(),
                    lease.expires(),
                    lease.returnable(),
                    lease.expiresWall(),
                    lease.window());
        }

        Lease lease() {
            return new Lease(hits, left, expires, returnable, expiresWall, window);
        }
    }

    /** An ask for a lease: not yet at the store, or on its way back with what it was granted. */
    record Fetch(long asked, long askedWall, boolean atStore, long granted, long reset, long window) {}

    /**
     * A node.
     *
     * @param inHand a hit that was taken and is not yet decided
     * @param stopped how long its monotonic clock stood still
     * @param kept what the store keeps of its last grant; without a fetch, the answer was lost
     */
    record Node(
            boolean alive,
            @Nullable Held held,
            @Nullable Fetch fetch,
            int inHand,
            int fetches,
            long stopped,
            @Nullable Fetch kept) {
        Node with(@Nullable Held held, @Nullable Fetch fetch, int inHand) {
            return new Node(alive, held, fetch, inHand, fetches, stopped, kept);
        }

        Node keeping(@Nullable Fetch grant) {
            return new Node(alive, held, fetch, inHand, fetches, stopped, grant);
        }

        /** The hits that were granted and not heard of. */
        long unheard() {
            return fetch == null && kept != null ? kept.granted : 0;
        }
    }

    /** Hits on their way back to the window that began at {@code window}. */
    record Return(long hits, long deadline, long window) {}

    /**
     * The whole of it.
     *
     * @param spent hits that passed, in the window of now or in all
     * @param lost of this window: nobody can spend or return them
     */
    record State(long now, long word0, long word1, List<Node> nodes, List<Return> returns, long spent, long lost) {}

    private final SlotMeter meter;
    private final long window;
    private final long end;
    private final int fetches;
    private final Bug bug;
    private final boolean byWindow;
    private boolean countsLosses;
    private boolean undecided = true;

    LeaseModel(Limit limit, long end, int fetches, Bug bug) {
        this.meter = (SlotMeter) Meters.of(limit);
        this.window = limit.windowMicros() * 1_000;
        this.end = end;
        this.fetches = fetches;
        this.bug = bug;
        this.byWindow = limit.algorithm() == Algorithm.FIXED_WINDOW;
    }

    /** Keeps count of what is lost, too: there is more to tell states apart by. */
    LeaseModel countingLosses() {
        countsLosses = true;
        return this;
    }

    /** Decides what it takes in the same step: nothing is put back. */
    LeaseModel decidingAtOnce() {
        undecided = false;
        return this;
    }

    State first(int nodes) {
        List<Node> all = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            all.add(new Node(true, null, null, 0, 0, 0, null));
        }
        return new State(0, 0, 0, List.copyOf(all), List.of(), 0, 0);
    }

    /** Hits that the store has counted and that still count. */
    long counted(State state) {
        return meter.limit().capacity() - apply(state, 0).remaining;
    }

    private Outcome apply(State state, long hits) {
        Outcome out = new Outcome();
        meter.apply(state.word0, state.word1, (window + state.now) / 1_000, hits, false, out); // no window starts at 0
        return out;
    }

    /** Every state that may come after {@code state}. */
    void next(State state, Consumer<State> to) {
        if (state.now < end) {
            to.accept(tick(state));
            suspend(tick(state), to);
        }
        Outcome exact = apply(state, 1);
        if (exact.allowed) {
            to.accept(spent(counted(state, exact), 1));
        }
        for (int i = 0; i < state.nodes.size(); i++) {
            Node node = state.nodes.get(i);
            if (node.alive) {
                ask(state, i, node, to);
                spend(state, i, node, to);
                giveUp(state, i, node, to);
            }
            if (node.fetch != null) {
                travel(state, i, node, node.fetch, to);
            }
        }
        for (int i = 0; i < state.returns.size(); i++) {
            Return each = state.returns.get(i);
            State without = returns(state, removed(state.returns, i));
            to.accept(lose(without, each.hits));
            if (state.now <= each.deadline) {
                boolean over = each.window != 0 && each.window != state.word0;
                to.accept(over ? lose(without, each.hits) : counted(without, apply(without, -each.hits)));
            }
        }
    }

    private State tick(State s) {
        long now = s.now + SECOND;
        boolean turned = byWindow && now / window != s.now / window;
        return new State(now, s.word0, s.word1, s.nodes, s.returns, turned ? 0 : s.spent, turned ? 0 : s.lost);
    }

    /** In the second that has just passed, the machine of a node was suspended. */
    private void suspend(State s, Consumer<State> to) {
        for (int i = 0; i < s.nodes.size(); i++) {
            Node node = s.nodes.get(i);
            if (node.alive && node.stopped == 0) {
                List<Return> later = s.returns.stream()
                        .map(each -> new Return(each.hits, each.deadline + SECOND, each.window))
                        .toList();
                Node stopped = new Node(true, node.held, node.fetch, node.inHand, node.fetches, SECOND, node.kept);
                to.accept(node(returns(s, later), i, stopped));
            }
        }
    }

    /** The monotonic clock of {@code node}. */
    private static long nanos(State state, Node node) {
        return state.now - node.stopped;
    }

    /** The wall clock of {@code node}, microseconds. */
    private long wall(State state, Node node) {
        return (bug == Bug.NO_WALL_CLOCK ? nanos(state, node) : state.now) / 1_000;
    }

    /** Asks for a lease. */
    private void ask(State state, int i, Node node, Consumer<State> to) {
        if (node.fetch == null && node.held == null && node.fetches < fetches) {
            Fetch fetch = new Fetch(nanos(state, node), wall(state, node), false, 0, 0, 0);
            Node asking = new Node(true, null, fetch, node.inHand, node.fetches + 1, node.stopped, null);
            to.accept(node(lose(state, node.unheard()), i, asking));
        }
        recall(state, i, node, to);
    }

    /** Asks again for a grant whose answer was lost. */
    private void recall(State state, int i, Node node, Consumer<State> to) {
        Fetch kept = node.kept;
        if (kept == null || node.held != null || node.fetch != null) {
            return;
        }
        Outcome out = apply(state, 0);
        boolean isCurrent = kept.window == 0 || (kept.window == state.word0 && kept.window * 1_000 > state.now);
        if (isCurrent || bug == Bug.STALE_GRANT) {
            Lease lease =
                    Lease.of(meter, kept.granted, out, nanos(state, node), wall(state, node), nanos(state, node), TTL);
            to.accept(node(
                    state,
                    i,
                    node.with(Held.of(lease, false), null, node.inHand).keeping(null)));
        }
    }

    /** Takes a hit from the lease, and decides what was taken: it passes, or goes back. */
    private void spend(State state, int i, Node node, Consumer<State> to) {
        if (node.inHand == 0 && node.held != null) {
            Lease lease = node.held.lease();
            boolean never = bug == Bug.NO_EXPIRY;
            long now = never ? lease.expires() - 1 : nanos(state, node);
            if (lease.take(1, now, never ? lease.expiresWall() - 1 : wall(state, node))) {
                Held left = Held.of(lease, false);
                to.accept(spent(node(state, i, node.with(left, node.fetch, undecided ? 1 : 0)), 1));
            }
        }
        if (node.inHand > 0) {
            to.accept(node(state, i, node.with(node.held, node.fetch, 0)));
            if (node.held != null && state.spent > 0) {
                Lease lease = node.held.lease();
                boolean open = lease.putBack(1);
                Held after = Held.of(lease, !open);
                State put = spent(node(state, i, node.with(after, node.fetch, 0)), -1);
                to.accept(open ? put : sendBack(put, node, lease, 1));
            }
        }
    }

    /** Expiry, shutdown, and death. */
    private void giveUp(State state, int i, Node node, Consumer<State> to) {
        if (node.held != null && node.held.left != Lease.CLOSED) {
            Lease lease = node.held.lease();
            boolean expired = lease.isExpired(nanos(state, node), wall(state, node));
            long left = lease.close();
            Held closed = bug == Bug.DOUBLE_RETURN ? node.held : Held.of(lease, true);
            State ended = node(state, i, node.with(closed, node.fetch, node.inHand));
            to.accept(sendBack(ended, node, lease, left)); // on shutdown or on a changed rule, at any time
            if (!expired) {
                to.accept(lose(node(state, i, new Node(false, null, node.fetch, 0, node.fetches, 0, null)), left));
            }
        } else if (node.held != null && node.inHand == 0) {
            to.accept(node(state, i, node.with(null, node.fetch, 0)));
        }
    }

    private State sendBack(State state, Node node, Lease lease, long hits) {
        if (hits == 0) {
            return state;
        }
        boolean inTime = lease.isReturnable(nanos(state, node), wall(state, node), TRAVEL);
        if (!inTime && bug != Bug.LATE_RETURN) {
            return lose(state, hits);
        }
        List<Return> all = new ArrayList<>(state.returns);
        boolean unnamed = bug == Bug.UNNAMED_WINDOW || bug == Bug.LATE_RETURN;
        all.add(new Return(hits, state.now + TRAVEL, unnamed ? 0 : lease.window()));
        return returns(state, all);
    }

    /** The ask reaches the store, or the reply its node; or neither. */
    private void travel(State state, int i, Node node, Fetch fetch, Consumer<State> to) {
        State without = node(state, i, node.with(node.held, null, node.inHand));
        if (!fetch.atStore) {
            to.accept(without);
            long granted = Math.min(SIZE, apply(state, 0).remaining);
            Outcome out = apply(state, granted);
            Fetch back = new Fetch(fetch.asked, fetch.askedWall, true, granted, out.reset, meter.windowOf(out));
            Fetch kept = new Fetch(0, 0, true, granted, 0, meter.windowOf(out));
            Node served = node.with(node.held, back, node.inHand).keeping(granted > 0 ? kept : null);
            to.accept(counted(node(state, i, served), out));
            return;
        }
        to.accept(node.alive ? without : lose(without, fetch.granted));
        if (node.alive && node.held == null && fetch.granted > 0) {
            Outcome out = new Outcome();
            out.reset = fetch.reset;
            out.state0 = fetch.window;
            boolean late = bug == Bug.CLOCK_FROM_ANSWER;
            long from = late ? nanos(state, node) : fetch.asked;
            long fromWall = late ? wall(state, node) : fetch.askedWall;
            Lease lease = Lease.of(meter, fetch.granted, out, from, fromWall, from, TTL);
            Node holding = node.with(Held.of(lease, false), null, node.inHand);
            to.accept(node(state, i, bug == Bug.SECOND_GRANT ? holding : holding.keeping(null)));
        }
    }

    private static State counted(State s, Outcome out) {
        return new State(s.now, out.state0, out.state1, s.nodes, s.returns, s.spent, s.lost);
    }

    private static State spent(State s, long more) {
        return new State(s.now, s.word0, s.word1, s.nodes, s.returns, s.spent + more, s.lost);
    }

    private State lose(State s, long more) {
        long lost = countsLosses ? s.lost + more : 0;
        return new State(s.now, s.word0, s.word1, s.nodes, s.returns, s.spent, lost);
    }

    private static State node(State s, int i, Node node) {
        List<Node> nodes = new ArrayList<>(s.nodes);
        nodes.set(i, node);
        nodes.sort(Comparator.comparingInt(Node::hashCode)); // which node is which makes no difference
        return new State(s.now, s.word0, s.word1, List.copyOf(nodes), s.returns, s.spent, s.lost);
    }

    private static State returns(State s, List<Return> returns) {
        return new State(s.now, s.word0, s.word1, s.nodes, List.copyOf(returns), s.spent, s.lost);
    }

    private static List<Return> removed(List<Return> all, int index) {
        List<Return> rest = new ArrayList<>(all);
        rest.remove(index);
        return rest;
    }
}
